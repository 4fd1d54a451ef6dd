import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import type { RawValue } from '../../../src/api/index.ts';
import { expand } from '../../../src/campaign/points.ts';
import { keysOf } from '../../campaign/designs/support.ts';
import { folder, refusal, resolve, write } from '../support.ts';
import { read, expectRefused } from './point-files.ts';

describe('a JSON Lines file', () => {
  test('an input counts as repeated only if a point gives two values for this input, whatever the values contain', async () => {
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
    ['with names that differ in case', '{" DAYS":"1.0"}\n', ['Days'], [['1']]],
    [
      'with all kinds of values',
      '{"Stochastic":true,"Title":"\\u0022","Contact rate":1e-3}',
      ['Stochastic', 'Title', 'Contact rate'],
      [['true', '"', '0.001']],
    ],
    ['with a line separator that does not end a line', '{"Title":"a\u2028b"}\n', ['Title'], [['a\u2028b']]],
  ])('gives its points: %s', async (_, content, inputs, rows) => {
    for (const name of ['points.jsonl', 'points.ndjson', 'POINTS.JSONL']) {
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
      'null as a value',
      '§{"Days":null}\n',
      'POINTS_INVALID',
      'The value of "Days" is not a number, text, true or false.',
    ],
    [
      'an object as a value',
      '{"Days":1}\n§{"Days":{"value":1,"units":"DAY"}}\n',
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
      'a key that JavaScript objects inherit',
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
      'Give it once, under one of inputs, files, design, search, calibrate and fresh.',
    ],
    [
      'a fraction',
      '{"Days":1}\n§{"Days":8.5}\n',
      'INVALID_VALUE',
      'The value of "Days" is 8.5, which is not a whole number.',
      'The input takes INTEGER, in DAY.',
    ],
  ])('is refused because of %s', async (_, marked, code, message, ...[hint]) => {
    await expectRefused('points.jsonl', marked, code, message, hint);
  });

  test('may have a point several times, which then counts as often', async () => {
    write('points.jsonl', '{"Days":1}\n{"Days":2}\n{"Days":"1"}\n');
    const { campaign, contents, points } = await resolve('design: {points: points.jsonl}');
    expect([points, campaign.repeats]).toEqual([2, 1]);
    expect([...expand(campaign, contents)]).toMatchObject([{ values: ['1'], draws: 2 }, { values: ['2'] }]);
  });

  test('is refused when it has only empty lines', async () => {
    write('points.jsonl', '\n\n');
    expect(await refusal('design: {points: points.jsonl}')).toMatchObject({ code: 'EMPTY_DESIGN' });
  });
});

describe('a point file', () => {
  test.each([
    ['nowhere.csv', 'The file "nowhere.csv" is not there.'],
    ['nowhere.jsonl', 'The file "nowhere.jsonl" is not there.'],
    ['folder.csv', 'The file "folder.csv" is a folder.'],
    ['folder.jsonl', 'The file "folder.jsonl" is a folder.'],
    ['points.csv/points.csv', 'The file "points.csv/points.csv" is not there.'],
  ])('is refused at the place of its name if foray cannot read the file: %s', async (path, message) => {
    write('points.csv', 'Days\n1\n');
    for (const name of ['folder.csv', 'folder.jsonl']) mkdirSync(join(folder, name), { recursive: true });
    expect(await refusal(`design:\n  points: ${path}\n`)).toEqual({
      code: 'DEFINITION_UNREADABLE',
      message,
      hint: "Paths are relative to the definition's folder.",
      place: {
        file: 'campaign.yaml',
        line: 4,
        column: 11,
        text: `  points: ${path}`,
        setting: ['design', 'points'],
      },
    });
  });

  test('may have an absolute path, or a path in folders', async () => {
    mkdirSync(join(folder, 'within'), { recursive: true });
    write('within/points.csv', 'Days\n1\n2\n');
    expect((await resolve('design: {points: within/points.csv}')).points).toBe(2);
    expect((await resolve(`design: {points: ${join(folder, 'within/points.csv')}}`)).points).toBe(2);
  });

  test('gives the same points as CSV and as JSON Lines, and a list in a definition gives the same keys', async () => {
    const values: Record<string, fc.Arbitrary<RawValue>> = {
      Days: fc.integer({ min: -1000, max: 1000 }),
      'Contact rate': fc.double({ noNaN: true, noDefaultInfinity: true }),
      Stochastic: fc.boolean(),
      // no blanks, because the CSV parser removes blanks around a value; no carriage returns, because line parsers
      // change them
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
