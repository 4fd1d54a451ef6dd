import { once } from 'node:events';
import { connect } from 'node:net';
import type { Part } from '../report.ts';
import { type Felt, shoot } from './load.ts';
import { type Measured, ROUNDS } from './measured.ts';

/** Requests per second. */
const RATE = 200;
/** Number of connections that send almost no data. */
const SLOW = 200;

/** Measures a service in two cases, in turns: alone, and beside connections that send almost no data. */
export async function besideSlow(
  { shots }: Measured,
  seconds: number,
): Promise<Part<Felt & { what: string }>> {
  const { alone, beside } = await calmest({
    alone: () => shoot(shots.progress, seconds, RATE),
    beside: async () => {
      const end = await drip(shots.progress.url);
      const felt = await shoot(shots.progress, seconds, RATE);
      await end();
      return felt;
    },
  });
  return {
    name: 'slow',
    title: `slow: ${RATE} requests a second for progress, alone and beside ${SLOW} connections that send almost no data`,
    rows: [
      { what: 'alone', ...alone },
      { what: `beside ${SLOW}`, ...beside },
    ],
    columns: feltColumns('case'),
    goals: [{ what: 'p99 beside slow connections / p99 alone', figure: beside.p99 / alone.p99, most: 2 }],
    notes: [CALMEST],
  };
}

const CALMEST = `Each row is the round with the lowest p99 of ${ROUNDS} rounds. The cases take turns.`;

async function calmest<Who extends string>(
  ways: Record<Who, () => Promise<Felt>>,
): Promise<Record<Who, Felt>> {
  const calm: Partial<Record<Who, Felt>> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [who, shootAs] of Object.entries(ways) as [Who, () => Promise<Felt>][]) {
      const felt = await shootAs();
      if (!calm[who] || felt.p99 < calm[who].p99) calm[who] = felt;
    }
  }
  return calm as Record<Who, Felt>;
}

/** Opens slow connections before the measurement. Returns a function that ends them. */
async function drip(url: string): Promise<() => Promise<unknown>> {
  const { port, hostname } = new URL(url);
  const sockets = Array.from({ length: SLOW }, () => connect(Number(port), hostname));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of sockets) {
    // the error handler is needed, because the service closes such a connection after a while
    socket.on('error', () => undefined).write('POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  }
  // each connection sends ten times a second, but they never all send at once, because that would block the measuring
  // process
  let next = 0;
  const timer = setInterval(() => {
    for (let turn = 0; turn < SLOW / 10; turn += 1) {
      const socket = sockets[next++ % SLOW]!;
      if (socket.writable) socket.write('x');
    }
  }, 10);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    return Promise.all(closed);
  };
}

/** Measures the service while all executors compute without a pause. */
export async function underLoad(
  { shots }: Measured,
  seconds: number,
): Promise<Part<Felt & { what: string }>> {
  const { url, body, ...init } = shots.runs;
  const { inputs } = JSON.parse(body as string) as { inputs: { name: string; value: string }[] };
  for (let number = 1; number <= 64; number += 1) {
    const set: Record<string, string> = { Seconds: '600', Number: String(number) };
    const long = {
      experimentType: 'SIMULATION',
      inputs: inputs.map((input) => ({ ...input, value: set[input.name] ?? input.value })),
    };
    await fetch(url, { ...init, body: JSON.stringify(long) });
  }
  const felt = await calmest({
    runs: () => shoot(shots.runs, seconds, RATE),
    progress: () => shoot(shots.progress, seconds, RATE),
  });
  const rows = Object.entries(felt).map(([what, each]) => ({ what, ...each }));
  return {
    name: 'load',
    title: `load: ${RATE} requests a second while all executors are busy`,
    rows,
    columns: feltColumns('request'),
    goals: rows.map(({ what, p99 }) => ({ what: `${what}: p99 in ms`, figure: p99, most: 50 })),
    notes: [CALMEST],
  };
}

function feltColumns(what: string): Part<Felt & { what: string }>['columns'] {
  return [
    { title: what, of: (row) => row.what },
    { title: 'requests/s', of: ({ requestsPerSecond }) => requestsPerSecond },
    { title: 'p50 ms', of: ({ p50 }) => p50 },
    { title: 'p99 ms', of: ({ p99 }) => p99 },
  ];
}
