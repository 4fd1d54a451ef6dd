import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { inputTypes } from '../src/api/constants.ts';
import { Batched } from '../src/batched.ts';
import { canonicalValue, nameKey } from '../src/api/values.ts';
import { causeOf } from '../src/campaign/failures.ts';
import { compileExpression } from '../src/campaign/expressions/index.ts';
import { readDefinition } from './support/definition.ts';
import { cut } from '../src/cli/watch/text.ts';
import { readPointsFile } from '../src/resolve/files/points-file.ts';
import { CloudError } from '../src/cloud/index.ts';
import { retryAfterMs } from '../src/cloud/retry-after.ts';
import { Transport } from '../src/cloud/transport.ts';
import { ForayError } from '../src/errors.ts';
import { bounded as cutAt, printable, printableLine } from '../src/text/printable.ts';
import { csv } from '../src/report/formats/csv.ts';
import { extensionOf, fileNames } from '../src/report/files/file-names.ts';
import { jsonl } from '../src/report/formats/jsonl.ts';
import { html } from '../src/report/html/markup.ts';
import { draw } from '../src/report/pictures/vega.ts';
import { text as textTable } from '../src/report/formats/text.ts';
import type { Column, Table } from '../src/report/tables/result-table.ts';
import { doubleIn, integerIn, localIn, longIn } from '../src/report/formats/typed.ts';
import { readLine } from '../src/service/executors/lines.ts';
import { didYouMean, oneLine, quoted } from '../src/text/suggest.ts';
import { checkLinear } from './support/linear.ts';
import { isSecondTier } from './support/second-tier.ts';

/** Texts that are hard for parsers and regular expressions. The tests repeat them up to millions of characters. */
const PATTERNS = {
  'question marks': '?',
  blanks: ' ',
  newlines: '\n',
  'carriage returns': '\r',
  tabs: '\t',
  'double quotes': '"',
  'single quotes': "'",
  backticks: '`',
  'escaped quotes': String.raw`\"`,
  backslashes: '\\',
  'percent signs': '%',
  digits: '1',
  'digits and points': '1.',
  'hexadecimal digits': 'deadbeef-',
  brackets: '[',
  braces: '{',
  'equals signs': '=',
  dashes: '-',
  slashes: '/',
  commas: ',',
  'names with colons': 'a: ',
  'signed addresses': 'http://a?b=c ',
  'unsigned addresses': '?a',
  'escape sequences': '\x1b[31m',
  'combining marks': '\u0301',
  'lone surrogates': '\ud800',
  'words of JSON': 'NaN"',
};
const patterns = Object.values(PATTERNS);

/** Quadratic work shows already in the shorter texts of the first tier. */
const LONG = isSecondTier ? 10_000_000 : 640_000;
const SHORT = 40_000;

async function linear(work: (text: string) => unknown, most = SHORT): Promise<void> {
  for (const pattern of patterns) await checkLinear(work, pattern, most);
}

describe('long texts', () => {
  const transport = new Transport({ url: 'http://127.0.0.1:1', key: 'a key' });
  /** Functions that read only a part of a text. They get up to ten megabytes of each pattern. */
  const bounded: Record<string, (text: string) => unknown> = {
    'a message of a service': (text) => transport.redacted(text, 500),
    'an error': (text) => new ForayError('USAGE', text, { hint: text }).toLine(),
    'a name in a message': quoted,
    'an unknown name': (text) => [didYouMean(text, ['Days', text]), didYouMean('Day', ['Days', text])],
    'a name in a row of the page': (text) => cut(text, 30),
    'an expression': (text) => compileExpression(text, new Map([['a', 'number']])),
  };
  test.each(Object.entries(bounded))('foray handles %s in linear time', async (_, work) => {
    await linear(work, LONG);
  });

  /** Functions that read the whole text. They get up to ten megabytes of all patterns together. */
  const whole: Record<string, (text: string) => unknown> = {
    'the cause of a failure': causeOf,
    'names of files': (text) => [fileNames([text]), extensionOf(text)],
    'the header Retry-After': (text) => retryAfterMs(text, 0),
    'a text that becomes one line': oneLine,
    'a text for a terminal': printable,
    'a line for a log': printableLine,
    'the key of a name': nameKey,
    'an output of a command': (text) => readLine(`{"outputs": NaN, "${text}`, () => false),
    'a text of a command': (text) =>
      readLine(`{"outputs": {"a": NaN, "b": ${JSON.stringify(text)}}}`, () => true),
    'texts of numbers and times': (text) => [doubleIn, integerIn, longIn, localIn].map((read) => read(text)),
    markup: (text) => html`<p title="${text}">${text}</p>`,
  };
  test.each(Object.entries(whole))('foray handles %s in linear time', async (_, work) => {
    await linear(work);
    await checkLinear(work, patterns.join(''), LONG);
  });

  test.each(inputTypes)('foray reads a value of type %s in linear time', async (type) => {
    await linear((text) => canonicalValue(type, text));
  });

  test.each(['number', 'text', 'json'] as const)(
    'foray writes cells of the kind %s in linear time',
    async (kind) => {
      const columns = [{ name: 'a', kind, type: 'STRING', units: null }] as unknown as Column[];
      await linear(async (cell) => {
        const rows = (): Table => ({ columns, rows: Batched.of([[cell]]) });
        for (const format of [csv, jsonl, textTable]) await Array.fromAsync(format(rows()));
      });
    },
  );

  test('foray draws the labels of a picture in linear time', async () => {
    await checkLinear(
      (text) => draw({ data: { values: [{ a: 1 }] }, mark: 'point', title: text } as never, 'p', text),
      'url(#',
      40_000,
    );
  });

  test('foray reads a definition in linear time', async () => {
    await linear((text) => readDefinition(`campaign: a\nmodel: ${text}`, 'a.yaml'), 10_000);
    const timeout = (text: string) =>
      `campaign: a\nmodel: {name: b}\ntimeouts: {run: ${JSON.stringify(text)}}`;
    await linear((text) => readDefinition(timeout(`1${text}x`), 'a.yaml'));
  });

  test('foray reads a definition with many names or many aliases in linear time', async () => {
    const of = (length: number, line: (at: number) => string) =>
      Array.from({ length: length / 10 }, (_, at) => line(at)).join('\n');
    await checkLinear(
      ({ length }) =>
        readDefinition(
          of(length, (at) => `k${at}: 1`),
          'a.yaml',
        ),
      ' ',
      400_000,
    );
    await checkLinear(
      ({ length }) =>
        readDefinition(
          of(length, (at) => `k${at}: &a${at} 1\nl${at}: *a${at}`),
          'a.yaml',
        ),
      ' ',
      40_000,
    );
  });
});

