import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { addKey } from '../../src/keys/edit.ts';
import { clientOf, onCleanup, writeModel } from '../service/support.ts';
import { integers, request as requestOf, variation } from '../service/experiments.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { temporalProcess } from '../support/temporal.ts';
import { uniforms } from '../support/uniforms.ts';
import { until } from '../support/until.ts';
import { executorsOf, folderOfFile, HEARTBEAT, type TestExecutor } from './fleet.ts';
import { oneService, replicas } from './service-group.ts';

const EXECUTORS = 3;
const SLOTS = 4;
/** The number of runs, the duration of a run in milliseconds, and the number of faults of each kind. */
const { runs, ms, ...times } = isFull
  ? { runs: 20_000, ms: 20, kill: 20, freeze: 10, service: 8, database: 3, temporal: 3, files: 3 }
  : { runs: 600, ms: 150, kill: 2, freeze: 1, service: 1, database: 0, temporal: 1, files: 0 };
/** One in this number of runs writes a file. */
const FILES = 20;
/** The maximum number of runs in one experiment. */
const TOGETHER = 1_000;
/** The maximum share of runs that are executed again. */
const MOST_AGAIN = 0.1;
const HOUR = 60 * 60;

/** Models that wait and return three times a number, as a value or in a file. */
function writeModels(folder: string): void {
  const model = (name: string, type: string, value: string): void =>
    writeModel(
      folder,
      name,
      `import { setTimeout as pause } from 'node:timers/promises';
       export default {
         name: '${name}', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 0 }],
         outputs: [{ name: 'Out', type: '${type}' }],
         run: async ({ inputs, writeFile }) => { await pause(${ms}); return { Out: ${value} }; },
       };`,
    );
  model('Value', 'DOUBLE', '3 * inputs.N');
  model('Text', 'OUTPUT_FILE', `writeFile('n.txt', 'three times is ' + 3 * inputs.N)`);
}

