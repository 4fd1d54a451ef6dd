import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { usageOf } from '../usage.ts';
import { besideSlow, underLoad } from './delays.ts';
import { type Felt, shoot, type Shot } from './load.ts';
import { DIFFERENT, type Measured, ROUNDS, serve, type What, whats } from './measured.ts';

/** The time of a warm-up, s. V8 optimizes only code that runs often, and a real service runs for days. */
const WARM_UP = 20;
const FEW = 1_000;
const MANY = 100_000;

interface Row extends Felt {
  what: What;
  who: string;
  /** CPU time of the service per request, ms. */
  cpuMs: number;
}

/**
 * Measures the model service in three ways: its throughput with few and with many runs in its database, compared with a
 * bare Fastify route; the time of its answers beside slow connections; and this time while all executors are busy.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: 'string', default: '4' }, json: { type: 'boolean', default: false } },
  });
  const seconds = Number(values.seconds);
  const folder = mkdtempSync(join(tmpdir(), 'foray-bench-'));
  const processes: Process[] = [];
  try {
    const few = await serve(join(folder, 'few'), FEW, processes);
    const many = await serve(join(folder, 'many'), MANY, processes);
    const bare = await bareLike(few, processes);
    const parts = [
      await throughput(few, many, bare, seconds),
      await besideSlow(few, seconds),
      await underLoad(few, seconds),
    ];
    console.log(
      values.json
        ? JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2)
        : parts.map(textOf).join('\n'),
    );
    return parts.every(({ goals }) => goals.every(isMet));
  } finally {
    for (const each of processes.toReversed()) await each.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a bare Fastify with the same answers as the service. */
async function bareLike({ shots }: Measured, processes: Process[]): Promise<Measured> {
  const service = new Process({ name: 'bare', args: [resolve(import.meta.dirname, 'bare.ts')] });
  processes.push(service);
  const answer = async ({ url, body, ...init }: Shot): Promise<string> =>
    (await fetch(url, { ...init, ...(body && { body: body as string }) })).text();
  service.send({ POST: await answer(shots.runs), GET: await answer(shots.progress) });
  const [, origin] = await service.says(/^ready (\S+)/);
  const here = (shot: Shot): Shot => ({ ...shot, url: new URL(new URL(shot.url).pathname, origin).href });
  return {
    service,
    addDifferent: () => Promise.resolve(),
    shots: {
      runs: here(shots.runs),
      'different runs': here(shots['different runs']),
      progress: here(shots.progress),
    },
  };
}

async function throughput(
  few: Measured,
  many: Measured,
  bare: Measured,
  seconds: number,
): Promise<Part<Row>> {
  const rows: Row[] = [];
  const ways = { bare, [`service, ${FEW} runs`]: few, [`service, ${MANY} runs`]: many };
  for (const what of whats) {
    const rounds = Object.fromEntries(Object.keys(ways).map((who) => [who, [] as Row[]]));
    for (const { shots, addDifferent } of Object.values(ways)) {
      if (what === 'different runs') await addDifferent();
      await shoot(shots[what], WARM_UP);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [who, { service, shots }] of Object.entries(ways)) {
        const before = usageOf(service.pid).cpuMs;
        const felt = await shoot(shots[what], seconds);
        const cpuMs = (usageOf(service.pid).cpuMs - before) / (felt.requestsPerSecond * seconds);
        rounds[who]!.push({ what, who, ...felt, cpuMs });
      }
    }
    for (const each of Object.values(rounds)) {
      rows.push(each.reduce((a, b) => (a.requestsPerSecond > b.requestsPerSecond ? a : b)));
    }
  }
  const goals = whats.flatMap((what, at) => {
    const [plain, ours, full] = rows.slice(3 * at, 3 * at + 3).map((row) => row.requestsPerSecond);
    return [
      { what: `${what}: throughput / throughput of a bare route`, figure: ours! / plain!, least: 0.5 },
      { what: `${what}: throughput with ${FEW} runs / with ${MANY} runs`, figure: ours! / full!, most: 1.2 },
    ];
  });
  return {
    name: 'throughput',
    title: `throughput: requests for a finished run, for the progress of this run, and for ${DIFFERENT} different runs in turns`,
    rows,
    columns: [
      { title: 'way', of: ({ who }) => who },
      { title: 'request', of: ({ what }) => what },
      { title: 'requests/s', of: ({ requestsPerSecond }) => requestsPerSecond },
      { title: 'p50 ms', of: ({ p50 }) => p50 },
      { title: 'p99 ms', of: ({ p99 }) => p99 },
      { title: 'CPU ms', of: ({ cpuMs }) => cpuMs, digits: 3 },
    ],
    goals,
    notes: [
      `Each row is the fastest of ${ROUNDS} rounds, after a warm-up of ${WARM_UP} s. The ways take turns.`,
      `The different runs are ${DIFFERENT} more runs in the database, each with its own inputs.`,
    ],
  };
}
