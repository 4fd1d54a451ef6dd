import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { Texts } from '../../../src/report/formats/parquet/texts.ts';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Column } from '../../../src/report/tables/column-types.ts';
import { tableOf } from '../../../src/report/formats/format.ts';
import { objectsOf } from '../../../src/report/formats/objects.ts';
import { type Description, parquet, type ParquetOptions } from '../../../src/report/formats/parquet.ts';
import type { Cell, Table } from '../../../src/report/tables/result-table.ts';
import { batches as batchesOfSize } from '../../../src/batched.ts';
import { Batched } from '../../../src/batched.ts';
import { doubleIn } from '../../../src/report/formats/typed.ts';
import { failedRow, sampleRecord, sampleRow, sampleRows, stream } from '../support.ts';

const record = { ...sampleRecord(), definition: 'campaign: flu\n# “β”\n' };
const description: Description = { record, version: '1.2.3' };

async function fileOf(table: Table, options?: ParquetOptions, of = description): Promise<ArrayBuffer> {
  const pieces = await Array.fromAsync(parquet(table, of, options));
  return new Blob(pieces).arrayBuffer();
}

const read = async (file: ArrayBuffer): Promise<Record<string, unknown>[]> => parquetReadObjects({ file });

/** One column of each type. */
const columns: Column[] = [
  { name: 'double', kind: 'number', type: 'DOUBLE', units: 'DAY', of: 'output' },
  { name: 'integer', kind: 'number', type: 'INTEGER' },
  { name: 'long', kind: 'number', type: 'LONG' },
  { name: 'boolean', kind: 'boolean', type: 'BOOLEAN' },
  { name: 'local', kind: 'text', type: 'DATE_TIME' },
  { name: 'instant', kind: 'text', type: 'INSTANT' },
  { name: 'text', kind: 'text', type: 'STRING' },
  { name: 'json', kind: 'json', type: 'DATA_SET' },
];

const anyDate = fc.date({ min: new Date('1700-01-01'), max: new Date('2300-01-01'), noInvalidDate: true });
const anyRow = fc.tuple(
  fc.option(fc.double()),
  fc.option(fc.integer()),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.boolean()),
  fc.option(anyDate),
  fc.option(anyDate),
  fc.option(fc.string({ unit: 'grapheme' })),
  fc.option(fc.jsonValue()),
);

