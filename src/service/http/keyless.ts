import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Most connections without a key, and the most of all files that the process may open, as a share. */
const MOST = 256;
const SHARE = 1 / 4;
/** How long a connection without a key on which nothing is asked stays open, in milliseconds. */
const IDLE = 10_000;
/** How often those are looked for. */
const LOOK = 5_000;

/** A connection that has shown no key. */
interface Keyless {
  /** What was asked last, and its answer, until that has been sent. */
  request?: IncomingMessage | undefined;
  /** When the connection was opened, or the last answer on it ended; in milliseconds of `performance.now`. */
  since: number;
  /** How much had come by then. */
  bytes: number;
}

/**
 * Keeps connections that have shown no key few and short: anybody can open them, and each takes one of the files that the
 * process may open, which its executors need. When there are too many, the one on which nothing is asked for longest is closed.
 * Those that show a key are not counted from then on.
 */
export class KeylessConnections {
  readonly #most: number;
  /** The one that was opened or answered least recently first. */
  readonly #open = new Map<Socket, Keyless>();

  constructor(app: FastifyInstance, most = mostConnections()) {
    this.#most = most;
    app.server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { since: performance.now(), bytes: 0 });
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size > this.#most) this.#closeOne(socket);
    });
    app.server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
      const { socket } = request;
      const connection = this.#open.get(socket);
      // it has just shown its key
      if (!connection) return;
      connection.request = request;
      answer.once('close', () => {
        if (!this.#open.delete(socket) || socket.destroyed) return;
        this.#open.set(socket, { since: performance.now(), bytes: socket.bytesRead });
      });
    });
    const timer = setInterval(() => this.#closeIdle(), LOOK).unref();
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  /** The connection has shown a key. */
  release(socket: Socket): void {
    this.#open.delete(socket);
  }

  /** Makes room for a connection that has just been opened. */
  #closeOne(newest: Socket): void {
    const others = [...this.#open].filter(([socket]) => socket !== newest);
    const [socket] = others.find(([, connection]) => !isAnswered(connection)) ?? others[0]!;
    this.#close(socket);
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      // of a request that has begun the timeouts of requests see to the rest
      const hasBegun = socket.bytesRead > connection.bytes;
      if (!isAnswered(connection) && !hasBegun && now - connection.since > IDLE) this.#close(socket);
    }
  }

  #close(socket: Socket): void {
    this.#open.delete(socket);
    socket.destroy();
  }
}

/** Whether a whole request has come that is being answered. */
function isAnswered({ request }: Keyless): boolean {
  return request?.complete === true;
}

/** As many as leave most of the files that the process may open to executors, the database and callers with a key. */
function mostConnections(): number {
  // names of the network's hosts, which would be looked up
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const files = Number(userLimits?.open_files.soft);
  return Number.isNaN(files) ? MOST : Math.min(MOST, Math.ceil(files * SHARE));
}
