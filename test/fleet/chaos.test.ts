import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { freePort } from '../../src/dev/ports.ts';
import { addKey } from '../../src/service/keys/edit.ts';
import { clientOf, onCleanup, requestRun, rows, writeModel } from '../service/support.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { temporalProcess } from '../support/temporal.ts';
import { uniforms } from '../support/uniforms.ts';
import { until } from '../support/until.ts';
import { executorsOf, folderOfFile, HEARTBEAT, type TestExecutor } from './fleet.ts';

const NODES = 3;
const SLOTS = 4;
/** How many runs, how long each takes in milliseconds, and how often each fault comes. */
const { runs, ms, ...times } = isFull
  ? { runs: 20_000, ms: 20, kill: 20, freeze: 10, service: 8, temporal: 3 }
  : { runs: 600, ms: 150, kill: 2, freeze: 1, service: 1, temporal: 1 };
/** Runs that are executed again, at most, as a share of all. */
const MOST_AGAIN = 0.1;
const HOUR = 60 * 60;

test.each(seeds(1, 3))(
  'executors, the service and Temporal are killed and frozen: each run has one result, the right one (seed %i)',
  async (seed) => {
    const random = uniforms(seed);
    const [dataDir, models] = [folderOfFile(), folderOfFile()];
    writeModel(
      models,
      'triple',
      `import { setTimeout as pause } from 'node:timers/promises';
       export default {
         name: 'Triple', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 0 }],
         outputs: [{ name: 'Out', type: 'DOUBLE' }],
         run: async ({ inputs }) => { await pause(${ms}); return { Out: 3 * inputs.N }; },
       };`,
    );
    const key = await addKey(path.join(dataDir, 'keys.yaml'), 'node', 'executors');
    const temporal = await temporalProcess(path.join(folderOfFile(), 'temporal.db'));
    onCleanup(() => temporal.kill());
    await temporal.start();
    const port = String(await freePort(0));
    let service = await startService([dataDir, models, port, temporal.address, String(HEARTBEAT)]);
    const { url } = service;
    const client = clientOf(url);
    const spawnExecutor = executorsOf({ url, address: temporal.address, key });
    let started = 0;
    const startNode = () => spawnExecutor(`node-${(started += 1)}`, { flags: ['--slots', String(SLOTS)] });
    const nodes: TestExecutor[] = Array.from({ length: NODES }, startNode);

    const version = await client.latest('Triple');
    const limit = pLimit(20);
    const start = performance.now();
    const numbers = Array.from({ length: runs }, (_, N) => N);
    await limit.map(numbers, (N) => requestRun(client, version, { N }));
    const done = () =>
      Number(rows(dataDir, `SELECT count(*) AS n FROM runs WHERE status = 'COMPLETED'`)[0]!.n);

    const act: Record<keyof typeof times, () => Promise<void>> = {
      async kill() {
        const at = Math.floor(random() * NODES);
        await nodes[at]!.kill();
        nodes[at] = startNode();
      },
      // longer than the heartbeat: others take its runs over, and it reports them all the same
      async freeze() {
        const { child } = nodes[Math.floor(random() * NODES)]!;
        child.kill('SIGSTOP');
        await pause(1.5 * HEARTBEAT);
        child.kill('SIGCONT');
      },
      async service() {
        await kill(service.child);
        service = await startService([dataDir, models, port, temporal.address, String(HEARTBEAT)]);
      },
      async temporal() {
        await temporal.kill();
        await temporal.start();
      },
    };
    const faults = (Object.keys(times) as (keyof typeof times)[])
      .flatMap((fault) => Array.from({ length: times[fault] }, () => ({ fault, at: random() })))
      .sort((a, b) => a.at - b.at);
    for (const [index, { fault }] of faults.entries()) {
      // they are spread over the runs
      await until(`it is time to ${fault}`, () => done() >= (index / faults.length) * runs, HOUR);
      await act[fault]();
    }
    await until('all runs have ended', () => done() === runs, HOUR);

    const seconds = (performance.now() - start) / 1_000;
    const [counts] = rows(
      dataDir,
      'SELECT count(*) AS runs, sum(executions) AS executions, max(losses) AS losses FROM runs',
    );
    const results = rows(dataDir, 'SELECT inputs, outputs FROM runs JOIN results ON run_seq = seq');
    const right = results.filter(({ inputs, outputs }) => {
      const { N } = JSON.parse(inputs as string) as { N: string };
      return (JSON.parse(outputs as string) as { Out: string }).Out === String(3 * Number(N));
    });
    const again = Number(counts!.executions) / runs - 1;
    const ideal = (runs * ms) / (NODES * SLOTS * 1_000);
    report(
      `fleet, seed ${seed}: ${right.length} of ${runs} runs right, ${(100 * again).toFixed(1)} % executed again, ${seconds.toFixed(0)} s (ideal ${ideal.toFixed(0)} s), ${faults.length} faults`,
    );
    expect(counts!.runs).toBe(runs);
    expect([results.length, right.length]).toEqual([runs, runs]);
    expect(again).toBeLessThanOrEqual(MOST_AGAIN);
  },
  2 * HOUR * 1_000,
);

async function startService(args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const entry = path.join(import.meta.dirname, 'service-entry.ts');
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onCleanup(() => kill(child));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
