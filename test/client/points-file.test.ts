import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { RawValue } from '../../src/api/index.ts';
import { expand } from '../../src/campaign/points.ts';
import { readRows } from '../../src/campaign/designs/table.ts';
import { keysOf } from '../campaign/designs/support.ts';
import { folder, refusal, resolve, write } from '../resolve/support.ts';
import { cleanEnv } from '../support/cli.ts';

interface Read {
  inputs: string[];
  rows: string[][];
  keys: string[];
}

/** Writes and reads a point file. */
async function read(name: string, content: string): Promise<Read> {
  write(name, content);
  const { campaign, contents, pointFiles, points } = await resolve(`design: {points: ${name}}`);
  const { inputs, hash, count } = pointFiles[name]!;
  const rows = [...readRows(contents.get(hash)!)];
  expect([count, points]).toEqual([rows.length, rows.length]);
  return { inputs, rows, keys: [...expand(campaign, contents)].map(({ key }) => key) };
}

/** Expects an error at the § in the file; the § is not part of the file. */
async function expectRefused(name: string, marked: string, code: string, message: string, hint?: string) {
  const [before, after] = marked.split('§');
  write(name, before! + after!);
  const lines = before!.split(/\r\n|\n/);
  const text = (before! + after!).split(/\r\n|\n/)[lines.length - 1]!.replace('\ufeff', '');
  const place = {
    file: name,
    line: lines.length,
    column: lines.at(-1)!.replace('\ufeff', '').length + 1,
    text,
  };
  expect(await refusal(`design: {points: ${name}}`)).toEqual({ code, message, hint, place });
}

