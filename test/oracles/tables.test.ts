import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { formatResults, type ShapeOptions, tableOf } from '../../src/report/formats/format.ts';
import { parquet } from '../../src/report/formats/parquet.ts';
import type { ResultRow } from '../../src/store/index.ts';
import { failedRow, sampleRecord, sampleRow, stream, textOf } from '../report/support.ts';
import { ROOT } from '../support/cli.ts';
import { report } from '../support/seeds.ts';
import { PythonProcess } from './python-process.ts';

/** Checks that pandas, PyArrow and DuckDB can read the files that foray writes. */

let python: PythonProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'foray-tables-'));
  python = await PythonProcess.start(folder);
});
afterAll(async () => {
  await python.end();
  rmSync(folder, { recursive: true, force: true });
});

const record = {
  ...sampleRecord({
    outputs: [
      { name: 'Peak day', type: 'DOUBLE', units: 'DAY' },
      { name: 'Orders', type: 'LONG', units: null },
      { name: 'Servers', type: 'INTEGER', units: null },
      { name: 'Is stable', type: 'BOOLEAN', units: null },
      { name: 'Ends', type: 'DATE_TIME', units: null },
      { name: 'Title', type: 'STRING', units: null },
      { name: 'Infected', type: 'DATA_SET', units: null },
    ],
  }),
  definition: 'campaign: flu # “β”\n',
};
const LARGEST = 2n ** 63n - 1n;

/** Rows with point keys that look like numbers, with values at the limits of their types, and with one failed run. */
function rows(): ResultRow[] {
  const done = Array.from({ length: 40 }, (_, at): ResultRow => ({
    ...sampleRow(at, [String(1 + (at % 4) / 4), '0.3'], 1),
    point: String(at).padStart(16, '0'),
    outputs: {
      'Peak day': at === 39 ? '"Infinity"' : String(at / 7),
      Orders: String(LARGEST - BigInt(at)),
      Servers: String(at - 20),
      'Is stable': String(at % 2 === 0),
      Ends: `"2026-01-31T08:${String(at + 10)}:00"`,
      Title: JSON.stringify(at === 0 ? '' : `“${at}”, \n "x"`),
      Infected: JSON.stringify({ dataX: [0, at], dataY: [1, 2.5] }),
    },
  }));
  return [...done, { ...failedRow(40, ['1.25', '0.3'], 'no more memory'), point: '0000000000000040' }];
}

async function write(name: string, of: ResultRow[] = rows(), options: ShapeOptions = {}): Promise<void> {
  const file = (ending: string): string => path.join(folder, `${name}.${ending}`);
  for (const format of ['csv', 'jsonl'] as const) {
    writeFileSync(file(format), await textOf(formatResults(format, record.campaign, stream(of), options)));
  }
  const table = tableOf(record.campaign, stream(of), options);
  const pieces = await Array.fromAsync(parquet(table, { record, version: '0', all: options.all ?? false }));
  writeFileSync(file('parquet'), Buffer.concat(pieces));
}

const run = (script: string): Promise<string> => python.run(script);

const ask = async <Answer>(script: string): Promise<Answer> =>
  JSON.parse(await run(`import json\n${script}`)) as Answer;

