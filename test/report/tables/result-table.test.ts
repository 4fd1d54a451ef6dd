import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { longPointTable, pointTable } from '../../../src/report/tables/point-table.ts';
import { longTable, resultTable } from '../../../src/report/tables/result-table.ts';
import { failedRow, sampleRecord, sampleRow, SEED, stream } from '../support.ts';

const strategy = { by: 'design' } as const;

const { campaign } = sampleRecord();
const names = (table: { columns: { name: string }[] }) => table.columns.map(({ name }) => name);

describe('the results table', () => {
  test('has point, replication, status, the varied inputs and the outputs under their names', async () => {
    const rows = [sampleRow(1, ['1.2', '0.30']), failedRow(2, ['1.2', '0.31'], 'ERROR')];
    const table = resultTable(campaign, stream(rows));
    expect(names(table)).toEqual([
      ...['point', 'replication', 'status', 'Contact rate', 'Recovery rate'],
      ...['Fit error', 'Peak day', 'Infected', 'Trajectory', 'reason'],
    ]);
    const { outputs } = rows[0]!;
    expect(await Array.fromAsync(table.rows)).toEqual([
      [
        ...['0000000000000001', '1', 'done', '1.2', '0.30'],
        ...campaign.outputs.map(({ name }) => outputs[name]!),
        null,
      ],
      ['0000000000000002', '1', 'failed', '1.2', '0.31', null, null, null, null, 'ERROR'],
    ]);
  });

  test('also has run, origin and times at the end with --all', async () => {
    const rows = [sampleRow(1, ['1.2', '0.30']), failedRow(2, ['1.2', '0.31'], 'ERROR')];
    const table = resultTable(campaign, stream(rows), { all: true });
    expect(names(table).slice(-5)).toEqual(['reason', 'run', 'origin', 'requested', 'finished']);
    const cells = (await Array.fromAsync(table.rows)).map((row) => row.slice(-5));
    const times = ['2026-01-31T08:30:00.000Z', '2026-01-31T08:30:05.000Z'];
    expect(cells).toEqual([
      [null, 'run-1-1', 'new', ...times],
      ['ERROR', 'run-2-1', null, ...times],
    ]);
  });

  test('shows texts without JSON quotes, null as an empty cell, and numbers unchanged', async () => {
    const outputs = [
      { name: 'text', type: 'STRING', units: null },
      { name: 'number', type: 'DOUBLE', units: null },
      { name: 'infinite', type: 'DOUBLE', units: null },
      { name: 'none', type: 'DOUBLE', units: null },
    ] as const;
    const row = {
      ...sampleRow(1, []),
      outputs: { text: '"a \\"b\\""', number: '1.50', infinite: '"Infinity"', none: 'null' },
    };
    const { rows } = resultTable({ strategy, varied: [], outputs: [...outputs] }, stream([row]));
    expect((await Array.fromAsync(rows))[0]!.slice(3)).toEqual(['a "b"', '1.50', 'Infinity', null, null]);
  });

  test("gives each column a unique name, and keeps the names of foray's own columns", () => {
    const status = { name: 'status', type: 'DOUBLE', units: null } as const;
    const { columns } = resultTable({ strategy, varied: [status], outputs: [status] }, stream([]));
    expect(names({ columns }).slice(2, 5)).toEqual(['status', 'status (input)', 'status (output)']);
    const reason = { name: 'reason', type: 'STRING', units: null } as const;
    const { columns: more } = resultTable({ strategy, varied: [], outputs: [reason] }, stream([]));
    expect(names({ columns: more }).slice(3)).toEqual(['reason (output)', 'reason']);
    const wait = ['Wait', 'Wait (output)'].map((name) => ({ ...status, name }));
    const { columns: similar } = resultTable({ strategy, varied: [wait[0]!], outputs: wait }, stream([]));
    expect(names({ columns: similar }).slice(3, 6)).toEqual([
      'Wait',
      'Wait (output) (output)',
      'Wait (output)',
    ]);
  });
});