describe('CSV', () => {
  test.each<[string, string, string[], string[][]]>([
    [
      'plain',
      'Days,Title\n1,a\n2,b\n',
      ['Days', 'Title'],
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    ['without an end of the last line', 'Days\n1\n2', ['Days'], [['1'], ['2']]],
    [
      'with CRLF',
      'Days,Title\r\n1,a\r\n2,b\r\n',
      ['Days', 'Title'],
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    ['with CR', 'Days\r1\r2\r', ['Days'], [['1'], ['2']]],
    ['with a byte order mark', '\ufeffDays\n1\n', ['Days'], [['1']]],
    [
      'with names in other case and blanks',
      ' DAYS , "contact RATE" \n1,2\n',
      ['Days', 'Contact rate'],
      [['1', '2']],
    ],
    ['with blanks around values', 'Days,Title\n 1 , "a" \n', ['Days', 'Title'], [['1', 'a']]],
    ['with empty lines', '\n\nDays\n\n1\n  \n2\n\n', ['Days'], [['1'], ['2']]],
    [
      'with quotes',
      'Days,Title\n"1","a, b"\n2,"say ""no"""\n',
      ['Days', 'Title'],
      [
        ['1', 'a, b'],
        ['2', 'say "no"'],
      ],
    ],
    [
      'with lines in a value',
      'Title,Days\n"a\nb",1\n"c\r\nd",2\n',
      ['Title', 'Days'],
      [
        ['a\nb', '1'],
        ['c\r\nd', '2'],
      ],
    ],
    [
      'with an empty text',
      'Days,Title\n1,\n2,""\n',
      ['Days', 'Title'],
      [
        ['1', ''],
        ['2', ''],
      ],
    ],
    [
      'with values spelled otherwise',
      'Days,Stochastic\n1.0,TRUE\n+2,False\n',
      ['Days', 'Stochastic'],
      [
        ['1', 'true'],
        ['2', 'false'],
      ],
    ],
    [
      'with large numbers and dates',
      'Budget,Begin\n9223372036854775807,1978-01-22T08:00\n',
      ['Budget', 'Begin'],
      [['9223372036854775807', '1978-01-22T08:00:00']],
    ],
    ['of separators that end no line', 'Title,Days\na\u2028b,1\n', ['Title', 'Days'], [['a\u2028b', '1']]],
  ])('%s', async (_, content, inputs, rows) => {
    const found = await read('points.csv', content);
    expect([found.inputs, found.rows]).toEqual([inputs, rows]);
  });

  const known = 'The input takes INTEGER, in DAY.';
  const quote = 'Put a value that contains a quote in quotes, and write the quote twice.';
  const comma = 'Put a value that contains a comma in quotes.';
  const once = 'Give it once, under one of inputs, files, design and fresh.';
  test.each<[string, string, string, string, string?]>([
    [
      'an unknown column',
      'Title,§Dayz\na,1\n',
      'UNKNOWN_INPUT',
      'The model "Epidemic" has no input "Dayz".',
      'Did you mean "Days"?',
    ],
    [
      'an unknown column after a mark',
      '\ufeff§Dayz\n1\n',
      'UNKNOWN_INPUT',
      'The model "Epidemic" has no input "Dayz".',
      'Did you mean "Days"?',
    ],
    [
      'a column twice',
      'Days,Title,§days\n1,a,1\n',
      'INVALID_VALUE',
      'The input "Days" is given more than once.',
      once,
    ],
    [
      'a column for a file',
      'Days,§Observed cases\n1,a\n',
      'INVALID_VALUE',
      'The input "Observed cases" takes a file.',
      'Write it under "files": {"Observed cases": PATH}.',
    ],
    [
      'a fraction',
      'Title,Days\n"a, b",1\n"a, ""b""",§8.5\nc,2\n',
      'INVALID_VALUE',
      'The value of "Days" is "8.5", which is not a whole number.',
      known,
    ],
    [
      'a fraction, with CRLF',
      'Title,Days\r\n\r\na,§8.5\r\n',
      'INVALID_VALUE',
      'The value of "Days" is "8.5", which is not a whole number.',
      known,
    ],
    [
      'a fraction after a value of two lines',
      'Title,Days\n"a\nb",1\na,§8.5',
      'INVALID_VALUE',
      'The value of "Days" is "8.5", which is not a whole number.',
      known,
    ],
    [
      'a switch',
      'Stochastic\ntrue\n§1\n',
      'INVALID_VALUE',
      'The value of "Stochastic" is "1", which is not true or false.',
      'The input takes BOOLEAN.',
    ],
    [
      'nothing for a number',
      'Title,Days\na,§\n',
      'INVALID_VALUE',
      'The value of "Days" is "", which is not a number.',
      known,
    ],
    ['too few values', 'Days,Title\n1,a\n§2\n', 'POINTS_INVALID', 'The row has 1 value instead of 2.', comma],
    [
      'too many values',
      'Days,Title\n1,a\n\n§2,a,b\n',
      'POINTS_INVALID',
      'The row has 3 values instead of 2.',
      comma,
    ],
    [
      'a point twice',
      'Days,Title\n1,a\n2,a\n\n§1.0,a\n',
      'INVALID_VALUE',
      'Point 3 is the same as point 1.',
      'Use replications to repeat a point.',
    ],
    [
      'a quote that is not closed',
      'Days,Title\n1,a\n§2,"b\n3,c\n',
      'POINTS_INVALID',
      'A quote is opened and never closed.',
      quote,
    ],
    [
      'a quote within a value',
      'Days,Title\n1,a\n§2,b"c"\n',
      'POINTS_INVALID',
      'A quote is in the middle of a value.',
      quote,
    ],
    [
      'more after a quote',
      'Days,Title\n1,a\n§2,"b"c\n',
      'POINTS_INVALID',
      'A quote is in the middle of a value.',
      quote,
    ],
  ])('is refused for %s', async (_, marked, code, message, ...[hint]) => {
    await expectRefused('points.csv', marked, code, message, hint);
  });

  test.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ])('with %j between its columns is refused', async (separator, called) => {
    write('points.csv', `Days${separator}Title\n1${separator}a\n`);
    expect(await refusal('design: {points: points.csv}')).toMatchObject({
      code: 'POINTS_INVALID',
      message: `The columns are separated by ${called}.`,
      place: { line: 1, column: 1 },
    });
  });

  test('is refused when it is empty', async () => {
    write('points.csv', '');
    expect(await refusal('design: {points: points.csv}')).toEqual({
      code: 'POINTS_INVALID',
      message: 'The file is empty.',
      hint: 'Its first line must have the names of inputs.',
      place: { file: 'points.csv', line: 1, column: 1 },
    });
  });

  test.each(['Days,Title\n', 'Days', '\n Days \n\n'])(
    'is refused when it has names only: %j',
    async (content) => {
      write('points.csv', content);
      expect(await refusal('design: {points: points.csv}')).toEqual({
        code: 'EMPTY_DESIGN',
        message: 'The file "points.csv" has no points.',
        hint: undefined,
        place: { file: 'campaign.yaml', line: 3, column: 18, text: 'design: {points: points.csv}' },
      });
    },
  );
});