describe('a Parquet file', () => {
  const types = {
    point: ['string', 'VARCHAR'],
    replication: ['int32', 'INTEGER'],
    status: ['string', 'VARCHAR'],
    'Contact rate': ['double', 'DOUBLE'],
    'Recovery rate': ['double', 'DOUBLE'],
    'Peak day': ['double', 'DOUBLE'],
    Orders: ['int64', 'BIGINT'],
    Servers: ['int32', 'INTEGER'],
    'Is stable': ['bool', 'BOOLEAN'],
    Ends: ['timestamp[ms]', 'TIMESTAMP'],
    Title: ['string', 'VARCHAR'],
    Infected: ['string', 'JSON'],
    reason: ['string', 'VARCHAR'],
    run: ['string', 'VARCHAR'],
    origin: ['string', 'VARCHAR'],
    requested: ['timestamp[ms, tz=UTC]', 'TIMESTAMP WITH TIME ZONE'],
    finished: ['timestamp[ms, tz=UTC]', 'TIMESTAMP WITH TIME ZONE'],
  };
  beforeAll(() => write('all', rows(), { all: true }));

  test('has the expected types in PyArrow and DuckDB', async () => {
    const found = await ask<{ arrow: Record<string, string>; duckdb: Record<string, string> }>(`
import duckdb, pyarrow.parquet as pq
schema = pq.read_schema("all.parquet")
theirs = duckdb.read_parquet("all.parquet")
print(json.dumps({
  "arrow": {field.name: str(field.type) for field in schema},
  "duckdb": dict(zip(theirs.columns, map(str, theirs.types))),
}))`);
    expect(found.arrow).toEqual(
      Object.fromEntries(Object.entries(types).map(([name, [type]]) => [name, type])),
    );
    expect(found.duckdb).toEqual(
      Object.fromEntries(Object.entries(types).map(([name, [, type]]) => [name, type])),
    );
  });

  test.each<[string, string]>([
    ['PyArrow', 'import pyarrow.parquet as pq\nfound = pq.read_table("all.parquet").to_pylist()'],
    [
      'DuckDB',
      `import duckdb
theirs = duckdb.read_parquet("all.parquet")
found = [dict(zip(theirs.columns, row)) for row in duckdb.sql("select * from theirs").fetchall()]`,
    ],
  ])('gives all values to %s', async (_, script) => {
    // a value that JSON cannot hold is sent as a text
    const found = await ask<Record<string, unknown>[]>(`${script}
for row in found:
  for name in ("Ends", "requested"):
    row[name] = row[name] and row[name].isoformat()[:19]
  row["Orders"] = row["Orders"] and str(row["Orders"])
  row["Peak day"] = str(row["Peak day"])
  row["finished"] = None
print(json.dumps(found))`);
    expect(found).toHaveLength(41);
    for (const [at, row] of found.slice(0, 40).entries()) {
      expect(row).toMatchObject({
        point: String(at).padStart(16, '0'),
        replication: 1,
        status: 'done',
        'Contact rate': 1 + (at % 4) / 4,
        Orders: String(LARGEST - BigInt(at)),
        Servers: at - 20,
        'Is stable': at % 2 === 0,
        Ends: `2026-01-31T08:${at + 10}:00`,
        Title: at === 0 ? '' : `“${at}”, \n "x"`,
        reason: null,
        run: `run-${at}-1`,
        requested: '2026-01-31T08:30:00',
      });
      expect(Number(String(row['Peak day']).replace('inf', 'Infinity'))).toBe(at === 39 ? Infinity : at / 7);
      expect(JSON.parse(String(row.Infected))).toEqual({ dataX: [0, at], dataY: [1, 2.5] });
    }
    expect(found[40]).toMatchObject({
      status: 'failed',
      reason: 'no more memory',
      Orders: null,
      Title: null,
      Infected: null,
    });
  });

  test('gives the units of its columns to pandas', async () => {
    expect(await ask('import pandas as pd\nprint(json.dumps(pd.read_parquet("all.parquet").attrs))')).toEqual(
      {
        units: { 'Contact rate': 'PER_DAY', 'Recovery rate': 'PER_DAY', 'Peak day': 'DAY' },
      },
    );
  });

  test('has row groups that PyArrow and DuckDB read as one table', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => sampleRow(at, [String(at % 10), String(at)]));
    await write('many', many);
    const [rows, sums] = await ask<[number, number[]]>(`
import duckdb, pyarrow.parquet as pq, pyarrow.compute as pc
table = pq.read_table("many.parquet")
theirs = duckdb.sql("""select sum("Recovery rate") from 'many.parquet'""").fetchone()[0]
print(json.dumps([table.num_rows, [pc.sum(table["Recovery rate"]).as_py(), theirs]]))`);
    const sum = (49_999 * 50_000) / 2;
    expect([rows, sums]).toEqual([50_000, [sum, sum]]);
  });
});

