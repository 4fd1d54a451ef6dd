import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ownPort } from './own-port.ts';

/**
 * Faults of a network:
 * - `reset`: the connection is reset after some bytes of answers.
 * - `truncation`: the connection ends early, as it does after a complete answer.
 * - `slicing`: answers come in small pieces with pauses.
 * - `latency`: answers come late.
 * - `black hole`: nothing passes in either direction. After `heal`, all data arrive, unless the hole stays.
 * - `down`: connections end, and new connections are refused.
 */
export const toxics = ['reset', 'truncation', 'slicing', 'black hole', 'latency', 'down'] as const;
export type Toxic = (typeof toxics)[number];

/** The maximum number of bytes before a reset or a truncation. It is the size of a few answers. */
const SPOILT_WITHIN = 4_000;
const LARGEST_SLICE = 64;
const LONGEST_PAUSE_MS = 8;
const LONGEST_LATENCY_MS = 400;

/** A TCP proxy on 127.0.0.1. */
export interface Proxy {
  port: number;
  /** From now on, a random share of the connections has this fault. `down` affects all connections. */
  spoil(toxic: Toxic, share?: number): Promise<void>;
  /** From now on, connections work. A connection in a black hole delivers its data, or stays in the black hole. */
  heal(howBlackHoles?: 'heal' | 'stay'): Promise<void>;
  /**
   * The number of connections that met each fault. For slicing and latency, it is the number of delivered pieces of
   * answers.
   */
  met: Record<Toxic, number>;
  close(): Promise<void>;
}

/** @param random - gives numbers in [0, 1) that decide which connections have a fault, and when */
export async function startProxy(target: number, random: () => number): Promise<Proxy> {
  const links = new Set<Link>();
  const met = Object.fromEntries(toxics.map((toxic) => [toxic, 0])) as Record<Toxic, number>;
  let now: { toxic: Toxic; share: number } | undefined;
  const draw = (): Toxic | undefined => (now && random() < now.share ? now.toxic : undefined);

  const server = createServer((client) => {
    const link = new Link(client, target, { random, meet: (toxic) => (met[toxic] += 1) });
    link.suffer(draw());
    links.add(link);
    client.once('close', () => links.delete(link));
  });
  const port = await ownPort();
  await listen(server, port);

  return {
    port,
    met,
    async spoil(toxic, share = 1) {
      now = { toxic, share };
      if (toxic === 'down') {
        // the proxy does not see refused connections, so the whole time counts as one connection
        met.down += 1;
        await stop(server, links);
      } else {
        for (const link of links) link.suffer(draw());
      }
    },
    async heal(howBlackHoles = 'heal') {
      const wasDown = now?.toxic === 'down';
      now = undefined;
      if (wasDown) await listen(server, port);
      for (const link of links) {
        if (howBlackHoles === 'stay' && link.isLost) link.isLostForGood = true;
        link.suffer(undefined);
      }
    },
    async close() {
      if (server.listening) await stop(server, links);
    },
  };
}

interface Chance {
  random: () => number;
  meet: (toxic: Toxic) => void;
}

/** A connection: the socket of the client, the socket of the server, and its fault. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #chance: Chance;
  #toxic: Toxic | undefined;
  isLostForGood = false;
  /** The bytes of answers that still pass until a reset or a truncation. */
  #left = Infinity;
  #held: (() => void)[] = [];
  /** Resolves when the earlier answers are sent. It keeps pieces and delayed answers in their order. */
  #answers: Promise<void> = Promise.resolve();

  constructor(client: Socket, target: number, chance: Chance) {
    this.#client = client;
    this.#chance = chance;
    this.#server = connect(target, '127.0.0.1');
    for (const socket of [client, this.#server]) socket.setNoDelay(true).on('error', () => undefined);
    client.on('data', (data) => this.#through(() => this.#server.write(data)));
    client.once('close', () => this.#server.destroy());
    this.#server.on('data', (data) => this.#through(() => this.#answer(data)));
    this.#server.once('close', () => this.#through(() => void this.#answers.then(() => client.end())));
  }

  get isLost(): boolean {
    return this.#toxic === 'black hole';
  }

  suffer(toxic: Toxic | undefined): void {
    if (this.isLostForGood) return;
    this.#toxic = toxic;
    this.#left =
      toxic === 'reset' || toxic === 'truncation' ? this.#chance.random() * SPOILT_WITHIN : Infinity;
    if (toxic === 'black hole') return;
    for (const say of this.#held.splice(0)) say();
  }

  cut(): void {
    this.#client.resetAndDestroy();
  }

  #through(say: () => void): void {
    if (!this.isLost) return say();
    if (this.#held.length === 0) this.#chance.meet('black hole');
    this.#held.push(say);
  }

  #answer(data: Buffer): void {
    const toxic = this.#toxic;
    this.#answers = this.#answers.then(() => this.#deliver(data, toxic)).catch(() => undefined);
  }

  async #deliver(data: Buffer, toxic: Toxic | undefined): Promise<void> {
    const { random, meet } = this.#chance;
    if (toxic === 'slicing' || toxic === 'latency') meet(toxic);
    if (toxic === 'latency') await delay(random() * LONGEST_LATENCY_MS);
    if (toxic === 'slicing') {
      for (let at = 0; at < data.length;) {
        const end = at + 1 + Math.floor(random() * LARGEST_SLICE);
        this.#client.write(data.subarray(at, end));
        at = end;
        await delay(random() * LONGEST_PAUSE_MS);
      }
      return;
    }
    if (data.length < this.#left) {
      this.#left -= data.length;
      this.#client.write(data);
      return;
    }
    meet(this.#toxic!);
    const part = data.subarray(0, Math.floor(this.#left));
    this.#left = Infinity;
    if (this.#toxic === 'truncation') this.#client.end(part);
    // the reset comes after the data are sent, because an earlier reset would discard them
    else this.#client.write(part, () => this.cut());
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function stop(server: Server, links: Set<Link>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const link of links) link.cut();
  await closed;
}
