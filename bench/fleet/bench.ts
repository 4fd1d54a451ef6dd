import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import type { RunRequest } from '../../src/api/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { addKey } from '../../src/service/keys/edit.ts';
import { Temporal } from '../campaign/temporal.ts';
import { ownEnvironment, Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { usageOf } from '../usage.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const KEY = 'bench-0000-4000-8000-000000000000';
const SLOTS = 4;
/** Delay between looks at the database of the service, ms. */
const LOOK_EVERY = 20;
/** Longer than any part, in seconds. */
const LONG = 3_600;
/** How long an executor may be silent before its runs go to another, ms (src/cli/service.ts). */
const HEARTBEAT = 15_000;

/** A service, its Temporal, and a way to start executors. */
interface Lab {
  temporal: Temporal;
  service: Process;
  startExecutor(name: string): Promise<Process>;
  /** Requests runs that sleep, one after the other; returns the ids. */
  request(runs: number, seconds: number): Promise<string[]>;
  /** Stops the run that was requested last, which sleeps so long. */
  stopLast(seconds: number): Promise<void>;
  /** The first value of a query of the service's database. */
  ask(sql: string): number;
  /** The number of requests that the service has answered. */
  requests(): Promise<number>;
}

interface Row {
  what: string;
  figure: number;
  unit: string;
}

/** Measures executors on other machines: throughput, what a lost executor costs, and what they do when there is nothing to do. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '10000' },
      kills: { type: 'string', default: '5' },
      idle: { type: 'string', default: '60' },
      json: { type: 'boolean', default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'foray-bench-'));
  const processes: Process[] = [];
  try {
    const lab = await startLab(folder, processes);
    const executors = [await lab.startExecutor('one'), await lab.startExecutor('two')];
    const parts = [
      await throughput(lab, executors, Number(values.runs)),
      await idle(lab, executors, Number(values.idle)),
      await drained(lab, executors[1]!),
      await takenOver(lab, executors[0]!, Number(values.kills)),
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

async function startLab(folder: string, processes: Process[]): Promise<Lab> {
  const own = (started: Process): Process => (processes.push(started), started);
  const dataDir = join(folder, 'service');
  const key = await addKey(join(dataDir, 'keys.yaml'), 'bench', 'executors');
  const temporal = await Temporal.start(await findTemporalCli(console.error), folder, own);
  await temporal.close();
  const to = ['--temporal', temporal.address];
  const flags = ['--port', '0', '--data', dataDir, '--api-key', KEY, '--executors', '0', '--metrics', '0'];
  const service = own(new Process({ name: 'service', args: [MAIN, 'service', ...flags, ...to] }));
  const [, url] = await service.says(/^Model service\s+(\S+)/);
  const [, metrics] = await service.says(/^Metrics\s+(\S+)/);
  const client = new CloudClient({ url: url!, key: KEY });
  const { modelVersions } = await client.getModelByName('Rehearsal');
  const version = modelVersions.at(-1)!;
  const limit = pLimit(20);
  let value = 0;
  return {
    temporal,
    service,
    async startExecutor(name) {
      const settings = ['--service-url', url!, '--name', name, '--cache', join(folder, name)];
      const args = [MAIN, 'executor', ...settings, ...to, '--slots', String(SLOTS)];
      const env = ownEnvironment({ FORAY_EXECUTOR_KEY: key });
      const executor = own(new Process({ name, args, env }));
      await executor.says(/^Executor \S+ works/);
      return executor;
    },
    request: (runs, seconds) =>
      limit.map(Array.from({ length: runs }), async () => {
        value += 1;
        return (await client.requestRun(version, requestOf(seconds, value))).id;
      }),
    stopLast: (seconds) => client.stopRun(version, requestOf(seconds, value)),
    ask(sql) {
      const db = new DatabaseSync(join(dataDir, 'service.db'), { readOnly: true });
      try {
        return Number(Object.values(db.prepare(sql).get()!)[0]);
      } finally {
        db.close();
      }
    },
    async requests() {
      const text = await (await fetch(metrics!)).text();
      const counts = text.matchAll(/^foray_http_request_duration_seconds_count\S* (\d+)/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}

function requestOf(seconds: number, value: number): RunRequest {
  const inputs = [
    { name: 'Seconds', value: String(seconds) },
    { name: 'Value', value: String(value) },
  ];
  return { experimentType: 'SIMULATION', inputs };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(LOOK_EVERY);
}

const unfinished = `SELECT count(*) FROM runs WHERE status IN ('FRESH', 'RUNNING')`;

async function throughput(lab: Lab, executors: Process[], runs: number): Promise<Part<Row>> {
  // executors have loaded the model, and their lanes are open
  await lab.request(200, 0);
  await until(() => lab.ask(unfinished) === 0);
  const cpu = () => ({
    service: usageOf(lab.service.pid).cpuMs,
    Temporal: usageOf(lab.temporal.process.pid).cpuMs,
    executors: executors.reduce((sum, { pid }) => sum + usageOf(pid).cpuMs, 0),
  });
  const before = cpu();
  const start = performance.now();
  await lab.request(runs, 0);
  await until(() => lab.ask(unfinished) === 0);
  const seconds = (performance.now() - start) / 1_000;
  const after = cpu();
  const each = (who: keyof typeof before): number => (after[who] - before[who]) / runs;
  return {
    name: 'throughput',
    title: `throughput: ${runs} runs that do nothing, two executors with ${SLOTS} slots each, requests included`,
    rows: [
      { what: 'runs', figure: runs / seconds, unit: '/s' },
      { what: 'CPU of the service, with the requests', figure: each('service'), unit: 'ms a run' },
      { what: 'CPU of Temporal', figure: each('Temporal'), unit: 'ms a run' },
      { what: 'CPU of both executors', figure: each('executors'), unit: 'ms a run' },
    ],
    columns,
    goals: [{ what: 'CPU of Temporal, ms a run', figure: each('Temporal'), most: 0.05 }],
  };
}

async function idle(lab: Lab, executors: Process[], seconds: number): Promise<Part<Row>> {
  // lanes without work end after five seconds
  await delay(10_000);
  const requests = await lab.requests();
  const cpu = [lab.service, ...executors].map(({ pid }) => usageOf(pid).cpuMs);
  await delay(seconds * 1_000);
  const [service, one] = [lab.service, ...executors].map(
    ({ pid }, at) => (usageOf(pid).cpuMs - cpu[at]!) / (10 * seconds),
  );
  const asked = ((await lab.requests()) - requests) * (60 / seconds);
  return {
    name: 'idle',
    title: `idle: ${seconds} s without a run, two executors`,
    rows: [
      { what: 'requests of both executors', figure: asked, unit: 'a minute' },
      { what: 'CPU of the service', figure: service!, unit: '% of a core' },
      { what: 'CPU of an executor', figure: one!, unit: '% of a core' },
    ],
    columns,
    // each says every ten seconds that it is there
    goals: [{ what: 'requests a minute', figure: asked, most: 14 }],
  };
}

/** Ends an executor by SIGTERM while runs of two seconds execute and wait. */
async function drained(lab: Lab, executor: Process): Promise<Part<Row>> {
  const executions = () => lab.ask('SELECT sum(executions) FROM runs');
  const before = executions();
  const runs = 6 * SLOTS;
  await lab.request(runs, 2);
  await until(() => lab.ask(`SELECT count(*) FROM runs WHERE status = 'RUNNING'`) >= 2 * SLOTS);
  const start = performance.now();
  await executor.end();
  const seconds = (performance.now() - start) / 1_000;
  await until(() => lab.ask(unfinished) === 0);
  const repeated = executions() - before - runs;
  return {
    name: 'drain',
    title: `drain: SIGTERM to one of two executors, ${runs} runs of 2 s`,
    rows: [
      { what: 'until it has left', figure: seconds, unit: 's' },
      { what: 'runs executed again', figure: repeated, unit: '' },
    ],
    columns,
    goals: [{ what: 'runs executed again', figure: repeated, most: 0 }],
  };
}

/** Kills the executor of a run, again and again, while another is free. */
async function takenOver(lab: Lab, first: Process, kills: number): Promise<Part<Row>> {
  const took: number[] = [];
  let holder = first;
  for (let kill = 1; kill <= kills; kill += 1) {
    const [id] = await lab.request(1, LONG);
    const state = (sql: string) => lab.ask(`SELECT count(*) FROM runs WHERE id = '${id}' AND ${sql}`) === 1;
    await until(() => state(`status = 'RUNNING'`));
    const heir = await lab.startExecutor(`heir-${kill}`);
    process.kill(holder.pid, 'SIGKILL');
    const start = performance.now();
    await until(() => state(`losses = 1 AND status = 'RUNNING'`));
    took.push((performance.now() - start) / 1_000);
    await lab.stopLast(LONG);
    holder = heir;
  }
  const worst = Math.max(...took);
  return {
    name: 'takeover',
    title: `takeover: from SIGKILL of an executor until its run executes elsewhere; its heartbeat is ${HEARTBEAT / 1_000} s`,
    rows: [
      { what: 'kills', figure: took.length, unit: '' },
      { what: 'mean', figure: took.reduce((sum, s) => sum + s, 0) / took.length, unit: 's' },
      { what: 'longest', figure: worst, unit: 's' },
    ],
    columns,
    goals: [{ what: 'longest, s', figure: worst, most: HEARTBEAT / 1_000 + 2 }],
  };
}

const columns: Part<Row>['columns'] = [
  { title: '', of: ({ what }) => what },
  { title: 'figure', of: ({ figure }) => figure, digits: 2 },
  { title: '', of: ({ unit }) => unit },
];