test('the quantiles in a table of points equal the quantiles of NumPy and DuckDB', async () => {
  const seed = 7;
  const samples = fc.sample(
    fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 60 }),
    {
      seed,
      numRuns: 200,
    },
  );
  const runs = samples.flatMap((sample, point) =>
    sample.map((value, at): ResultRow => ({
      ...sampleRow(point, ['1', '2'], at + 1),
      outputs: { 'Peak day': String(value) },
    })),
  );
  await write('runs', runs);
  await write('points', runs, { points: true });
  const names = ['min', 'q05', 'q25', 'median', 'q75', 'q95', 'max'];
  const { numpy, duckdb, ours } = await ask<Record<'numpy' | 'duckdb' | 'ours', number[][]>>(`
import duckdb, numpy as np, pandas as pd
ps = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
runs, points = pd.read_parquet("runs.parquet"), pd.read_parquet("points.parquet")
theirs = duckdb.sql(f'select quantile_cont("Peak day", {ps}) from runs group by point order by point').fetchall()
print(json.dumps({
  "numpy": [np.quantile(values, ps).tolist() for _, values in runs.groupby("point")["Peak day"]],
  "duckdb": [row[0] for row in theirs],
  "ours": points[[f"Peak day {name}" for name in ${JSON.stringify(names)}]].values.tolist(),
}))`);
  expect(ours).toHaveLength(samples.length);
  const furthest = (theirs: number[][]): number =>
    Math.max(...ours.flatMap((row, point) => row.map((value, at) => Math.abs(value - theirs[point]![at]!)))) /
    1e9;
  report(
    `oracles: quantiles of ${ours.length} samples (seed ${seed}): NumPy within ${furthest(numpy).toExponential(1)}, DuckDB within ${furthest(duckdb).toExponential(1)} of the largest possible value`,
  );
  expect(furthest(numpy)).toBeLessThan(1e-14);
  expect(furthest(duckdb)).toBeLessThan(1e-14);
});

describe('the Python examples of docs/guides/results.md', () => {
  const blocks = [
    ...readFileSync(path.join(ROOT, 'docs/guides/results.md'), 'utf8').matchAll(/```python\n([^`]+)```/g),
  ];
  const readers = blocks.map((block) => block[1]!).filter((lines) => !/metadata|flu-long/.test(lines));
  beforeAll(() =>
    // the libraries print a frame with Infinity differently
    write(
      'flu',
      rows().filter(({ outputs }) => outputs['Peak day'] !== '"Infinity"'),
    ),
  );

  test('have three lines for each of three formats and two libraries', () => {
    expect(readers).toHaveLength(6);
    for (const lines of readers) expect(lines.trim().split('\n')).toHaveLength(3);
  });

  test.each(['pandas', 'duckdb'])('print the same text in %s for every format', async (library) => {
    const printed = await Promise.all(readers.filter((lines) => lines.includes(library)).map(run));
    expect(printed).toHaveLength(3);
    expect(new Set(printed).size).toBe(1);
    expect(printed[0]).toContain('Contact rate');
    expect(printed[0]!.match(/\b1\.(00?|25|50?|75)\b/g)).toHaveLength(4);
  });

  test('read the keys of points as texts', async () => {
    for (const lines of readers) {
      const point = await run(`${lines}
print("point", list(runs.fetchone())[0] if hasattr(runs, "fetchone") else runs["point"][0])`);
      expect(point).toMatch(/^point 0000000000000000$/m);
    }
  });

  test('show the definition and the units', async () => {
    const metadata = blocks.map((block) => block[1]!).filter((lines) => lines.includes('metadata'));
    expect(metadata).toHaveLength(2);
    for (const lines of metadata) {
      const printed = await run(lines);
      expect(printed).toContain('campaign: flu # “β”');
      expect(printed).toMatch(/"name": ?"Peak day","type": ?"DOUBLE","units": ?"DAY","of": ?"output"/);
    }
  });
});
