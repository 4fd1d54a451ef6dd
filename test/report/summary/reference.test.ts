import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Agreement } from '../../../src/report/summary/agreement.ts';
import { measuresOf } from '../../../src/campaign/measures.ts';
import { OutputSample } from '../../../src/report/summary/points.ts';
import { readReference } from '../../../src/report/summary/reference.ts';
import { sampleRecord, SEED } from '../support.ts';

const { campaign } = sampleRecord();
const folder = mkdtempSync(join(tmpdir(), 'foray-reference-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string | Uint8Array) {
  const file = join(folder, 'known.csv');
  writeFileSync(file, text);
  return readReference(file, campaign);
}

describe('reference values', () => {
  test('are read by the names of the columns, and the values of inputs become canonical', async () => {
    const text =
      '\ufeffFit error, Recovery rate,Contact rate,Peak day\n17.5,0.440,"1.20",\n\n,0.45,1.2,6e0\n';
    expect(await read(text)).toEqual({
      label: 'known.csv',
      outputs: ['Fit error', 'Peak day'],
      rows: [
        { values: ['1.2', '0.44'], numbers: new Map([['Fit error', 17.5]]) },
        { values: ['1.2', '0.45'], numbers: new Map([['Peak day', 6]]) },
      ],
    });
  });

  test('are read from UTF-16 text, by names that differ in case', async () => {
    const text = '\ufefffit ERROR,recovery rate,Contact rate\n17.5,0.44,1.2\n';
    expect(await read(Buffer.from(text, 'utf16le'))).toMatchObject({
      outputs: ['Fit error'],
      rows: [{ values: ['1.2', '0.44'], numbers: new Map([['Fit error', 17.5]]) }],
    });
  });

  const head = 'Contact rate,Recovery rate,Fit error';
  test.each([
    ['', 1, 'The file is empty.', 'Its first line must have the names of the columns.'],
    [
      'Contact rate,Fit error\n1,2\n',
      1,
      'It has no column "Recovery rate".',
      'The campaign varies "Contact rate", "Recovery rate": each needs a column.',
    ],
    [
      'Contact rate;Recovery rate;Fit error\n1;2;3\n',
      1,
      'The columns are separated by semicolons.',
      'Separate them by commas.',
    ],
    ...['sep=,', '"sep=,"', 'SEP=;', 'sep=\t'].map((line): [string, number, string, string] => [
      `${line}\r\n${head}\r\n1,2,3\r\n`,
      1,
      'The line has only the separator of the columns.',
      'Remove this line. Commas must separate the columns.',
    ]),
    [
      `${head}\n1,2,"3\n`,
      2,
      'A quote is opened and never closed.',
      'Put a value that contains a quote in quotes, and write the quote twice.',
    ],
    [
      'Contact rate,Recovery rate\n1,2\n',
      1,
      'It has no column for an output.',
      'Known: "Fit error", "Peak day".',
    ],
    [
      `${head},Peak dya\n`,
      1,
      'The campaign has no numeric or BOOLEAN output "Peak dya".',
      'Did you mean "Peak day"?',
    ],
    [`${head},Infected\n`, 1, 'The campaign has no numeric or BOOLEAN output "Infected".', undefined],
    [`${head},Fit error\n`, 1, 'The column "Fit error" appears twice.', 'Remove one of them.'],
    [`${head},Contact rate\n`, 1, 'The column "Contact rate" appears twice.', 'Remove one of them.'],
    [
      `${head}\n1,2,3\n1,much,3\n`,
      3,
      'The value of "Recovery rate" is "much", which is not a number.',
      undefined,
    ],
    [
      `${head}\n1,2,Infinity\n`,
      2,
      'The value of "Fit error" is "Infinity", which is not a number.',
      undefined,
    ],
    [
      `${head}\n1,2,3\n\n1,3,3\n1.0,"2",3\n`,
      5,
      'This line repeats the point of line 2.',
      'Remove one of the two lines.',
    ],
    [`${head}\n\n`, 1, 'It has no values.', 'Add a line for each point.'],
    [`${head}\n1,2\n`, 2, 'The row has 2 values instead of 3.', undefined],
    [Buffer.from(`${head}\n\xf6,2,3\n`, 'latin1'), 2, 'The line is not UTF-8 text.', undefined],
  ])('%j is refused', async (text, line, message, hint) => {
    const error = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'REFERENCE_INVALID',
      message,
      place: { file: join(folder, 'known.csv'), line },
    });
    if (hint !== undefined) expect(error).toMatchObject({ hint });
  });

  test('are refused if their file is missing', async () => {
    await expect(readReference(join(folder, 'none.csv'), campaign)).rejects.toMatchObject({
      code: 'REFERENCE_INVALID',
      message: expect.stringContaining('none.csv'),
    });
  });
});

describe('agreement', () => {
  const sampleOf = (...values: number[]) => {
    const sample = new OutputSample();
    for (const value of values) sample.add(value);
    return { 'Fit error': sample };
  };
  const reference = {
    label: 'known.csv',
    outputs: ['Fit error'],
    rows: [
      { values: ['1', '2'], numbers: new Map([['Fit error', 10]]) },
      { values: ['3', '4'], numbers: new Map([['Fit error', 10]]) },
      { values: ['5', '6'], numbers: new Map([['Fit error', 10]]) },
    ],
  };

  const measures = measuresOf({
    outputs: [{ name: 'Fit error', type: 'DOUBLE', units: null }],
    precision: null,
  });

  test('says for each point of the reference whether the interval contains the known value', () => {
    const agreement = new Agreement({ base: [SEED], precision: null }, reference, measures);
    agreement.add({ values: ['1', '2'], samples: sampleOf(9, 10, 12) });
    agreement.add({ values: ['1', '3'], samples: sampleOf(9, 10, 12) });
    agreement.add({ values: ['3', '4'], samples: sampleOf(11, 11.1, 11.2) });
    agreement.add({ values: ['5', '6'], samples: sampleOf(10) });
    expect(agreement.comparisons.map(({ values, known, isWithin }) => [values, known, isWithin])).toEqual([
      [['1', '2'], 10, true],
      [['3', '4'], 10, false],
      [['5', '6'], 10, null],
    ]);
  });

  test('leaves out a point without a value', () => {
    const agreement = new Agreement({ base: [SEED], precision: null }, reference, measures);
    agreement.add({ values: ['1', '2'], samples: sampleOf() });
    expect(agreement.comparisons).toEqual([]);
  });
});
