import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import type { ResultRow } from '../../../src/store/index.ts';
import { countsOf, doubles, sampleRecord, sampleRow, sampleRows, stream, observed } from '../support.ts';

describe('a report that leaves something out', () => {
  const pageOf = async (record: ReturnType<typeof sampleRecord>, rows: ResultRow[], options = {}) => {
    const page = await renderReport(record, countsOf(rows.length), stream(rows), options);
    return page.replaceAll(/\s+/g, ' ');
  };
  /** The text of the page without its pictures. */
  const wordsOf = async (...args: Parameters<typeof pageOf>) =>
    (await pageOf(...args)).replaceAll(/<(svg|style|script).*?<\/\1>/g, '');
  const named = (count: number, name: string, type: 'DOUBLE' | 'DATA_SET') =>
    Array.from({ length: count }, (_, i) => ({ name: `${name} ${i + 1}`, type, units: null }));

  test('says that 12 of 14 outputs are shown, among them the chosen output', async () => {
    const outputs = named(14, 'Cost', 'DOUBLE');
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])], outputs });
    const rows = [1, 2, 3].map((rate, i) => ({
      ...sampleRow(i, [String(rate)]),
      outputs: Object.fromEntries(outputs.map(({ name }, at) => [name, String(rate * (at + 1))])),
    }));
    const page = await pageOf(record, rows, { show: ['Cost 14'] });
    // two captions have this sentence (other effects, distributions): as visible text and as the label of the picture
    expect(page.match(/The first 12 of 14 outputs are shown\./g)).toHaveLength(4);
    // an output that is drawn has its name in two pictures: effects and distributions
    const texts = (name: string) => page.match(new RegExp(`>${name}</text>`, 'g'))?.length;
    expect([texts('Cost 14'), texts('Cost 11'), texts('Cost 12')]).toEqual([2, 2, undefined]);
    const few = { ...record, campaign: { ...record.campaign, outputs: outputs.slice(0, 12) } };
    expect(await wordsOf(few, rows)).not.toContain('outputs are shown');
  });

  test('says that 8 of 10 DATA_SETs are shown, among them the observed one', async () => {
    const outputs = named(10, 'Course', 'DATA_SET');
    const record = sampleRecord({ outputs });
    const row = sampleRow(0, ['1.2', '0.3']);
    const curve = JSON.stringify({ dataX: [0, 1], dataY: [2, 3] });
    const rows = [{ ...row, outputs: Object.fromEntries(outputs.map(({ name }) => [name, curve])) }];
    const page = await pageOf(record, rows, { observed: { ...observed, output: 'Course 10' } });
    const titles = [...page.matchAll(/<h2>Course (\d+)<\/h2>/g)].map(([, number]) => Number(number));
    expect(titles).toEqual([10, 1, 2, 3, 4, 5, 6, 7]);
    expect(page).toContain('pupils in bed');
    // only the section of the last curve has this sentence
    expect(page.match(/<p class="soft">[^<]*The first 8 of 10 DATA_SETs are shown\.<\/p>/g)).toHaveLength(1);
    expect(page.lastIndexOf('The first 8 of')).toBeGreaterThan(page.indexOf('<h2>Course 7'));
  });

  test.each([
    [512, false],
    [513, true],
  ])('says that a curve of %d points is drawn with fewer points: %s', async (points, isSaid) => {
    const record = sampleRecord();
    const dataX = Array.from({ length: points }, (_, i) => i);
    const outputs = { 'Fit error': '1', Infected: JSON.stringify({ dataX, dataY: dataX }) };
    const rows = [0, 1].map((i) => ({ ...sampleRow(i, ['1.2', '0.3']), outputs }));
    const said = (await wordsOf(record, rows)).includes(
      'A curve with more than 512 points is drawn with 512 of them, spread evenly.',
    );
    expect(said).toBe(isSaid);
  });

  test('says that an input has too many texts for a picture, and that neighbouring values are grouped', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);
    const rates = doubles(
      'Rate',
      Array.from({ length: 201 }, (_, i) => i),
    );
    const records = [
      sampleRecord({ grid: [{ name: 'Policy', type: 'STRING', units: null, values: many(51) }] }),
      sampleRecord({ grid: [{ name: 'Policy', type: 'STRING', units: null, values: many(50) }] }),
      sampleRecord({ grid: [rates] }),
      sampleRecord({ grid: [rates, doubles('Limit', [1, 2])] }),
    ];
    const [crowded, texts, line, grid] = await Promise.all(
      records.map(async (record) => {
        const rows = await Array.fromAsync(sampleRows(record));
        // `sampleRow` computes no outputs from texts, so each row gets a value here
        return wordsOf(
          record,
          rows.map((row, i) => ({ ...row, outputs: { 'Fit error': String(i % 7) } })),
        );
      }),
    );
    const [by, together] = ['Effects by Policy are not drawn', 'Neighbouring values of Rate are grouped'];
    expect(crowded).toContain(`${by}, because there are more than 50 different values.`);
    expect(texts).not.toContain(by);
    expect(texts).not.toContain(together);
    expect(line).toContain(`${together}.`);
    expect(grid).toContain('Each cell is the mean of neighbouring points of the design');
  });

  test('says that an empty cell of a grid may not be a point of the campaign', async () => {
    const record = sampleRecord();
    const rows = await Array.fromAsync(sampleRows(record));
    const said = 'An empty cell has no completed run, or is not a point of the campaign.';
    expect(await wordsOf(record, rows)).not.toContain(said);
    expect(await wordsOf(record, rows.slice(1))).toContain(said);
  });

  test('counts the runs without a finite value, and names the outputs with fewer than two different values', async () => {
    const outputs = ['Drawn', 'Whole', 'Alike', 'Lone', 'Same', 'None'].map((name) => ({
      name,
      type: 'DOUBLE' as const,
      units: null,
    }));
    const record = sampleRecord({ outputs });
    const alike = ['"-Infinity"', '0.5', '"Infinity"', '"Infinity"'];
    const rows = Array.from({ length: 48 }, (_, i): ResultRow => {
      const drawn: Record<string, string> =
        i < 3 ? { Drawn: ['null', '"NaN"', ''][i]! } : i === 3 ? {} : { Drawn: String(i) };
      const lone: Record<string, string> = i === 7 ? { Lone: '3' } : {};
      const others = { Whole: String(i), Alike: alike[i % 4]!, Same: '2', None: '"Infinity"' };
      return { ...sampleRow(i, ['1.2', '0.3']), outputs: { ...drawn, ...lone, ...others } };
    });
    expect(await wordsOf(record, rows)).toContain(
      'The number of runs by value: 48 runs over all points. Runs without a finite value are left out: 4 of Drawn. ' +
        'In all runs Same is 2. In all 12 runs with a finite value, Alike is 0.5. ' +
        'In the only run with a finite value, Lone is 3. No run has a finite value of None.<',
    );
  });

  test('says that the pictures do not show points that belong only to an earlier design', async () => {
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])] });
    const rows = ['1', '2', '3', '9'].map((rate, i) => sampleRow(i, [rate]));
    const said = 'These pictures do not show points that belong only to an earlier design.';
    expect(await wordsOf(record, rows)).toContain(said);
    expect(await wordsOf(record, rows.slice(0, 3))).not.toContain(said);
  });

  test('says how many known values are not compared, because no finished point has a value for them', async () => {
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])] });
    const numbers = new Map([['Fit error', 1]]);
    const known = ['1', '2', '2.5'].map((rate) => ({ values: [rate], numbers }));
    const reference = { label: 'theory.csv', outputs: ['Fit error'], rows: known };
    const rows = ['1', '2'].map((rate, i) => sampleRow(i, [rate]));
    const said = 'of theory.csv is not compared, because no finished point has a value for it.';
    expect(await wordsOf(record, rows, { reference })).toContain(`1 value ${said}`);
    const both = { ...reference, rows: known.slice(0, 2) };
    expect(await wordsOf(record, rows, { reference: both })).not.toContain(said);
  });
});