describe('JSON Lines', () => {
  test('gives each input once, whatever its values look like', async () => {
    write('points.jsonl', '{"Days": 1, "Title": "\\"Days\\": "}\n{"Days": 2, "Title": ":,\\"a\\":"}\n');
    expect((await resolve('design: {points: points.jsonl}')).points).toBe(2);
    write('points.jsonl', '{"Days": 1}\n{"Days": 2, "Days" : 3}\n');
    expect(await refusal('design: {points: points.jsonl}')).toMatchObject({
      code: 'POINTS_INVALID',
      message: 'The point gives an input twice.',
      place: { file: 'points.jsonl', line: 2 },
    });
  });

  test.each<[string, string, string[], string[][]]>([
    [
      'plain',
      '{"Days":1,"Title":"a"}\n{"Title":"b","Days":2}\n',
      ['Days', 'Title'],
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    ['without an end of the last line', '{"Days":1}\n{"Days":2}', ['Days'], [['1'], ['2']]],
    ['with CRLF and empty lines', '\r\n{"Days":1}\r\n \r\n{"Days":2}\r\n', ['Days'], [['1'], ['2']]],
    ['with a byte order mark', '\ufeff{"Days":1}\n', ['Days'], [['1']]],
    ['with names in other case', '{" DAYS":"1.0"}\n', ['Days'], [['1']]],
    [
      'with all kinds of values',
      '{"Stochastic":true,"Title":"\\u0022","Contact rate":1e-3}',
      ['Stochastic', 'Title', 'Contact rate'],
      [['true', '"', '0.001']],
    ],
    ['of separators that end no line', '{"Title":"a\u2028b"}\n', ['Title'], [['a\u2028b']]],
  ])('%s', async (_, content, inputs, rows) => {
    for (const name of ['points.jsonl', 'points.ndjson']) {
      const found = await read(name, content);
      expect([found.inputs, found.rows]).toEqual([inputs, rows]);
    }
  });

  const same = 'All points of a file must have the same inputs.';
  test.each<[string, string, string, string, string?]>([
    ['no JSON', '{"Days":1}\n§{"Days":2\n', 'POINTS_INVALID', 'The line is not JSON.'],
    ['a list', '{"Days":1}\n\n§[2]\n', 'POINTS_INVALID', 'The line is not an object of inputs and values.'],
    ['null', '§null\n', 'POINTS_INVALID', 'The line is not an object of inputs and values.'],
    ['an empty object', '§{}\n', 'POINTS_INVALID', 'The line is not an object of inputs and values.'],
    [
      'a value that is none',
      '§{"Days":null}\n',
      'POINTS_INVALID',
      'The value of "Days" is not a number, text, true or false.',
    ],
    [
      'a missing key',
      '{"Days":1,"Title":"a"}\n§{"Days":2}\n',
      'POINTS_INVALID',
      'The point lacks "Title", which the first point has.',
      same,
    ],
    [
      'another key',
      '{"Days":1}\r\n§{"Days":2,"Title":"a"}\r\n',
      'POINTS_INVALID',
      'The point has "Title", but the first point does not.',
      same,
    ],
    [
      'a key that every object has',
      '{"Days":1}\n§{"constructor":1}\n',
      'POINTS_INVALID',
      'The point lacks "Days", which the first point has.',
      same,
    ],
    [
      'an unknown input',
      '\ufeff§{"Dayz":1}\n',
      'UNKNOWN_INPUT',
      'The model "Epidemic" has no input "Dayz".',
      'Did you mean "Days"?',
    ],
    [
      'an input twice',
      '§{"Days":1,"days":1}\n',
      'INVALID_VALUE',
      'The input "Days" is given more than once.',
      'Give it once, under one of inputs, files, design and fresh.',
    ],
    [
      'a fraction',
      '{"Days":1}\n§{"Days":8.5}\n',
      'INVALID_VALUE',
      'The value of "Days" is 8.5, which is not a whole number.',
      'The input takes INTEGER, in DAY.',
    ],
    [
      'a point twice',
      '{"Days":1}\n{"Days":2}\n§{"Days":"1"}\n',
      'INVALID_VALUE',
      'Point 3 is the same as point 1.',
      'Use replications to repeat a point.',
    ],
  ])('is refused for %s', async (_, marked, code, message, ...[hint]) => {
    await expectRefused('points.jsonl', marked, code, message, hint);
  });

  test('is refused when it is empty', async () => {
    write('points.jsonl', '\n\n');
    expect(await refusal('design: {points: points.jsonl}')).toMatchObject({ code: 'EMPTY_DESIGN' });
  });
});

describe('a file', () => {
  test.each([
    ['nowhere.csv', 'The file "nowhere.csv" is not there.'],
    ['nowhere.jsonl', 'The file "nowhere.jsonl" is not there.'],
    ['folder.csv', 'The file "folder.csv" is a folder.'],
    ['folder.jsonl', 'The file "folder.jsonl" is a folder.'],
    ['points.csv/points.csv', 'The file "points.csv/points.csv" is not there.'],
  ])('that cannot be read is refused where it is named: %s', async (path, message) => {
    write('points.csv', 'Days\n1\n');
    for (const name of ['folder.csv', 'folder.jsonl']) mkdirSync(join(folder, name), { recursive: true });
    expect(await refusal(`design:\n  points: ${path}\n`)).toEqual({
      code: 'DEFINITION_UNREADABLE',
      message,
      hint: "Paths are relative to the definition's folder.",
      place: { file: 'campaign.yaml', line: 4, column: 11, text: `  points: ${path}` },
    });
  });

  test('may be named from the root, or within folders', async () => {
    mkdirSync(join(folder, 'within'), { recursive: true });
    write('within/points.csv', 'Days\n1\n2\n');
    expect((await resolve('design: {points: within/points.csv}')).points).toBe(2);
    expect((await resolve(`design: {points: ${join(folder, 'within/points.csv')}}`)).points).toBe(2);
  });

  test('keeps the same, however it is written', async () => {
    const values: Record<string, fc.Arbitrary<RawValue>> = {
      Days: fc.integer({ min: -1000, max: 1000 }),
      'Contact rate': fc.double({ noNaN: true, noDefaultInfinity: true }),
      Stochastic: fc.boolean(),
      // the CSV parser removes blanks around a value, and parsers of lines change a lone carriage return
      Title: fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', "'", '\\', 'é', '😀', '\u2028') }),
      Budget: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    };
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const table = fc.shuffledSubarray(Object.keys(values), { minLength: 1 }).chain((names) =>
      fc.uniqueArray(fc.record(Object.fromEntries(names.map((name) => [name, values[name]!]))), {
        minLength: 1,
        maxLength: 8,
        selector: (point) => JSON.stringify(names.map((name) => String(Number(point[name]) || point[name]))),
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), fc.boolean(), async (points, end, isEnded) => {
        const names = Object.keys(points[0]!);
        const lines = [names, ...points.map((point) => names.map((name) => String(point[name])))];
        const csv = lines.map((line) => line.map(quoted).join(',')).join(end);
        const jsonl = points.map((point) => JSON.stringify(point)).join(end);
        const fromCsv = await read('points.csv', csv + (isEnded ? end : ''));
        expect(await read('points.jsonl', jsonl + (isEnded ? end : ''))).toEqual(fromCsv);
        expect(keysOf({ points })).toEqual(fromCsv.keys);
      }),
    );
  });
});

test('a million points are read without all of them in memory as objects', async () => {
  const million = 1_000_000;
  // long enough that the points would not fit into memory; without these texts, the process takes less than 200 MB
  const title = (at: number): string => `${at}`.padEnd(150, ' of many');
  let content = 'Days,Title\n';
  for (let at = 0; at < million; at += 1) content += `${at},${title(at)}\n`;
  writeFileSync(join(folder, 'million.csv'), content);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=256', join(import.meta.dirname, 'million.ts'), folder, 'million.csv'],
    { env: cleanEnv() },
  );
  expect(JSON.parse(stdout)).toEqual({
    inputs: ['Days', 'Title'],
    count: million,
    points: million,
    // `expand` would keep repeated points: the keys show that no two points are equal
    distinct: million,
    some: [0, 123_456, 999_999].map((at) => [String(at), title(at).trim()]),
  });
});