test.each(seeds(1, 1))(
  'each run has one correct result although parts are killed or frozen: executors, services, Temporal, and in the full test the database and the store of files (seed %i)',
  async (seed) => {
    const random = uniforms(seed);
    const [dataDir, models] = [folderOfFile(), folderOfFile()];
    writeModels(models);
    const key = await addKey(path.join(dataDir, 'keys.yaml'), 'node', 'executor');
    const temporal = await temporalProcess(path.join(folderOfFile(), 'temporal.db'));
    onCleanup(() => temporal.kill());
    await temporal.start();
    const start = isFull ? replicas : oneService;
    const group = await start({
      dataDir,
      modelDirs: [models],
      address: temporal.address,
      heartbeat: HEARTBEAT,
    });
    const client = clientOf(group.url);
    const spawnExecutor = executorsOf({ url: group.url, address: temporal.address, key });
    let started = 0;
    const startExecutor = () =>
      spawnExecutor(`executor-${(started += 1)}`, { flags: ['--slots', String(SLOTS)] });
    const executors: TestExecutor[] = Array.from({ length: EXECUTORS }, startExecutor);
    const count = async (what: string): Promise<number> =>
      Number(Object.values((await group.query(`SELECT ${what} FROM runs WHERE tasks IS NULL`))[0]!)[0]);
    const done = () => count(`sum(CASE WHEN status = 'COMPLETED' THEN 1 ELSE 0 END)`);

    /** Requests `runs` runs as experiments. The values of their input N start with `first`. */
    const request = async (first: number): Promise<void> => {
      const withFile = runs / FILES;
      for (const [model, from, to] of [
        ['Text', first, first + withFile],
        ['Value', first + withFile, first + runs],
      ] as const) {
        const version = await client.latest(model);
        for (let min = from; min < to; min += TOGETHER) {
          const N = integers(min, Math.min(min + TOGETHER, to) - 1);
          const { status } = await requestOf(client, version, variation({ N }));
          expect(status).toBe(200);
        }
      }
    };

    const frozen = new Set<TestExecutor>();
    const thaws: Promise<void>[] = [];
    let outages = Promise.resolve();
    const awake = (): number[] => [...executors.keys()].filter((at) => !frozen.has(executors[at]!));
    const oneOf = (numbers: readonly number[]): number => numbers[Math.floor(random() * numbers.length)]!;
    const act: Record<keyof typeof times, () => Promise<void>> = {
      async kill() {
        const at = oneOf(awake());
        await executors[at]!.kill();
        executors[at] = startExecutor();
      },
      // the executor is silent for longer than its heartbeat, so other executors take its runs over; later it still
      // reports results of these runs
      async freeze() {
        const executor = executors[oneOf(awake())]!;
        frozen.add(executor);
        executor.child.kill('SIGSTOP');
        thaws.push(
          pause(1.5 * HEARTBEAT).then(() => {
            frozen.delete(executor);
            executor.child.kill('SIGCONT');
          }),
        );
        await until('an executor is awake', () => awake().length > 0);
      },
      service: () => group.killService(Math.floor(random() * 2)),
      database: async () => group.killDatabase?.(),
      async temporal() {
        await temporal.kill();
        await temporal.start();
      },
      async files() {
        await outages;
        outages = group.interruptFiles!();
      },
    };

    let undisturbed = 0;
    if (isFull) {
      const begin = performance.now();
      await request(1_000_000);
      await until('all undisturbed runs have ended', async () => (await done()) === runs, HOUR);
      undisturbed = (performance.now() - begin) / 1_000;
    }
    const [before, executionsBefore] = [await done(), await count('coalesce(sum(executions), 0)')];
    const begin = performance.now();
    await request(0);
    const faults = (Object.keys(times) as (keyof typeof times)[])
      .flatMap((fault) => Array.from({ length: times[fault] }, () => ({ fault, at: random() })))
      .sort((a, b) => a.at - b.at);
    for (const [index, { fault }] of faults.entries()) {
      // the faults are spread over the runs
      const share = async () => ((await done()) - before) / runs;
      await until(
        `it is time for the fault ${fault}`,
        async () => (await share()) >= index / faults.length,
        HOUR,
      );
      await act[fault]();
    }
    await until('all runs have ended', async () => (await done()) === before + runs, HOUR);
    const seconds = (performance.now() - begin) / 1_000;
    await Promise.all([outages, ...thaws]);

    const results = await group.query(
      'SELECT inputs, outputs FROM runs JOIN results ON run_seq = seq WHERE tasks IS NULL',
    );
    const right = results.filter(({ inputs, outputs }) => {
      const { N } = JSON.parse(inputs as string) as { N: string };
      const { Out } = JSON.parse(outputs as string) as { Out: string };
      if (!Out.startsWith('{')) return Out === String(3 * Number(N));
      return (
        group.contentOf((JSON.parse(Out) as { hash: string }).hash) === `three times is ${3 * Number(N)}`
      );
    });
    const again = ((await count('sum(executions)')) - executionsBefore) / runs - 1;
    const ideal = (runs * ms) / (EXECUTORS * SLOTS * 1_000);
    report(
      `fleet, seed ${seed}: ${right.length - before} of ${runs} runs right, ${(100 * again).toFixed(1)} % executed again, ${seconds.toFixed(0)} s${isFull ? `, ${undisturbed.toFixed(0)} s undisturbed` : ''} (ideal ${ideal.toFixed(0)} s), ${faults.length} faults`,
    );
    expect(await count('count(*)')).toBe(before + runs);
    expect([results.length, right.length]).toEqual([before + runs, before + runs]);
    const experiments = await group.query('SELECT DISTINCT status FROM runs WHERE tasks IS NOT NULL');
    expect(experiments).toEqual([{ status: 'COMPLETED' }]);
    expect(again).toBeLessThanOrEqual(MOST_AGAIN);
  },
  2 * HOUR * 1_000,
);
