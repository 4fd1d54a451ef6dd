import { expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import { reportSections } from '../../../src/report/html/report-sections.ts';
import { summarize } from '../../../src/report/summary/summary.ts';
import { countsOf, doubles, type Level, sampleRecord, sampleRow, sampleRows, stream } from '../support.ts';

/** The figure with an id in the report of a grid. */
async function figureOf(id: string, grid: Level[], replications = 1, noise = 0): Promise<string> {
  const record = sampleRecord({ grid, replications });
  const rows = await Array.fromAsync(sampleRows(record));
  const noisy = rows.map((row) => {
    const error = Number(row.outputs['Fit error']) + noise * row.replication;
    return { ...row, outputs: { ...row.outputs, 'Fit error': String(error) } };
  });
  const page = await renderReport(record, countsOf(rows.length), stream(noisy));
  return new RegExp(`<figure data-file="[^"]*-${id}"[^]*?</figure>`).exec(page)![0];
}

const marksIn = (figure: string): number[] => {
  const { panels } = JSON.parse(/json">([^<]*)</.exec(figure)![1]!) as { panels: { places: number[] }[] };
  return panels.map(({ places }) => places.length / 2);
};

test('each mean has one mark, also if it has an interval, a line and a dot, and is the lowest', async () => {
  const values = doubles('Contact rate', [1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.1]);
  const figure = await figureOf('effects', [values], 3, 0.1);
  expect(figure).toContain('mark-rule');
  expect(marksIn(figure)).toEqual([10]);
});

test('an axis of many texts has names, and not their numbers', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `site ${String.fromCharCode(65 + (at % 26))}${at}`);
  const sites: Level = { name: 'Site', type: 'STRING', units: null, values: names };
  const record = sampleRecord({ grid: [sites, doubles('Rate', [1, 2])] });
  const rows = names.flatMap((name, at) =>
    [1, 2].map((rate) => ({
      ...sampleRow(2 * at + rate, [String(1 + at / 40), String(rate)]),
      values: [name, String(rate)],
    })),
  );
  const summary = await summarize(record.campaign, stream(rows), [], { axes: { x: 'Site' } });
  const sections = await reportSections(record, countsOf(rows.length), summary, {});
  const { text } = sections.find(({ id }) => id === 'grid')!.markup;
  const labels = [...text.matchAll(/>([^<>]+)<\/text>/g)].map(([, label]) => label!);
  const [first, fifth] = [names[0]!, names[4]!];
  expect(labels).toEqual(expect.arrayContaining([first, fifth]));
  expect(labels).not.toContain('5');
  expect(labels.filter((label) => names.includes(label)).length).toBeGreaterThanOrEqual(10);
});