describe('long texts in point files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'foray-hostile-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const check = {
    columns: (names: readonly string[]) => [...names],
    row: (row: readonly unknown[]) => row.map(String),
  };
  const read = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return readPointsFile(join(folder, name), folder, { file: name, line: 1, column: 1 }, check);
  };

  test.each([
    ['names of columns', 'points.csv', (text: string) => text],
    ['a value', 'points.csv', (text: string) => `Days\n${text}`],
    ['a quoted value', 'points.csv', (text: string) => `Days\n"${text.replaceAll('"', '""')}"\n`],
    ['a line of JSON', 'points.jsonl', (text: string) => `${JSON.stringify({ Days: text })}\n`],
    ['broken JSON', 'points.jsonl', (text: string) => `{"Days": "${text}`],
  ])('foray reads %s in linear time', async (_, name, contentOf) => {
    await linear((text) => read(name, contentOf(text)));
  });

  test('foray reads a file with a single line of JSON in linear time', async () => {
    await checkLinear((text) => read('points.jsonl', `${JSON.stringify({ Days: text })}\n`), 'x', LONG);
  });
});

describe('a text of a service', () => {
  const key = 'a-very-secret-key';
  const transport = new Transport({ url: 'http://127.0.0.1:1', key });

  test('contains no part of the key, wherever foray cuts the text', () => {
    for (let before = 0; before <= 1_100; before += 1) {
      const said = [
        'x'.repeat(before),
        '?a='.repeat(before / 3),
        `${key} `.repeat(before / 18) + 'x'.repeat(before % 18),
      ];
      for (const start of said)
        expect(transport.redacted(start + key.repeat(3), 100)).not.toMatch(/a-v|ver|secr|-key/);
    }
  });

  test('has a maximum length, and is never cut within a surrogate pair', () => {
    expect(transport.redacted('x'.repeat(10_000), 500)).toBe(`${'x'.repeat(499)}…`);
    expect(cutAt('😀'.repeat(10), 4)).toBe('😀…');
    expect(cutAt('abcd', 4)).toBe('abcd');
    expect(new CloudError('refused', '?'.repeat(100_000)).message.length).toBeLessThanOrEqual(4_000);
    expect(quoted('"'.repeat(100_000)).length).toBeLessThan(1_000);
  });
});

describe('a printable text', () => {
  test('shows terminal sequences as visible characters, in any form', () => {
    expect(printable('\x1b[2J\x9b2J\x07\b\0\x7f')).toBe('\\u001b[2J\\u009b2J\\u0007\\u0008\\u0000\\u007f');
    expect(printable('a\u202eb\u2066c\u200fd\u061ce')).toBe('a\\u202eb\\u2066c\\u200fd\\u061ce');
    expect(printable('\ud800 \udc00 😀')).toBe('\\ud800 \\udc00 😀');
  });

  test('keeps its lines; a carriage return alone does not count as a line break', () => {
    expect(printable('a\n\tb\r\nc')).toBe('a\n\tb\r\nc');
    expect(printable('100%\rerased')).toBe('100%\\rerased');
  });

  test('keeps a log line on one line', () => {
    expect(printableLine('a\nERROR b\r\n\tc\u2028d')).toBe('a\\nERROR b\\r\\n\\tc\\u2028d');
  });

  test('keeps all other text', () => {
    const text = 'Größe ± 2 % – 人口 👩‍👩‍👧 e\u0301';
    expect(printableLine(text)).toBe(text);
  });
});
