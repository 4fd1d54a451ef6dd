import { expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import { searchPoints } from '../../../src/report/html/search-section.ts';
import { reportSections } from '../../../src/report/html/report-sections.ts';
import { measureOf } from '../../../src/campaign/measures.ts';
import { summarize } from '../../../src/report/summary/summary.ts';
import type { CampaignBy } from '../../../src/campaign/types.ts';
import type { Finalist, SearchStory } from '../../../src/search/story.ts';
import { countsOf, doubles, sampleRecord, sampleRow, sampleRows, stream } from '../support.ts';

/** Tests that no value of a report is finer than its interval. */

test('the mark of the best point on a heat map has the digits of the headline', async () => {
  const levels = [doubles('Contact rate', [1.4, 1.6, 1.8]), doubles('Recovery rate', [0.4, 0.44, 0.48])];
  const goal = { output: 'Fit error', wants: 'lowest' as const };
  const record = sampleRecord({ grid: levels, replications: 5, goal });
  const rows = await Array.fromAsync(sampleRows(record));
  const noisy = rows.map((row) => {
    const error = Number(row.outputs['Fit error']) + 1.2345 * row.replication;
    return { ...row, outputs: { ...row.outputs, 'Fit error': String(error) } };
  });
  const page = await renderReport(record, countsOf(rows.length), stream(noisy));
  const [, headline] = /Lowest Fit error\s*<strong>(?:<span[^>]*>)?([\d.]+) ± /.exec(page)!;
  expect(headline).toMatch(/^\d+\.\d$/);
  expect(page).toContain(`>best: ${headline}</text>`);
});

test('a share in the table of points has no decimals that its few runs do not know', async () => {
  const record = sampleRecord({ grid: [doubles('Contact rate', [1.4, 1.6, 1.8])], replications: 22 });
  const rows = await Array.fromAsync(sampleRows(record));
  // at one point, 21 of 22 runs are above the limit
  const chance = rows.map((row) => {
    const error = row.replication === 1 && row.values[0] === '1.4' ? '0' : '10';
    return { ...row, outputs: { ...row.outputs, 'Fit error': error } };
  });
  const show = ['P(`Fit error` > 5)'];
  const page = await renderReport(record, countsOf(rows.length), stream(chance), { show });
  const table = page.slice(page.indexOf('<h2>Lowest points</h2>'));
  const shares = [...table.slice(0, table.indexOf('</table>')).matchAll(/>\s*([\d.]+ %)\s*</g)];
  expect(shares.map(([, share]) => share)).toEqual(['95 %', '100 %', '100 %']);
});

test('a share in the numbers of a heat map has no decimals that its few runs do not know', async () => {
  const levels = [doubles('Contact rate', [1.4, 1.6, 1.8]), doubles('Recovery rate', [0.4, 0.44])];
  const record = sampleRecord({ grid: levels, replications: 22 });
  const rows = await Array.fromAsync(sampleRows(record));
  const chance = rows.map((row) => {
    const error = row.replication === 1 && row.values[0] === '1.4' ? '0' : '10';
    return { ...row, outputs: { ...row.outputs, 'Fit error': error } };
  });
  const output = measureOf(record.campaign.outputs, 'P(`Fit error` > 5)');
  const summary = await summarize(record.campaign, stream(chance), [output]);
  const sections = await reportSections(record, countsOf(rows.length), summary, {});
  const { numbers } = sections.find(({ id }) => id === 'grid')!;
  expect(new Set(numbers!.rows.map(({ texts }) => texts.at(-1)))).toEqual(new Set(['95 %', '100 %']));
});

test('the line through points shows no digits that its band does not know', async () => {
  const inputs = ['Contact rate', 'Recovery rate'];
  const rows = Array.from({ length: 30 }, (_, at) => {
    const [contact, recovery] = [1.2 + at / 30, 0.3 + ((7 * at) % 30) / 100];
    return sampleRow(at, [contact, recovery].map(String));
  });
  const record = sampleRecord({
    varied: inputs.map((name) => ({ name, type: 'DOUBLE' as const, units: null })),
    design: { kind: 'list', inputs, rows: rows.map(({ values }) => [...values]) },
  });
  const summary = await summarize(record.campaign, stream(rows), []);
  const sections = await reportSections(record, countsOf(rows.length), summary, {});
  const { columns, rows: all } = sections.find(({ id }) => id === 'scatter')!.numbers!;
  const [fit, low, high] = ['Fit', 'Fit from', 'Fit to'].map((title) =>
    columns.findIndex((column) => column.title === title),
  ) as [number, number, number];
  const banded = all.filter(({ values }) => typeof values[low] === 'number');
  expect(banded.length).toBeGreaterThan(10);
  for (const { values, texts } of banded) {
    const half = (Number(values[high]) - Number(values[low])) / 2;
    const decimals = [fit, low, high].map((column) => texts[column]!.split('.')[1]?.length ?? 0);
    expect(new Set(decimals).size).toBe(1);
    // the texts show at most two digits of the half-width, apart from rounding
    if (decimals[0]! > 0) expect(10 ** -decimals[0]!).toBeGreaterThan(half / 105);
  }
});

test('the table of finalists has the digits of their intervals, and a title for each column', () => {
  const record = sampleRecord({ goal: { output: 'Fit error', wants: 'lowest' } });
  const finalist = (ordinal: number, mean: number): Finalist => ({
    ...{ ordinal, key: ordinal.toString(16).padStart(16, '0'), values: [], mean, runs: 14 },
    ...{ interval: [mean - 0.21, mean + 0.21], seen: 7.444, isFeasible: true, isRejected: false },
    ...{ isWinner: false, required: [] },
  });
  const strategy = { by: 'search', inputs: [], require: [], confirm: null };
  const campaign = { ...record.campaign, strategy } as unknown as CampaignBy<'search'>;
  const finalists = [finalist(1, 6.88264), finalist(2, 6.88323)];
  const story = { finalists, points: [], summary: { best: null } };
  const { text } = searchPoints(campaign, story as unknown as SearchStory)!;
  expect(text).not.toContain('<th></th>');
  // the high ends begin with 7, so only the means and the low ends match
  const shown = [...text.matchAll(/title="6\.\d+">([\d.]+)</g)].map(([, value]) => value);
  expect(shown).toEqual(['6.88', '6.67', '6.88', '6.67']);
});
