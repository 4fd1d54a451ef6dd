import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type Dev, foray, startDev } from '../../test/support/cli.ts';
import { pythonWith } from '../../test/support/python.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { loopTimes } from './helper.ts';

const HERE = import.meta.dirname;
/** How often the two loops take turns. */
const TURNS = 10;

interface Row {
  what: string;
  /** The time of all runs in each round, seconds. */
  seconds: number[];
}

/**
 * Compares whole campaigns of models that stay loaded with a bare pool of two processes, and foray's helper with the
 * shortest loop. The cases take turns, so that other work on the machine affects all of them. Ratios are medians over
 * the rounds.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      runs: { type: 'string', default: '1800' },
      json: { type: 'boolean', default: false },
    },
  });
  const [rounds, runs] = [Number(values.rounds), Number(values.runs)];
  const bin = await pythonWith('bench-models', join(HERE, 'requirements.txt'), (line) =>
    process.stderr.write(`${line}\n`),
  );
  const python = join(bin, 'python');
  const dev = await startDev({
    args: ['--models', join(HERE, 'models'), '--port', '0'],
    env: { VIRTUAL_ENV: dirname(bin) },
  });
  try {
    const cases = {
      pool: (seed: number) => bare(python, runs, seed),
      agents: (seed: number) => campaign(dev, 'Mesa agents', runs, seed),
      python: (seed: number) => campaign(dev, 'Python no-op', runs, seed),
      module: (seed: number) => campaign(dev, 'Module no-op', runs, seed),
    };
    const took = { pool: [], agents: [], python: [], module: [] } as Record<keyof typeof cases, number[]>;
    for (let round = 0; round <= rounds; round++) {
      for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
        const seconds = await cases[name](1_000_000 * (round + 1));
        // the first round loads the programs and fills the caches
        if (round > 0) took[name].push(seconds);
      }
    }
    const loops = await loopTimes(python, TURNS, 500);
    const ratio = (one: number[], other: number[]): number =>
      median(one.map((seconds, round) => seconds / other[round]!));
    const added = median(loops.helper.map((ms, turn) => ms - loops.bare[turn]!));
    const part: Part<Row> = {
      name: 'models',
      title: `${runs} runs of models that stay loaded, on ${availableParallelism()} executors, seconds`,
      rows: [
        { what: 'agents of Mesa, bare pool of 2 processes', seconds: took.pool },
        { what: 'agents of Mesa, a campaign', seconds: took.agents },
        { what: 'no-op in Python, a campaign', seconds: took.python },
        { what: 'no-op as a module, a campaign', seconds: took.module },
      ],
      columns: [
        { title: 'case', of: (row) => row.what },
        { title: 'median', of: (row) => median(row.seconds), digits: 1 },
        { title: 'least', of: (row) => Math.min(...row.seconds), digits: 1 },
        { title: 'most', of: (row) => Math.max(...row.seconds), digits: 1 },
      ],
      goals: [
        { what: 'agents: campaign / bare pool', figure: ratio(took.agents, took.pool), most: 1.5 },
        { what: 'no-op: Python / module', figure: ratio(took.python, took.module), most: 1.3 },
        { what: 'helper − bare loop, ms a run', figure: added, most: 0.3 },
      ],
    };
    console.log(values.json ? JSON.stringify(documentOf(part), undefined, 2) : textOf(part));
    return part.goals.every(isMet);
  } finally {
    await dev.stop();
  }
}

/** The time of a whole campaign, from its submission to the end that a watching command sees, in seconds. */
async function campaign(dev: Dev, model: string, runs: number, seed: number): Promise<number> {
  const id = `${model.toLowerCase().replaceAll(/\W+/g, '-')}-${seed}`;
  const definition = { campaign: id, model: { name: model }, replications: runs, seed };
  writeFileSync(join(dev.folder, `${id}.json`), JSON.stringify(definition));
  const start = performance.now();
  const { code, stderr } = await foray(dev.folder, ['submit', `${id}.json`, '--id', id, '--watch']);
  if (code !== 0) throw new Error(`the campaign ${id} failed: ${stderr}`);
  return (performance.now() - start) / 1_000;
}

/** The time of the whole program with a bare pool. As in a campaign, it contains the loading of the model. */
async function bare(python: string, runs: number, seed: number): Promise<number> {
  const start = performance.now();
  await promisify(execFile)(python, [join(HERE, 'pool.py'), String(runs), String(seed)]);
  return (performance.now() - start) / 1_000;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
