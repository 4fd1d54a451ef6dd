import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { saltelliRows } from '../../src/campaign/sampling/saltelli.ts';
import { pythonWithSalib } from '../../test/oracles/install.ts';
import { ownEnvironment, Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { fillSample } from './fill.ts';

interface Measured {
  way: string;
  seconds: number;
  peakMb: number;
}
/** The figures of the analysis of a store's rows. */
interface Rows extends Measured {
  runs: number;
  cpuSeconds: number;
}

interface Indices extends Measured {
  first: number[];
  total: number[];
}

const INPUTS = 10;
const SCRAMBLES = 8;
/** Coefficients of the G function. An input with a smaller coefficient matters more. */
const COEFFICIENTS = [0, 1, 4.5, 9, 99, 99, 99, 99, 99, 99];
/** Limits for the rows of a sample: CPU seconds, which do not depend on other work on the machine, and megabytes. */
const MOST = { cpuSeconds: 30, peakMb: 400 };
/** The largest allowed difference from SALib's indices. SALib computes them from all base points together. */
const FAR = 0.005;

/**
 * Compares foray's Sobol' indices with SALib's indices of the same values, and analyzes a million rows of a sample in a
 * store. Each measurement has its own process. The process reports the time without its start. The time for the indices
 * is also without the read of the file, but the time for the rows includes the read of the store.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      points: { type: 'string', default: String(2 ** 16) },
      rows: { type: 'string', default: '1000000' },
      json: { type: 'boolean', default: false },
    },
  });
  const python = await pythonWithSalib((line) => process.stderr.write(`${line}\n`));
  const folder = mkdtempSync(join(tmpdir(), 'foray-sensitivity-'));
  try {
    const parts: Part[] = [
      await indicesPart(python, folder, Number(values.points)),
      await rowsPart(folder, Number(values.rows)),
    ];
    if (values.json) console.log(JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2));
    else for (const part of parts) console.log(textOf(part));
    return parts.every(({ goals }) => goals.every(isMet));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function indicesPart(python: string, folder: string, points: number): Promise<Part<Indices>> {
  const file = join(folder, 'values.bin');
  writeFileSync(file, new Uint8Array(gValues(points).buffer));
  const each = points / SCRAMBLES;
  const ours = await measured<Indices>('foray', process.execPath, [
    script('ours.ts'),
    ...[file, INPUTS, each, SCRAMBLES].map(String),
  ]);
  const theirs = await measured<Indices>('SALib', python, [script('salib.py'), file, String(INPUTS)]);
  const farthest = Math.max(
    ...(['first', 'total'] as const).flatMap((key) =>
      ours[key].map((value, at) => Math.abs(value - theirs[key][at]!)),
    ),
  );
  return {
    name: 'indices',
    title: `Sobol' indices with intervals: ${points.toLocaleString('en')} base points, ${INPUTS} inputs`,
    rows: [ours, theirs],
    columns: [
      { title: 'way', of: ({ way }) => way },
      { title: 's', of: ({ seconds }) => seconds, digits: 2 },
      { title: 'peak MB', of: ({ peakMb }) => peakMb },
    ],
    goals: [
      { what: 'time / time of SALib', figure: ours.seconds / theirs.seconds, most: 1 },
      { what: 'peak memory / peak memory of SALib', figure: ours.peakMb / theirs.peakMb, most: 1 },
      { what: 'largest difference from an index of SALib', figure: farthest, most: FAR },
    ],
    notes: ['foray computes its intervals from 8 scrambles, and SALib computes them from 100 resamples.'],
  };
}

/** Values of the G function at the rows of a design. */
function gValues(points: number): Float64Array {
  const inputs = COEFFICIENTS.map((_, at) => ({ name: `x${at + 1}` }));
  const each = points / SCRAMBLES;
  const values = new Float64Array(points * (INPUTS + 2));
  let row = 0;
  const design = { inputs, points: each, scrambles: SCRAMBLES, secondOrder: false, seed: 1 };
  for (const { unit } of saltelliRows(design)) {
    values[row] = COEFFICIENTS.reduce(
      (product, a, at) => product * ((Math.abs(4 * unit[at]! - 2) + a) / (1 + a)),
      1,
    );
    row += 1;
  }
  return values;
}

async function rowsPart(folder: string, rows: number): Promise<Part<Rows>> {
  const store = join(folder, 'sample.db');
  process.stderr.write(`filling a store of ${rows} runs\n`);
  await fillSample(store, rows);
  const found = await measured<Rows>('foray', process.execPath, [script('rows.ts'), store]);
  return {
    name: 'rows',
    title: `Regression of ${rows.toLocaleString('en')} rows of a store on 10 inputs`,
    rows: [found],
    columns: [
      { title: 'way', of: ({ way }) => way },
      { title: 'runs', of: ({ runs }) => runs },
      { title: 's', of: ({ seconds }) => seconds, digits: 1 },
      { title: 'CPU s', of: ({ cpuSeconds }) => cpuSeconds, digits: 1 },
      { title: 'peak MB', of: ({ peakMb }) => peakMb },
    ],
    goals: [
      { what: 'CPU seconds', figure: found.cpuSeconds, most: MOST.cpuSeconds },
      { what: 'peak MB', figure: found.peakMb, most: MOST.peakMb },
    ],
  };
}

function script(name: string): string {
  return resolve(import.meta.dirname, name);
}

async function measured<M extends Measured>(way: string, command: string, args: string[]): Promise<M> {
  const process = new Process({ name: way, command, args, env: ownEnvironment() });
  try {
    const [line] = await process.says(/^\{.*\}$/);
    return { ...(JSON.parse(line) as M), way };
  } finally {
    await process.end();
  }
}
