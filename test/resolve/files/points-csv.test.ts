import { describe, expect, test } from '@jest/globals';
import { readRows } from '../../../src/campaign/designs/table.ts';
import { refusal, resolve, write } from '../support.ts';
import { read, expectRefused } from './point-files.ts';

describe('a CSV file', () => {
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
    [
      'with several kinds of line ends',
      'Title\r\nok\nlatin1\rnul\n',
      ['Title'],
      [['ok'], ['latin1'], ['nul']],
    ],
    [
      'with a longer end of the first line',
      'Days,Title\r\n1,a\n2,b\n',
      ['Days', 'Title'],
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    ['with CR', 'Days\r1\r2\r', ['Days'], [['1'], ['2']]],
    ['with a byte order mark', '\ufeffDays\n1\n', ['Days'], [['1']]],
    [
      'with names that differ in case and blanks',
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
      'with other spellings of values',
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
    [
      'with a line separator that does not end a line',
      'Title,Days\na\u2028b,1\n',
      ['Title', 'Days'],
      [['a\u2028b', '1']],
    ],
  ])('gives its points: %s', async (_, content, inputs, rows) => {
    const found = await read('points.csv', content);
    expect([found.inputs, found.rows]).toEqual([inputs, rows]);
  });

  const known = 'The input takes INTEGER, in DAY.';
  const quote = 'Put a value that contains a quote in quotes, and write the quote twice.';
  const comma = 'Put a value that contains a comma in quotes.';
  const once = 'Give it once, under one of inputs, files, design, search, calibrate and fresh.';
  test.each<[string, string, string, string, string?]>([
    [
      'the numbers of rows of pandas and R',
      '§,Days\n0,1\n1,2\n',
      'POINTS_INVALID',
      'The first column has no name.',
      'If it has the numbers of the rows, write the file without them: index=False in pandas, row.names = FALSE in R.',
    ],
    [
      'a comma at the end of the names',
      'Days,Title,§\n1,a,\n',
      'POINTS_INVALID',
      'Column 3 has no name.',
      'Give the column a name, or remove it. A comma at the end of the line begins another column.',
    ],
    [
      'an unknown column',
      'Title,§Dayz\na,1\n',
      'UNKNOWN_INPUT',
      'The model "Epidemic" has no input "Dayz".',
      'Did you mean "Days"?',
    ],
    [
      'an unknown column after a byte order mark',
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
      'a value that is neither true nor false',
      'Stochastic\ntrue\n§1\n',
      'INVALID_VALUE',
      'The value of "Stochastic" is "1", which is not true or false.',
      'The input takes BOOLEAN.',
    ],
    [
      'an empty value for a number',
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
      'names of rows, as R writes them',
      'Days,Title\n§"1",1,a\n',
      'POINTS_INVALID',
      'The row has 3 values instead of 2.',
      `${comma} If R has written the file, write it with row.names = FALSE.`,
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
      'a text after the closing quote',
      'Days,Title\n1,a\n§2,"b"c\n',
      'POINTS_INVALID',
      'A quote is in the middle of a value.',
      quote,
    ],
  ])('is refused because of %s', async (_, marked, code, message, ...[hint]) => {
    await expectRefused('points.csv', marked, code, message, hint);
  });

  test.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ])('is refused with %j between its columns', async (separator, called) => {
    write('points.csv', `Days${separator}Title\n1${separator}a\n`);
    expect(await refusal('design: {points: points.csv}')).toMatchObject({
      code: 'POINTS_INVALID',
      message: `The columns are separated by ${called}.`,
      place: { line: 1, column: 1 },
    });
  });

  test('is refused with the first line that is not UTF-8 text', async () => {
    const lines = `Days,Title\n${Array.from({ length: 20_000 }, (_, at) => `${at},é\n`).join('')}`;
    const latin = Buffer.concat([Buffer.from(lines), Buffer.from('8,r\xf6gge\n', 'latin1')]);
    for (const [name, content] of [
      ['points.csv', latin],
      ['cut.csv', Buffer.from(`${lines}8,r\u00f6`).subarray(0, -1)],
      ['points.jsonl', Buffer.from('{"Title":"\xf6"}\n', 'latin1')],
    ] as const) {
      write(name, content);
      expect(await refusal(`design: {points: ${name}}`)).toMatchObject({
        code: 'POINTS_INVALID',
        message: 'The line is not UTF-8 text.',
        hint: 'Save the file as UTF-8.',
        place: name.endsWith('.jsonl')
          ? { line: 1, column: 11, text: '{"Title":"\ufffd"}' }
          : { line: 20_002, column: 4 },
      });
    }
  });

  test.each(['points.csv', 'points.jsonl'])('may be in UTF-16: %s', async (name) => {
    const content = name.endsWith('.csv') ? 'Days,Title\n1,ö\n' : '{"Days":1,"Title":"ö"}\n';
    write(name, Buffer.from(`\ufeff${content}`, 'utf16le'));
    const { pointFiles, contents } = await resolve(`design: {points: ${name}}`);
    expect([...readRows(contents.get(pointFiles[name]!.hash)!)]).toEqual([['1', 'ö']]);
  });

  test('is refused when it is empty', async () => {
    write('points.csv', '');
    expect(await refusal('design: {points: points.csv}')).toEqual({
      code: 'POINTS_INVALID',
      message: 'The file is empty.',
      hint: 'Its first line must have the names of the columns.',
      place: { file: 'points.csv', line: 1, column: 1 },
    });
  });

  test.each(['Days,Title\n', 'Days', '\n Days \n\n'])(
    'is refused when it has names but no points: %j',
    async (content) => {
      write('points.csv', content);
      expect(await refusal('design: {points: points.csv}')).toEqual({
        code: 'EMPTY_DESIGN',
        message: 'The file "points.csv" has no points.',
        hint: undefined,
        place: {
          file: 'campaign.yaml',
          line: 3,
          column: 18,
          text: 'design: {points: points.csv}',
          setting: ['design', 'points'],
        },
      });
    },
  );

  test.each([
    [
      'PK\u0003\u0004\u0014\u0000',
      'a workbook of Excel or another zip archive',
      'Save the table as CSV (UTF-8).',
    ],
    ['PAR1\u0015\u0004', 'a Parquet file', 'Write the table as CSV.'],
    ['BZh91AY', 'compressed with bzip2', 'Unpack it first.'],
    ['ARROW1\u0000', 'a Feather or Arrow file', 'Write the table as CSV.'],
    ['SQLite format 3\u0000', 'a database of SQLite', 'Write the table as CSV.'],
  ])('is refused with what it is, if it begins with %j', async (start, what, hint) => {
    write('points.csv', start);
    expect(await refusal('design: {points: points.csv}')).toMatchObject({
      code: 'POINTS_INVALID',
      message: `The file is ${what}, not text.`,
      hint,
      place: { file: 'points.csv' },
    });
  });
});