describe('the long table', () => {
  test('has one row per output of a run, and one row per time of a curve; values are numbers or texts', async () => {
    const rows = [sampleRow(1, ['1.2', '0.30']), failedRow(2, ['1.2', '0.31'], 'ERROR')];
    const table = longTable(campaign, stream(rows));
    expect(names(table)).toEqual([
      ...['point', 'replication', 'status', 'Contact rate', 'Recovery rate'],
      ...['output', 'units', 'time', 'value', 'text', 'reason'],
    ]);
    const cells = await Array.fromAsync(table.rows);
    const { outputs } = rows[0]!;
    const { dataX, dataY } = JSON.parse(outputs.Infected!) as { dataX: number[]; dataY: number[] };
    expect(cells.map((row) => row.slice(5))).toEqual([
      ['Fit error', null, null, outputs['Fit error'], null, null],
      ['Peak day', 'DAY', null, outputs['Peak day'], null, null],
      ...dataX.map((x, at) => ['Infected', null, String(x), String(dataY[at]), null, null]),
      ['Trajectory', null, null, null, outputs.Trajectory, null],
      ...campaign.outputs.map(({ name, units }) => [name, units, null, null, null, 'ERROR']),
    ]);
    expect(cells.at(-1)!.slice(0, 5)).toEqual(['0000000000000002', '1', 'failed', '1.2', '0.31']);
  });

  test('has no column "time" if no output is a curve', () => {
    const outputs = campaign.outputs.filter(({ type }) => type !== 'DATA_SET');
    expect(names(longTable({ ...campaign, outputs }, stream([])))).not.toContain('time');
  });

  test.each([
    ['{"dataX":[],"dataY":[]}', [[null, null, null]]],
    [
      '{"dataX":[0,1,2],"dataY":[null,"Infinity",1e-7]}',
      [
        ['0', null, null],
        ['1', 'Infinity', null],
        ['2', '1e-7', null],
      ],
    ],
    ['{"dataX":[0,1],"dataY":[1]}', [[null, null, '{"dataX":[0,1],"dataY":[1]}']]],
    ['"none"', [[null, null, '"none"']]],
  ])(
    'has one row per point of the curve %s, and keeps a text that is not a curve',
    async (given, expected) => {
      const of = {
        strategy,
        varied: [],
        outputs: [{ name: 'Infected', type: 'DATA_SET', units: null } as const],
      };
      const row = { ...sampleRow(1, []), outputs: { Infected: given } };
      const cells = await Array.fromAsync(longTable(of, stream([row])).rows);
      expect(cells.map((line) => line.slice(5, 8))).toEqual(expected);
    },
  );

  test('gives a long curve in small batches', async () => {
    const of = {
      strategy,
      varied: [],
      outputs: [{ name: 'Infected', type: 'DATA_SET', units: null } as const],
    };
    const dataX = Array.from({ length: 20_000 }, (_, at) => at);
    const row = { ...sampleRow(1, []), outputs: { Infected: JSON.stringify({ dataX, dataY: dataX }) } };
    const sizes: number[] = [];
    for await (const batch of longTable(of, stream([row])).rows.batches) sizes.push(batch.length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(20_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  });

  test('has the same values as the wide table', async () => {
    const anyText = fc.option(
      fc.oneof(
        fc.double().map(String),
        fc.string().map((text) => JSON.stringify(text)),
      ),
      {
        nil: undefined,
      },
    );
    const outputs = (['DOUBLE', 'STRING', 'DATA_SET', 'BOOLEAN', 'LONG'] as const).map((type) => ({
      name: type,
      type,
      units: null,
    }));
    const anyRow = fc.array(anyText, { minLength: 5, maxLength: 5 }).map((texts) => ({
      ...sampleRow(1, ['1', '2']),
      outputs: Object.fromEntries(
        texts.flatMap((text, at) => (text === undefined ? [] : [[outputs[at]!.name, text]])),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow), async (rows) => {
        const of = { strategy, varied: campaign.varied, outputs };
        const wide = await Array.fromAsync(resultTable(of, stream(rows), { all: true }).rows);
        const long = await Array.fromAsync(longTable(of, stream(rows), { all: true }).rows);
        expect(long).toHaveLength(wide.length * 5);
        const wider = wide.map((row, at) => {
          const its = long.slice(5 * at, 5 * at + 5);
          return [
            ...its[0]!.slice(0, 5),
            ...its.map(([, , , , , , , , value, text]) => value ?? text),
            ...its[0]!.slice(10),
          ];
        });
        expect(wider).toEqual(wide);
      }),
    );
  });
});

describe('the table of points', () => {
  const outputs = [
    { name: 'Wait', type: 'DOUBLE', units: 'SECOND' },
    { name: 'Name', type: 'STRING', units: null },
  ] as const;
  const { base, varied } = campaign;
  const of = { strategy, base: [...base, SEED], varied, outputs: [...outputs], precision: null };
  const rows = [
    ...[4, 1, 16, 2, 8].map((wait, at) => ({
      ...sampleRow(1, ['1', '2'], at + 1),
      outputs: { Wait: String(wait), Name: '"x"' },
    })),
    failedRow(1, ['1', '2'], 'ERROR'),
    failedRow(2, ['1', '3'], 'ERROR'),
  ];
  const statistics = ['n', 'mean', 'sd', 'low', 'high', 'min', 'q05', 'q25', 'median', 'q75', 'q95', 'max'];

  test('has n, mean, sd, the interval of the mean, min, quantiles and max of each numeric output', async () => {
    const table = pointTable(of, stream(rows));
    expect(names(table)).toEqual([
      ...['point', 'Contact rate', 'Recovery rate', 'replications', 'failed'],
      ...statistics.map((name) => `Wait ${name}`),
    ]);
    const [first, second] = await Array.fromAsync(table.rows);
    expect(first!.slice(0, 6)).toEqual(['0000000000000001', '1', '2', '5', '1', '5']);
    // the 0.975 quantile of Student's t with 4 degrees of freedom is 2.7764451052
    const half = (2.7764451052 * Math.sqrt(37.2)) / Math.sqrt(5);
    const moments = [6.2, Math.sqrt(37.2), 6.2 - half, 6.2 + half];
    const expected = [...moments, 1, 1.2, 2, 4, 8, 14.4, 16];
    for (const [at, value] of expected.entries()) expect(Number(first![6 + at])).toBeCloseTo(value, 6);
    expect(second!.slice(3)).toEqual(['0', '1', '0', ...Array.from({ length: 11 }, () => null)]);
  });

  test('has no interval of a share if the model has no chance', async () => {
    const one = { ...of, outputs: [{ name: 'Late', type: 'BOOLEAN', units: null } as const] };
    const late = [{ ...sampleRow(1, ['1', '2'], 1), outputs: { Late: 'true' } }];
    const shareOf = async (campaign: typeof one) =>
      (await Array.fromAsync(pointTable(campaign, stream(late)).rows))[0]!.slice(-4);
    expect(await shareOf({ ...one, base })).toEqual(['1', '1', null, null]);
    expect(await shareOf(one)).toEqual(['1', '1', expect.any(String), '1']);
  });

  test('has one row per point and numeric output in its long form', async () => {
    const precision = { min: 2, max: 9, outputs: ['Wait'], relative: 9, absolute: null, confidence: 0.95 };
    const more = [...outputs, { name: 'Other', type: 'LONG', units: null } as const];
    const table = longPointTable({ ...of, outputs: more, precision }, stream(rows));
    expect(names(table).slice(3)).toEqual([
      'replications',
      'failed',
      'output',
      'units',
      ...statistics,
      'reached',
    ]);
    const cells = await Array.fromAsync(table.rows);
    const wide = await Array.fromAsync(pointTable({ ...of, precision }, stream(rows)).rows);
    expect(cells.map((row) => row[5])).toEqual(['Wait', 'Other', 'Wait', 'Other']);
    expect(cells[0]!.slice(6)).toEqual(['SECOND', ...wide[0]!.slice(5)]);
    expect(cells[0]!.at(-1)).toBe('true');
    expect(cells[1]!.slice(6)).toEqual([null, '0', ...Array.from({ length: 12 }, () => null)]);
  });
});
