import { describe, expect, test } from '@jest/globals';
import fc, { anyCharacter } from '../../support/fast-check.ts';
import { Batched } from '../../../src/batched.ts';
import { csv } from '../../../src/report/formats/csv.ts';
import { formatResults } from '../../../src/report/formats/format.ts';
import { jsonl } from '../../../src/report/formats/jsonl.ts';
import type { Cell, Column } from '../../../src/report/tables/result-table.ts';
import { failedRow, sampleRecord, sampleRow, stream, textOf } from '../support.ts';

const { campaign } = sampleRecord();
const rows = [
  sampleRow(0, ['1.2', '0.3']),
  failedRow(1, ['1.2', '0.31'], 'no'),
  sampleRow(2, ['1.225', '0.3']),
];

/** Reads CSV by the grammar of RFC 4180. An empty field without quotes is null. */
function readCsv(text: string): Cell[][] {
  const fields = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n)/gy)];
  expect(fields.map(([whole]) => whole).join('')).toBe(text);
  const lines: Cell[][] = [[]];
  for (const [, quoted, bare, end] of fields) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? (bare || null));
    if (end === '\n') lines.push([]);
  }
  return lines.slice(0, -1);
}

describe('CSV', () => {
  test('a reader gets every text back unchanged', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', ',', '\n', '\r', ' ', ';'),
        fc.string({ unit: anyCharacter, maxLength: 1 }),
      ),
    });
    const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
      fc.record({
        names: fc.array(fc.string({ minLength: 1 }), { minLength: width, maxLength: width }),
        cells: fc.array(fc.array(fc.option(text), { minLength: width, maxLength: width })),
      }),
    );
    await fc.assert(
      fc.asyncProperty(tables, async ({ names, cells }) => {
        const columns = names.map((name): Column => ({ name, kind: 'text' }));
        const written = await textOf(csv({ columns, rows: stream(cells) }));
        expect(readCsv(written)).toEqual([names, ...cells]);
      }),
    );
  });

  test('a campaign has a header line and one line per run, and each line ends with LF', async () => {
    const text = await textOf(formatResults('csv', campaign, stream(rows)));
    const lines = text.split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe(
      'point,replication,status,Contact rate,Recovery rate,Fit error,Peak day,Infected,Trajectory,reason',
    );
    expect(lines[2]).toBe('0000000000000001,1,failed,1.2,0.31,,,,,no');
    expect(readCsv(text)[1]![7]).toBe(rows[0]!.outputs.Infected);
  });
});

describe('JSON Lines', () => {
  test('has numbers as numbers, curves as objects and missing values as null', async () => {
    const lines = (await textOf(formatResults('jsonl', campaign, stream(rows)))).trimEnd().split('\n');
    const [first, failed] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(3);
    expect(first).toMatchObject({ point: '0000000000000000', replication: 1, 'Contact rate': 1.2 });
    expect(first!['Fit error']).toBe(Number(rows[0]!.outputs['Fit error']));
    expect(first!.Infected).toEqual(JSON.parse(rows[0]!.outputs.Infected!));
    expect(failed).toMatchObject({ status: 'failed', 'Fit error': null, Infected: null, reason: 'no' });
  });

  test('keeps every digit, and writes each row on one line', async () => {
    const columns: Column[] = [
      { name: 'long', kind: 'number' },
      { name: 'infinite', kind: 'number' },
      { name: 'flag', kind: 'boolean' },
      { name: 'object', kind: 'json' },
      { name: 'broken', kind: 'json' },
      { name: 'a "text"', kind: 'text' },
    ];
    const cells = ['9223372036854775807', 'Infinity', 'true', '{\n"a": [1]}', '{oops', '1\n2'];
    expect(await textOf(jsonl({ columns, rows: stream([cells]) }))).toBe(
      '{"long":9223372036854775807,"infinite":"Infinity","flag":true,"object":{ "a": [1]},"broken":"{oops","a \\"text\\"":"1\\n2"}\n',
    );
  });
});

describe('the table for a terminal', () => {
  test('is aligned, rounded and abbreviated', async () => {
    const text = await textOf(formatResults('table', campaign, stream(rows.slice(0, 2))));
    expect(text).toBe(
      [
        'point             replication  status  Contact rate  Recovery rate  Fit error  Peak day  Infected   Trajectory      reason',
        '0000000000000000            1  done             1.2            0.3      100.9      7.18  15 points  trajectory.csv',
        '0000000000000001            1  failed           1.2           0.31                                                  no',
        '',
      ].join('\n'),
    );
  });

  test('leaves out rows beyond its limit and columns that do not fit, and says how many', async () => {
    const text = await textOf(formatResults('table', campaign, stream(rows), { width: 75, limit: 1 }));
    expect(text).toBe(
      [
        'point             replication  status  Contact rate  Fit error  reason',
        '0000000000000000            1  done             1.2      100.9',
        '… and 2 more rows, 4 more columns; --format csv has all',
        '',
      ].join('\n'),
    );
  });

  test('cuts a long reason and a table that is much too wide', async () => {
    const failed = failedRow(0, ['1', '2'], 'The process has ended. '.repeat(9));
    const wide = await textOf(formatResults('table', campaign, stream([failed]), { width: 140 }));
    expect(wide).toMatch(/^point .* Trajectory +reason\n.* The process has ended.*…\n$/);
    const narrow = await textOf(formatResults('table', campaign, stream([failed]), { width: 40 }));
    expect(
      narrow
        .split('\n')
        .slice(0, 2)
        .map((line) => line.length),
    ).toEqual([40, 40]);
  });

  test.each([
    [{}, 'point Contact rate Recovery rate failed Fit error mean Peak day mean'],
    [{ show: ['Peak day'] }, 'point Contact rate Recovery rate replications failed Peak day n Peak day mean'],
    [{ long: true }, 'point Contact rate replications failed output units n mean sd low'],
  ])('in a narrow terminal, points have the mean of each output before its details', async (shape, shown) => {
    const points = formatResults('table', campaign, stream(rows), { points: true, ...shape, width: 95 });
    const [head] = (await textOf(points)).split('\n');
    expect(head!.replaceAll(/ +/g, ' ')).toBe(shown);
  });

  test('shows each row as soon as it arrives, and widens a column for a longer value', async () => {
    const seen: string[] = [];
    async function* slowly() {
      for (const row of [sampleRow(0, ['1.2', '0.3']), sampleRow(1, ['1.2', '0.3456789'])]) {
        yield await Promise.resolve(row);
        seen.push('asked for more');
      }
    }
    for await (const line of formatResults('table', campaign, Batched.single(slowly()), {
      flows: true,
      limit: 1,
    }))
      seen.push(line);
    expect(seen.map((line) => line.slice(0, 5))).toEqual(['point', '00000', 'asked', '00000', 'asked']);
    expect(seen[0]!.indexOf('status')).toBe(seen[1]!.indexOf('done'));
    expect(seen[3]).toContain('0.3457 ');
  });

  test('control characters do not reach the terminal', async () => {
    const row = failedRow(0, ['\u001b[2J', '1'], '\u001b]0;x\u0007\r\n');
    const text = await textOf(formatResults('table', campaign, stream([row]), { all: true }));
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text.split('\n')).toHaveLength(3);
  });
});

test.each(['csv', 'jsonl', 'table'] as const)('%s without rows has at most a header line', async (format) => {
  const text = await textOf(formatResults(format, campaign, stream([])));
  expect(text.split('\n').length - 1).toBe(format === 'jsonl' ? 0 : 1);
});
