import { expect, test } from '@jest/globals';
import type { CampaignOutput } from '../../../src/campaign/types.ts';
import { renderReport } from '../../../src/report/html/html.ts';
import { countsOf, doubles, sampleRecord, sampleRow, stream } from '../support.ts';

/** The numbers of the picture of the curves, and the labels of its x axis. */
async function curvesOf(axis: CampaignOutput['axis']) {
  const outputs: CampaignOutput[] = [
    { name: 'Infected', type: 'DATA_SET', units: null, ...(axis && { axis }) },
    { name: 'Peak day', type: 'DOUBLE', units: 'DAY' },
  ];
  const record = sampleRecord({ grid: [doubles('Contact rate', [1.2, 1.4])], outputs });
  const rows = ['1.2', '1.4'].map((value, at) => sampleRow(at, [value]));
  const page = await renderReport(record, countsOf(2), stream(rows));
  const figure = /<figure data-file="[^"]*-curves-0"[^]*?<\/figure>/.exec(page)![0];
  const { columns } = JSON.parse(/json">([^<]*)</.exec(figure)![1]!) as {
    columns: { title: string; values: unknown[]; texts?: string[] }[];
  };
  return { columns, labels: [...figure.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text!) };
}

test('a curve has the name and the units of its x axis', async () => {
  const { columns, labels } = await curvesOf({ name: 'Time', units: 'DAY' });
  expect(columns[0]!.title).toBe('Time (day)');
  expect(labels).toContain('Time (day)');
  expect((await curvesOf(undefined)).labels).not.toContain('x');
});

test('an axis with a start shows dates', async () => {
  const { columns, labels } = await curvesOf({ units: 'DAY', start: '2026-01-31' });
  expect(columns[0]!.title).toBe('Date');
  // x is 0 to 14 for each of the two curves
  expect(columns[0]!.texts!.slice(0, 15)).toEqual(
    Array.from({ length: 15 }, (_, day) => new Date(Date.UTC(2026, 0, 31 + day)).toISOString().slice(0, 10)),
  );
  expect(labels.some((label) => /^(Feb|February|Sun|Mon)/.test(label))).toBe(true);
});

test('a logarithmic axis leaves out x = 0, and all its marks have rows', async () => {
  const { columns, labels } = await curvesOf({ name: 'Time', scale: 'log' });
  expect(columns[0]!.values).toHaveLength(2 * 14);
  expect(columns[0]!.values).not.toContain(0);
  expect(labels).toContain('10');
});

test('curves are told apart by the values of an input with texts', async () => {
  const policy = { name: 'Signal', type: 'STRING', units: null, values: ['static', 'actuated'] } as const;
  const outputs: CampaignOutput[] = [{ name: 'Queue', type: 'DATA_SET', units: null }];
  const record = sampleRecord({
    grid: [{ ...policy, values: [...policy.values] }],
    replications: 3,
    outputs,
  });
  const rows = policy.values.flatMap((value, at) =>
    [1, 2, 3].map((replication) => ({
      ...sampleRow(at, [value], replication),
      values: [value],
      outputs: { Queue: JSON.stringify({ dataX: [0, 1], dataY: [replication, 10 * at + replication] }) },
    })),
  );
  const page = await renderReport(record, countsOf(6), stream(rows));
  expect(page).toContain('The median and the middle 90 % of the runs with each value of Signal.');
  const figure = /<figure data-file="[^"]*-curves-0"[^]*?<\/figure>/.exec(page)![0];
  const { columns } = JSON.parse(/json">([^<]*)</.exec(figure)![1]!) as {
    columns: { title: string; values: unknown[] }[];
  };
  const valuesOf = (title: string) => columns.find((column) => column.title === title)!.values;
  expect(valuesOf('Curve')).toEqual(['static', 'static', 'actuated', 'actuated']);
  expect(valuesOf('Median')).toEqual([2, 2, 2, 12]);
});
