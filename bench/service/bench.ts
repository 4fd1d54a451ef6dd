import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { InputItem, RunRequest } from '../../src/api/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { KEY, startModelService } from '../model-service.ts';
import { Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { usageOf } from '../usage.ts';
import { fill } from './fill.ts';
import { type Felt, shoot, type Shot } from './load.ts';

const MODELS = resolve(import.meta.dirname, 'models');
/** Number of rounds, which take turns. Each figure is from the best one, because the machine may be shared. */
const ROUNDS = 3;
/** Warm-up, s: a service runs for days, and V8 optimizes its code only while the code runs. */
const WARM_UP = 20;
const FEW = 1_000;
const MANY = 100_000;
/** Requests per second while all executors are busy. */
const RATE = 200;
/**
 * Number of different runs that are requested in turns, as by a campaign that reuses runs: more than the service
 * caches.
 */
const DIFFERENT = 5_120;
/** Delay between checks whether a run has completed, ms. */
const LOOK_EVERY = 100;
/** Number of connections that send hardly anything. */
const SLOW = 200;

/** A running service and the requests that are measured. */
interface Measured {
  service: Process;
  /** `POST /runs` of a finished run, its progress, and `POST /runs` of many different runs. */
  shots: Record<What, Shot>;
  /** Executes the different runs, so that the service has them too. */
  addDifferent: () => Promise<unknown>;
}

const whats = ['runs', 'progress', 'different runs'] as const;
type What = (typeof whats)[number];

interface Row extends Felt {
  what: What;
  who: string;
  /** CPU time of the service per request, ms. */
  cpuMs: number;
}

/**
 * Measures the model service under load: compared with a bare Fastify route, with few and with many runs in its
 * database, together with slow connections, and while all its executors are busy.
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

/** Starts a service, executes one run, and starts it again with many more runs. */
async function serve(dataDir: string, runs: number, processes: Process[]): Promise<Measured> {
  const own = (started: Process): Process => (processes.push(started), started);
  const start = () => startModelService({ args: ['--data', dataDir, '--models', MODELS] }, own);
  const first = await start();
  await request(first.url);
  await first.process.end();
  fill(dataDir, runs);
  const { process: service, url } = await start();
  const { versionId, runId, body, bodies, addDifferent } = await request(url);
  const headers = { authorization: KEY, 'content-type': 'application/json' };
  const runsUrl = `${url}/versions/${versionId}/runs`;
  return {
    service,
    addDifferent,
    shots: {
      runs: { url: runsUrl, method: 'POST', headers, body },
      'different runs': { url: runsUrl, method: 'POST', headers, body: bodies },
      progress: { url: `${url}/versions/${versionId}/runs/${runId}/progress`, method: 'GET', headers },
    },
  };
}

/** Requests the measured run, and waits until it has completed. */
async function request(url: string) {
  const cloud = new CloudClient({ url, key: KEY });
  const model = await cloud.getModelByName('Busy');
  const versionId = model.modelVersions.at(-1)!;
  const { experimentTemplate } = await cloud.getVersion(model.id, versionId);
  const inputs = experimentTemplate.inputs;
  const runId = await complete(cloud, versionId, { experimentType: 'SIMULATION', inputs });
  const bodyOf = (number: number): string =>
    JSON.stringify({ experimentType: 'SIMULATION', inputs: withNumber(inputs, { value: String(number) }) });
  const range = {
    type: 'FIXED_RANGE_INTEGER' as const,
    value: JSON.stringify({ min: 1, max: DIFFERENT, step: 1 }),
  };
  return {
    versionId,
    runId,
    body: bodyOf(0),
    bodies: Array.from({ length: DIFFERENT }, (_, at) => bodyOf(at + 1)),
    addDifferent: () =>
      complete(cloud, versionId, {
        experimentType: 'PARAMETER_VARIATION',
        inputs: withNumber(inputs, range),
      }),
  };
}

function withNumber(inputs: readonly InputItem[], change: Partial<InputItem>): InputItem[] {
  return inputs.map((input) => (input.name === 'Number' ? { ...input, ...change } : input));
}

/** Waits until a run has completed, and returns its id. */
async function complete(cloud: CloudClient, versionId: string, run: RunRequest): Promise<string> {
  for (;;) {
    const { status, id } = await cloud.requestRun(versionId, run);
    if (status === 'COMPLETED') return id;
    if (status === 'FAILED') throw new Error('a run of the bench failed');
    await delay(LOOK_EVERY);
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
      { what: `${what}: throughput over that of a bare route`, figure: ours! / plain!, least: 0.5 },
      { what: `${what}: slower with ${MANY} runs, times`, figure: ours! / full!, most: 1.2 },
    ];
  });
  return {
    name: 'throughput',
    title: `throughput: requests for a run that is there, its progress, and ${DIFFERENT} runs by turns`,
    rows,
    columns: [
      { title: 'way', of: ({ who }) => who },
      { title: 'asked for', of: ({ what }) => what },
      { title: 'requests/s', of: ({ requestsPerSecond }) => requestsPerSecond },
      { title: 'p50 ms', of: ({ p50 }) => p50 },
      { title: 'p99 ms', of: ({ p99 }) => p99 },
      { title: 'CPU ms', of: ({ cpuMs }) => cpuMs, digits: 3 },
    ],
    goals,
    notes: [
      `The fastest of ${ROUNDS} rounds of each, by turns, after ${WARM_UP} s of the same.`,
      `Different runs are ${DIFFERENT} more in the database, each in words of its own.`,
    ],
  };
}

/** Measures in turns: together with connections that send hardly anything, and alone. */
async function besideSlow({ shots }: Measured, seconds: number): Promise<Part<Felt & { what: string }>> {
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
    title: `slow: ${RATE} requests a second for progress, alone and beside ${SLOW} connections that drip`,
    rows: [
      { what: 'alone', ...alone },
      { what: `beside ${SLOW}`, ...beside },
    ],
    columns: feltColumns('asked'),
    goals: [{ what: 'p99, times as long', figure: beside.p99 / alone.p99, most: 2 }],
    notes: [CALMEST],
  };
}

const CALMEST = `The calmest of ${ROUNDS} rounds of each, by turns.`;

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
    // the service closes such a connection after a while
    socket.on('error', () => undefined).write('POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  }
  // each connection sends ten times a second, but never all at once: that would block the measuring process
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
async function underLoad({ shots }: Measured, seconds: number): Promise<Part<Felt & { what: string }>> {
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
    columns: feltColumns('asked for'),
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
