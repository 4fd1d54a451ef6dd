import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Refusals } from './refusals.ts';

/** The maximum number of connections without a key. */
const MOST = 256;
/** The maximum number of connections without a key, as a share of the files that the process may open. */
const SHARE = 1 / 4;
/** A check closes a connection without a key that is idle for longer than this, ms. */
const IDLE = 10_000;
/** How often connections without a key are checked, ms. */
const LOOK = 5_000;

/** A connection that has shown no key. */
interface Keyless {
  /** The last request, until its answer was sent. */
  request?: IncomingMessage | undefined;
  /** When the connection was opened, or the last answer on it ended; in milliseconds of `performance.now`. */
  since: number;
  /** The number of bytes that were received on it until `since`. */
  bytes: number;
}

/**
 * Limits the number and the idle time of connections without a key. Anybody can open them, and each uses a file
 * descriptor that executors need. If there are too many, the oldest one is closed, counted from its opening or its last
 * answer. A connection whose request is being answered is closed only if there is no other. A connection that has shown
 * the key of a user or of an executor no longer counts.
 */
export class KeylessConnections {
  readonly #most: number;
  readonly #refusals: Refusals;
  /** Ordered by the time of opening or of the last answer, the oldest first. */
  readonly #open = new Map<Socket, Keyless>();

  constructor(app: FastifyInstance, refusals: Refusals, most = mostConnections()) {
    this.#most = most;
    this.#refusals = refusals;
    app.server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { since: performance.now(), bytes: 0 });
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size > this.#most) this.#closeOne(socket);
    });
    app.server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
      const { socket } = request;
      const connection = this.#open.get(socket);
      // the connection has shown its key
      if (!connection) return;
      connection.request = request;
      answer.once('close', () => {
        const isStillKeyless = this.#open.delete(socket);
        // added again as the newest
        if (isStillKeyless && !socket.destroyed)
          this.#open.set(socket, { since: performance.now(), bytes: socket.bytesRead });
      });
    });
    const timer = setInterval(() => this.#closeIdle(), LOOK).unref();
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  /** From now on, a connection no longer counts, because it has shown a key. */
  release(socket: Socket): void {
    this.#open.delete(socket);
  }

  /** Makes room for a connection that has just been opened. */
  #closeOne(newest: Socket): void {
    const others = [...this.#open].filter(([socket]) => socket !== newest);
    const [socket] = others.find(([, connection]) => !isAnswered(connection)) ?? others[0]!;
    this.#close(socket, `there are more than ${this.#most}`);
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      // once a request has begun, the timeouts of requests limit the time of the connection
      const hasBegun = socket.bytesRead > connection.bytes;
      if (!isAnswered(connection) && !hasBegun && now - connection.since > IDLE)
        this.#close(socket, `it was idle for more than ${IDLE / 1_000} s`);
    }
  }

  #close(socket: Socket, why: string): void {
    this.#refusals.note(`a connection without a key was closed: ${why}`);
    this.#open.delete(socket);
    socket.destroy();
  }
}

/** Whether a complete request is being answered. */
function isAnswered({ request }: Keyless): boolean {
  return request?.complete === true;
}

/** A limit that leaves most file descriptors to executors, the database and clients with a key. */
function mostConnections(): number {
  // without this, the report would look up the names of hosts
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const files = Number(userLimits?.open_files.soft);
  return Number.isNaN(files) ? MOST : Math.min(MOST, Math.ceil(files * SHARE));
}
