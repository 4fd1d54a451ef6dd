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
  return { page, columns, labels: [...figure.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text!) };
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
  expect(labels.filter((label) => /^2026-0[12]-\d\d$/.test(label)).length).toBeGreaterThan(3);
});

test('a logarithmic axis leaves out x = 0, and all its marks have rows', async () => {
  const { page, columns, labels } = await curvesOf({ name: 'Time', scale: 'log' });
  expect(columns[0]!.values).toHaveLength(2 * 14);
  expect(columns[0]!.values).not.toContain(0);
  expect(labels.filter((label) => /^\d+$/.test(label)).slice(0, 4)).toEqual(['1', '2', '5', '10']);
  const said = 'Points with x ≤ 0 are left out, because the axis is logarithmic.';
  expect(page).toContain(said);
  expect((await curvesOf({ name: 'Time' })).page).not.toContain(said);
});

test('a curve without a place on its logarithmic axis has a picture without ticks', async () => {
  expect((await timesOf({ name: 'Time', scale: 'log' }, [-1, 0])).labels).toContain('Time');
});

/** The texts of the x axis of curves with these x values, on an axis with dates from 31 January 2026. */
const datesOf = (units: string, dataX: readonly number[]) =>
  timesOf({ name: 'Time', units, start: '2026-01-31' }, dataX);

async function timesOf(axis: CampaignOutput['axis'] & object, dataX: readonly number[]) {
  const outputs: CampaignOutput[] = [{ name: 'Queue', type: 'DATA_SET', units: null, axis }];
  const record = sampleRecord({ grid: [doubles('Contact rate', [1.2])], outputs });
  const Queue = JSON.stringify({ dataX, dataY: dataX.map(() => 1) });
  const rows = [{ ...sampleRow(0, ['1.2']), outputs: { Queue } }];
  const page = await renderReport(record, countsOf(1), stream(rows));
  const figure = /<figure data-file="[^"]*-curves-0"[^]*?<\/figure>/.exec(page)![0];
  const { columns } = JSON.parse(/json">([^<]*)</.exec(figure)![1]!) as {
    columns: { title: string; values: unknown[]; texts?: string[] }[];
  };
  const labels = [...figure.matchAll(/<text((?: [^>]*)?)>([^<>]+)<\/text>/g)].flatMap(([, look, text]) =>
    look!.includes('opacity="0"') ? [] : [text!],
  );
  return { page, labels, title: columns[0]!.title, values: columns[0]!.values, texts: columns[0]!.texts };
}

test.each<[string, number[], string[]]>([
  ['DAY', [0, 1, 2], ['2026-01-31', '2026-02-01', '2026-02-02']],
  ['DAY', [0, 0.25, 1], ['2026-01-31 00:00', '2026-01-31 06:00', '2026-02-01 00:00']],
  ['SECOND', [0, 1, 61], ['2026-01-31 00:00:00', '2026-01-31 00:00:01', '2026-01-31 00:01:01']],
  [
    'MILLISECOND',
    [0, 1, 1_500],
    ['2026-01-31 00:00:00.000', '2026-01-31 00:00:00.001', '2026-01-31 00:00:01.500'],
  ],
  // a month that has no day 31 has its last day; half of a month is half of its days
  ['MONTH', [0, 1, 1.5, 2], ['2026-01-31 00:00', '2026-02-28 00:00', '2026-03-15 12:00', '2026-03-31 00:00']],
  ['MONTH', [-1, 11, 12, 25], ['2025-12-31', '2026-12-31', '2027-01-31', '2028-02-29']],
  ['YEAR', [0, 0.5, 1, 2.25], ['2026-01-31', '2026-07-31', '2027-01-31', '2028-04-30']],
  ['YEAR', [0, 9_000], ['2026-01-31', '+011026-01-31']],
])('dates in %s at %j differ in their texts', async (units, dataX, expected) => {
  expect((await datesOf(units, dataX)).texts).toEqual(expected);
});

