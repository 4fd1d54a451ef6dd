import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../test/support/cli.ts';

const HERE = import.meta.dirname;
const PROGRAMS = {
  helper: [join(ROOT, 'python/foray_model.py'), join(HERE, 'models/python-noop/model.py')],
  bare: [join(HERE, 'bare_loop.py')],
};

/**
 * The time of a run of a model that does nothing, in a program with foray's helper and in the shortest one, without
 * foray. The two programs take turns.
 *
 * @param turns - the number of turns
 * @param runs - the number of runs in a turn
 * @returns for each turn the milliseconds of a run
 */
export async function loopTimes(
  python: string,
  turns: number,
  runs: number,
): Promise<Record<keyof typeof PROGRAMS, number[]>> {
  const [helper, bare] = [await start(python, PROGRAMS.helper), await start(python, PROGRAMS.bare)];
  const took = { helper: [] as number[], bare: [] as number[] };
  for (let turn = 0; turn < turns; turn += 1) {
    took.helper.push(await helper.time(runs));
    took.bare.push(await bare.time(runs));
  }
  await Promise.all([helper.end(), bare.end()]);
  return took;
}

async function start(python: string, args: readonly string[]) {
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  let run = 0;
  const ask = async (): Promise<void> => {
    run += 1;
    child.stdin.write(`${JSON.stringify({ run, inputs: { '{RANDOM_SEED}': run } })}\n`);
    await lines.next();
  };
  return {
    async time(runs: number): Promise<number> {
      const start = performance.now();
      for (let count = 0; count < runs; count += 1) await ask();
      return (performance.now() - start) / runs;
    },
    async end(): Promise<void> {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