describe('Parquet', () => {
  test('a reader gets every value of every type back unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow), async (rows) => {
        const cells = rows.map((row) =>
          row.map((value, at): Cell => {
            if (at === 7) return JSON.stringify(value);
            if (value instanceof Date)
              return at === 4 ? value.toISOString().slice(0, -1) : value.toISOString();
            return typeof value === 'object' ? null : String(value);
          }),
        );
        const found = await read(await fileOf({ columns, rows: stream(cells) }));
        const expected = rows.map(([double, ...others]) => [
          double === 0 ? 0 : double,
          ...others.slice(0, -1),
          JSON.parse(JSON.stringify(others.at(-1))) as unknown,
        ]);
        // the text of -0 is '0', so -0 becomes 0
        expect(
          found
            .map((row) => Object.values(row))
            .map(([double, ...others]) => [double === 0 ? 0 : double, ...others]),
        ).toEqual(expected);
      }),
    );
  });

  test('has null for the outputs of a failed run, and the same values as the rows as objects', async () => {
    const rows = [sampleRow(0, ['1.2', '0.3']), failedRow(1, ['1.2', '0.31'], 'no')];
    const table = () => tableOf(record.campaign, stream(rows));
    const found = await read(await fileOf(table()));
    expect(found).toEqual(await Array.fromAsync(objectsOf(table())));
    expect(found).toMatchObject([
      {
        replication: 1,
        'Contact rate': 1.2,
        Infected: { dataX: expect.any(Array) as unknown },
        reason: null,
      },
      { status: 'failed', 'Recovery rate': 0.31, 'Fit error': null, Infected: null, reason: 'no' },
    ]);
  });

  test('has its columns even if there are no rows', async () => {
    const file = await fileOf(tableOf(record.campaign, stream([])));
    const { schema, num_rows } = parquetMetadata(file);
    expect(schema.slice(1).map(({ name }) => name)).toEqual(
      tableOf(record.campaign, stream([])).columns.map(({ name }) => name),
    );
    expect(num_rows).toBe(0n);
  });

  test('has the definition and the columns in its metadata, and the id of the campaign only with `all`', async () => {
    const told = async (all: boolean) => {
      const table = tableOf(record.campaign, sampleRows(record), { all });
      const file = await fileOf(table, {}, { ...description, all });
      const { key_value_metadata = [], created_by } = parquetMetadata(file);
      expect(created_by).toBe('foray version 1.2.3');
      return Object.fromEntries(key_value_metadata.map(({ key, value }) => [key, value!])) as Record<
        string,
        string
      >;
    };
    const metadata = await told(false);
    expect(metadata['foray.definition']).toBe(record.definition);
    expect(JSON.parse(metadata['foray.model']!)).toEqual({ name: 'Epidemic', version: 1 });
    expect(JSON.parse(metadata['foray.columns']!)).toEqual(
      expect.arrayContaining([
        { name: 'point', type: null, units: null, of: null },
        { name: 'Contact rate', type: 'DOUBLE', units: 'PER_DAY', of: 'input' },
        { name: 'Peak day', type: 'DOUBLE', units: 'DAY', of: 'output' },
      ]),
    );
    expect(JSON.parse(metadata.PANDAS_ATTRS!)).toEqual({
      units: { 'Contact rate': 'PER_DAY', 'Recovery rate': 'PER_DAY', 'Peak day': 'DAY' },
    });
    expect(Object.values(metadata).join()).not.toContain(record.campaign.id);
    expect((await told(true))['foray.campaign']).toBe(record.campaign.id);
  });

  test('is written one row group at a time', async () => {
    async function* many(): AsyncIterable<Cell[]> {
      for (let row = 0; row < 50_000; row++) yield await Promise.resolve([String(row), 'x']);
    }
    const two: Column[] = [
      { name: 'row', kind: 'number', type: 'INTEGER' },
      { name: 'text', kind: 'text' },
    ];
    const pieces = await Array.fromAsync(
      parquet({ columns: two, rows: Batched.single(many()) }, description),
    );
    expect(pieces).toHaveLength(3);
    const file = await new Blob(pieces).arrayBuffer();
    expect(parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([
      20_000, 20_000, 10_000,
    ]);
    const found = await parquetReadObjects({ file, columns: ['row'], rowStart: 39_999, rowEnd: 40_001 });
    expect(found).toEqual([{ row: 39_999 }, { row: 40_000 }]);
  });

  test('is the same for small and large batches', async () => {
    const rows = Array.from({ length: 45_000 }, (_, row): Cell[] => [
      String(row),
      row % 9 === 0 ? null : 'x',
    ]);
    const two: Column[] = [
      { name: 'row', kind: 'number', type: 'LONG' },
      { name: 'text', kind: 'text' },
    ];
    const single = Buffer.from(await fileOf({ columns: two, rows: stream(rows) }));
    for (const size of [7_000, 45_000]) {
      const batches = stream([...batchesOfSize(rows, size)]);
      const file = Buffer.from(await fileOf({ columns: two, rows: new Batched(batches) }));
      expect(file.equals(single)).toBe(true);
    }
  });

  test('has the bounds and the number of nulls of each column, and stores repeated texts once', async () => {
    const rows = Array.from({ length: 3_000 }, (_, row): Cell[] => [
      row % 5 === 0 ? null : String(row / 4),
      row % 3 === 0 ? null : ['b', 'ß', '\u{1F600}', '\uFFFD'][row % 4]!,
      `run ${row}`,
      null,
      row === 7 ? 'true' : 'false',
      row === 0 ? 'NaN' : '0',
    ]);
    const of: Column[] = [
      { name: 'number', kind: 'number' },
      { name: 'repeats', kind: 'text' },
      { name: 'unique', kind: 'text' },
      { name: 'nothing', kind: 'text' },
      { name: 'flag', kind: 'boolean' },
      { name: 'zero', kind: 'number' },
    ];
    const file = await fileOf({ columns: of, rows: stream(rows) });
    expect((await read(file)).map((row) => Object.values(row))).toEqual(
      rows.map(([number, repeats, unique, , flag, zero]) => [
        ...[number === null ? null : Number(number), repeats, unique, null],
        ...[flag === 'true', Number(zero)],
      ]),
    );
    const chunks = parquetMetadata(file).row_groups[0]!.columns.map(({ meta_data }) => meta_data!);
    const stated = chunks.map(({ statistics: { min_value, max_value, null_count } = {} }) => [
      ...[min_value, max_value, Number(null_count)],
    ]);
    expect(stated).toEqual([
      [0.25, 2999 / 4, 600],
      // the bounds of texts are ordered by their bytes in UTF-8
      ['b', '\u{1F600}', 1_000],
      ['run 0', 'run 999', 0],
      [undefined, undefined, 3_000],
      [false, true, 0],
      [-0, 0, 0],
    ]);
    expect(chunks.map(({ encodings }) => encodings.at(-1))).toEqual([
      'PLAIN',
      'RLE_DICTIONARY',
      ...Array<string>(4).fill('PLAIN'),
    ]);
  });

  test('has small groups if texts are large', async () => {
    const text = 'x'.repeat(1_000_000);
    const rows = Array.from({ length: 40 }, (): Cell[] => [text]);
    const file = await fileOf({ columns: [{ name: 'text', kind: 'text' }], rows: stream(rows) });
    expect(parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([16, 16, 8]);
  });

  test('keeps no very long text as a bound, because bounds stay in memory until the end of the file', () => {
    const boundsOf = (...texts: string[]) => {
      const values = new Texts(texts.length);
      values.add(
        texts.map((text) => [text]),
        0,
        0,
        texts.length,
      );
      return values.encoded().bounds;
    };
    const bytes = (text: string) => new TextEncoder().encode(text);
    expect(boundsOf('b'.repeat(1_000), 'a')).toEqual({
      min_value: bytes('a'),
      max_value: bytes('b'.repeat(1_000)),
    });
    expect(boundsOf('b'.repeat(1_001), 'a')).toEqual({});
    expect(boundsOf('b', 'a'.repeat(1_001))).toEqual({});
  });

  test('has null for values of a wrong type, reports their number, and keeps broken JSON as a text', async () => {
    const told: unknown[] = [];
    const rows = [
      ['many', '1.5', '9223372036854775808', 'yes', '2026-13-01T00:00', 'now', 'x', '{oops'],
      ['', '2147483648', '1e3', 'true', '2026-01-31', '2026-01-31T00:00:00Z', '', '1'],
      ['-Infinity', '1.0', '-9223372036854775808', 'false', '2026-01-31T08:30', null, null, null],
    ];
    const onMismatches = ({ name }: Column, count: number) => told.push([name, count]);
    const found = await read(await fileOf({ columns, rows: stream(rows) }, { onMismatches }));
    expect(found.map((row) => Object.values(row))).toEqual([
      [null, null, null, null, null, null, 'x', '{oops'],
      [null, null, 1_000n, true, null, new Date('2026-01-31T00:00:00Z'), '', 1],
      [-Infinity, 1, -(2n ** 63n), false, new Date('2026-01-31T08:30:00Z'), null, null, null],
    ]);
    expect(told).toEqual([
      ...[
        ['double', 2],
        ['integer', 2],
        ['long', 1],
        ['boolean', 1],
        ['local', 2],
        ['instant', 1],
      ],
    ]);
  });
});

