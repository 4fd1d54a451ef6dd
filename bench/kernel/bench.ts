import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pythonOfTests } from '../../test/support/python.ts';
import { Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { commandPart } from './command.ts';

/** A program that is measured. It simulates a time of `duration`, which takes about a second of real time. */
interface Contestant {
  way: string;
  command?: string;
  file: string;
  /** The simulated time before the measurement, in the same unit as `duration`. */
  warmUp: number;
  duration: number;
}

interface Row {
  way: string;
  rates: number[];
  /** The speed of the first contestant, divided by the speed of this contestant. */
  ratio: number;
}

/** The kernel must be at least this many times as fast as SimPy. */
const LEAST_RATIO = 10;

/**
 * Compares the kernel with SimPy and Ciw: M/M/1 with its statistics, and the hold model with few and many entities. It
 * also compares a command model with its command alone. Each measurement has its own process. The contestants take
 * turns, so that other work on the machine affects all of them. The median of the rounds counts.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
  });
  const rounds = Number(values.rounds);
  const python = join(await pythonOfTests((line) => process.stderr.write(`${line}\n`)), 'python');
  const ours = { way: 'foray', file: 'ours.ts' };
  const simpy = { way: 'SimPy', command: python, file: 'simpy_models.py' };
  const ciw = { way: 'Ciw', command: python, file: 'ciw_models.py' };
  const parts: Part[] = [];
  const add = <R>(part: Part<R>): void => {
    parts.push(part);
    if (!values.json) console.log(textOf(part));
  };
  const measure = async (
    name: string,
    title: string,
    model: string,
    size: number,
    contestants: Contestant[],
  ) => {
    add(partOf(name, title, await raced(model, size, contestants, rounds)));
  };
  await measure('queue', 'M/M/1 at a utilization of 0.91, thousands of customers a second', 'queue', 1, [
    { ...ours, warmUp: 200_000, duration: 2_000_000 },
    { ...simpy, warmUp: 10_000, duration: 60_000 },
    { ...ciw, warmUp: 0, duration: 40_000 },
  ]);
  for (const size of [100, 10_000, 100_000]) {
    const title = `hold model with ${size.toLocaleString('en')} entities, thousands of events a second`;
    await measure(`hold-${size}`, title, 'hold', size, [
      { ...ours, warmUp: 1_000_000 / size, duration: 5_000_000 / size },
      { ...simpy, warmUp: 100_000 / size, duration: 200_000 / size },
    ]);
  }
  add(await commandPart(4 * rounds, median));
  if (values.json) console.log(JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2));
  return parts.every(({ goals }) => goals.every(isMet));
}

async function raced(model: string, size: number, contestants: Contestant[], rounds: number): Promise<Row[]> {
  const rows = contestants.map(({ way }): Row => ({ way, rates: [], ratio: NaN }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, contestant] of contestants.entries()) {
      rows[at]!.rates.push(await rateOf(contestant, model, size));
    }
  }
  for (const row of rows) row.ratio = median(rows[0]!.rates) / median(row.rates);
  return rows;
}

/** Customers or events per second, in thousands. */
async function rateOf(contestant: Contestant, model: string, size: number): Promise<number> {
  const { way, command, file, warmUp, duration } = contestant;
  const measured = new Process({
    name: way,
    ...(command && { command }),
    args: [resolve(import.meta.dirname, file), model, ...[size, warmUp, duration].map(String)],
  });
  try {
    const [line] = await measured.says(/^\{.*\}$/);
    const { count, seconds } = JSON.parse(line) as { count: number; seconds: number };
    return count / seconds / 1_000;
  } finally {
    await measured.end();
  }
}

function partOf(name: string, title: string, rows: Row[]): Part<Row> {
  const simpy = rows.find(({ way }) => way === 'SimPy')!;
  return {
    name,
    title,
    rows,
    columns: [
      { title: 'way', of: (row) => row.way },
      { title: 'median', of: (row) => median(row.rates) },
      { title: 'least', of: (row) => Math.min(...row.rates) },
      { title: 'most', of: (row) => Math.max(...row.rates) },
      { title: 'speed of foray / this speed', of: (row) => row.ratio, digits: 1 },
    ],
    goals: [{ what: 'times as fast as SimPy', figure: simpy.ratio, least: LEAST_RATIO }],
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
