import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pythonOfTests } from '../../test/support/python.ts';
import { Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { fill } from './fill.ts';

interface Measured {
  seconds: number;
  /** CPU time of all threads. */
  cpuSeconds: number;
  peakMb: number;
}

interface Way {
  way: string;
  command?: string;
  args: (file: (name: string) => string) => string[];
}

interface Row extends Way {
  measured: Measured[];
}

/** Limit of the time, as a multiple of DuckDB's time. */
const MOST_TIMES = 3;
/** Limit of the memory, as a multiple of the memory for a tenth of the rows. */
const MOST_GROWTH = 1.2;

/**
 * Writes the results of a campaign with a million runs as files. DuckDB writes the same Parquet file from a CSV file,
 * for comparison. Each measurement has its own process, which reports its time without the time of its start. The ways
 * take turns, so that other work on the machine affects all of them. The median of the rounds counts.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs);
  const python = join(await pythonOfTests((line) => process.stderr.write(`${line}\n`)), 'python');
  const folder = mkdtempSync(join(tmpdir(), 'foray-export-'));
  const file = (name: string): string => join(folder, name);
  try {
    process.stderr.write(`filling stores of ${runs} and ${runs / 10} runs\n`);
    await fill(file('all.db'), runs);
    await fill(file('tenth.db'), runs / 10);
    const rows = waysOf(python).map((way): Row => ({ ...way, measured: [] }));
    for (let round = 0; round < Number(values.rounds); round++)
      for (const row of rows) row.measured.push(await measure(row, file));
    const part = partOf(runs, rows);
    console.log(values.json ? JSON.stringify({ parts: [documentOf(part)] }, undefined, 2) : textOf(part));
    return part.goals.every(isMet);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function waysOf(python: string): Way[] {
  const script = (name: string): string => resolve(import.meta.dirname, name);
  const ours = (way: string, format: string, store = 'all'): Way => ({
    way,
    args: (file) => [script('write.ts'), file(`${store}.db`), format, file(`${store}.${format}`)],
  });
  return [
    ours('foray, Parquet', 'parquet'),
    ours('foray, Parquet, a tenth of the runs', 'parquet', 'tenth'),
    ours('foray, CSV', 'csv'),
    ours('foray, JSON Lines', 'jsonl'),
    ours('foray, rows that are only read', 'nothing'),
    {
      way: 'DuckDB, CSV to Parquet',
      command: python,
      args: (file) => [script('duckdb_copy.py'), file('all.csv'), file('theirs.parquet')],
    },
  ];
}

async function measure({ way, command, args }: Way, file: (name: string) => string): Promise<Measured> {
  const measured = new Process({
    name: way,
    ...(command && { command }),
    args: args(file),
  });
  try {
    const [line] = await measured.says(/^\{.*\}$/);
    return JSON.parse(line) as Measured;
  } finally {
    await measured.end();
  }
}

function partOf(runs: number, rows: Row[]): Part<Row> {
  const of =
    (figure: keyof Measured) =>
    ({ measured }: Row): number =>
      median(measured.map((one) => one[figure]));
  const [seconds, cpuSeconds, peak] = [of('seconds'), of('cpuSeconds'), of('peakMb')];
  const [ours, tenth] = rows as [Row, Row];
  const theirs = rows.at(-1)!;
  return {
    name: 'export',
    title: `export: ${runs.toLocaleString('en')} runs with two inputs and five numbers`,
    rows,
    columns: [
      { title: 'way', of: ({ way }) => way },
      { title: 's', of: seconds, digits: 2 },
      { title: 'of DuckDB', of: (row) => seconds(row) / seconds(theirs), digits: 1 },
      { title: 'CPU s', of: cpuSeconds, digits: 2 },
      { title: 'of DuckDB', of: (row) => cpuSeconds(row) / cpuSeconds(theirs), digits: 1 },
      { title: 'peak MB', of: peak },
    ],
    goals: [
      { what: 'Parquet: time / time of DuckDB', figure: seconds(ours) / seconds(theirs), most: MOST_TIMES },
      {
        what: 'Parquet: peak memory / with a tenth of the runs',
        figure: peak(ours) / peak(tenth),
        most: MOST_GROWTH,
      },
    ],
    notes: ['DuckDB reads a CSV file with as many threads as there are cores; foray reads its store.'],
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