test('an accepted number has decimal digits, with or without an exponent, or is not finite', () => {
  const pieces = [
    ...'0123456789'.repeat(2),
    ...'..--++eEeE xXoObBaF_\n\t',
    'Infinity',
    'NaN',
    '\u2003',
    '１',
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((some) => some.join(''));
  const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
  fc.assert(
    fc.property(fc.oneof(texts, fc.double().map(String), fc.string()), (text) => {
      const isOne = decimal.test(text) || /^(NaN|[+-]?Infinity)$/.test(text);
      expect(doubleIn(text)).toBe(isOne ? Number(text) : undefined);
    }),
    { numRuns: 5_000 },
  );
});

describe('rows as objects', () => {
  test("have values of the column's type, and texts for all other values", async () => {
    const rows = [
      [
        'NaN',
        '7',
        '9223372036854775807',
        'true',
        '2026-01-31T08:30:00',
        '2026-01-31T08:30:00.000Z',
        'x',
        '[1]',
      ],
      ['many', '1.5', 'x', 'yes', 'soon', null, '', '{oops'],
    ];
    expect(
      (await Array.fromAsync(objectsOf({ columns, rows: stream(rows) }))).map((row) => Object.values(row)),
    ).toEqual([
      [NaN, 7, 2n ** 63n - 1n, true, '2026-01-31T08:30:00', '2026-01-31T08:30:00.000Z', 'x', [1]],
      ['many', '1.5', 'x', 'yes', 'soon', null, '', '{oops'],
    ]);
  });
});