test.each([
  ['YEAR', 40, /^20\d\d$/],
  ['DAY', 40, /^2026-0[123]-\d\d$/],
  ['HOUR', 40, /^2026-0[12]-\d\d \d\d:00$/],
  ['SECOND', 40, /^00:00:\d\d$/],
] as const)('the labels of dates in %s say when, and differ', async (units, count, form) => {
  const { labels } = await datesOf(
    units,
    Array.from({ length: count }, (_, at) => 1.5 * at),
  );
  const dates = labels.filter((label) => form.test(label));
  expect(dates.length).toBeGreaterThan(2);
  expect(new Set(dates).size).toBe(dates.length);
});

test('an axis shows its numbers if some of its dates do not exist, and the caption says so', async () => {
  const { page, title, values, texts } = await datesOf('YEAR', [0, 300_000]);
  expect([title, values, texts]).toEqual(['Time (year)', [0, 300_000], ['0', '300,000']]);
  expect(page).toContain('The axis has no dates, because some of them are beyond the calendar.');
});

/** A row of each run: the value of the input, and the height of the curve. */
type HeightOf = (place: number, replication: number) => number;

/** The numbers and the caption of the curves of a campaign that varies an input with texts. */
async function groupedBy(values: string[], replications: number, heightOf: HeightOf, order = values) {
  const outputs: CampaignOutput[] = [{ name: 'Queue', type: 'DATA_SET', units: null }];
  const policy = { name: 'Signal', type: 'STRING', units: null, values } as const;
  const record = sampleRecord({ grid: [{ ...policy, values: [...values] }], replications, outputs });
  const rows = order.flatMap((value) =>
    Array.from({ length: replications }, (_, at) => {
      const place = values.indexOf(value);
      const dataY = [heightOf(place, at + 1), 10 * place + heightOf(place, at + 1)];
      return {
        ...sampleRow(place, [value], at + 1),
        values: [value],
        outputs: { Queue: JSON.stringify({ dataX: [0, 1], dataY }) },
      };
    }),
  );
  const page = await renderReport(record, countsOf(rows.length), stream(rows));
  const [section] = /<h2>Queue<\/h2>(?:(?!<h2>)[^])*?<\/figure>/.exec(page)!;
  const { columns } = JSON.parse(/json">([^<]*)</.exec(section)![1]!) as {
    columns: { title: string; values: unknown[] }[];
  };
  const valuesOf = (title: string) => columns.find((column) => column.title === title)!.values;
  return { section, valuesOf };
}

test('curves are told apart by the values of an input with texts, in the order of the design', async () => {
  const { section, valuesOf } = await groupedBy(['static', 'actuated'], 11, (_, number) => number, [
    'actuated',
    'static',
  ]);
  expect(section).toContain('The median and the middle 90 % of the runs with each value of Signal.');
  expect(valuesOf('Curve')).toEqual(['static', 'static', 'actuated', 'actuated']);
  expect(valuesOf('Median')).toEqual([6, 6, 6, 16]);
});

test('a value with few runs has the curve of each run, and the best one is thick', async () => {
  const { section, valuesOf } = await groupedBy(['static', 'actuated'], 2, (_, number) => number);
  expect(section).toContain(
    'The runs with each value of Signal. The thick line is the lowest point, its first finished replication.',
  );
  expect(valuesOf('Curve')).toEqual([
    ...Array<string>(4).fill('static'),
    ...Array<string>(4).fill('actuated'),
  ]);
  expect(valuesOf('Queue')).toHaveLength(8);
  expect(valuesOf('Median').every((value) => value === null)).toBe(true);
  expect(section.match(/stroke-width="3"/g)).toHaveLength(1);
});

test.each([
  [6, false],
  [7, true],
])('says that %d values of an input are too many to tell their curves apart: %s', async (count, isSaid) => {
  const values = Array.from({ length: count }, (_, at) => `plan ${at}`);
  const { section, valuesOf } = await groupedBy(values, 2, (_, number) => number);
  const said = 'The curves are not told apart by Signal, because there are more than 6 values.';
  expect(section.includes(said)).toBe(isSaid);
  expect(valuesOf('Curve').includes('plan 0')).toBe(!isSaid);
});
