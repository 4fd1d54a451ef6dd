import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { reportSections } from '../../src/report/html/report-sections.ts';
import { figureSection, pictureOf } from '../../src/report/pictures/figure.ts';
import { groundFigures } from '../../src/report/pictures/heat-map.ts';
import { summarize } from '../../src/report/summary/summary.ts';
import { shownSection } from '../../src/server/live/shown.ts';
import { countsOf, doubles, sampleRecord, sampleRow, sampleRows, stream } from '../report/support.ts';
import { launchBrowser } from '../support/browser.ts';
import { ADDRESS, type DrawnMark, openPicture, positionOf } from './marks.ts';

/** Tests the script of pictures alone: the mark that the mouse reaches, and the filter of a drag. */

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** Twenty places from 0 to 1 that are apart: multiples of irrational numbers, modulo 1. */
const PLACES = Array.from({ length: 20 }, (_, at) =>
  [0.6180339887498949, 0.41421356237309515].map((step) => ((at + 1) * step) % 1),
);

/** The values beside the pointer at a mark. */
async function tipAt(page: Page, figure: Locator, mark: DrawnMark): Promise<string> {
  await figure.locator('svg').hover({ position: await positionOf(figure, mark) });
  return page.locator('.tip').innerText();
}

/** Expects that the mouse reaches every dot, and a cell far from all dots. */
async function expectReached(section: string): Promise<void> {
  const { page, figure, marks } = await openPicture(browser, section);
  const dots = marks.filter(({ point }) => point !== '');
  const cells = marks.filter(({ point }) => point === '');
  expect(dots).toHaveLength(PLACES.length);
  const shown: string[] = [];
  for (const dot of dots) shown.push(/Point: (\w+)$/.exec(await tipAt(page, figure, dot))?.[1] ?? 'none');
  expect(shown).toEqual(dots.map(({ point }) => point));
  const far = cells.find((cell) => dots.every(({ x, y }) => Math.hypot(x - cell.x, y - cell.y) > 30));
  expect(await tipAt(page, figure, far!)).not.toContain('Point');
  await page.close();
}

test('the mouse reaches the points on a surface, and between them the surface', async () => {
  const [rate, limit] = [doubles('Rate', []), doubles('Limit', [])];
  const rows = PLACES.map((place, at) => ({
    ...sampleRow(at, place.map(String)),
    outputs: { 'Fit error': String(place[0]! + 2 * place[1]!) },
  }));
  const record = sampleRecord({
    varied: [rate, limit].map(({ name, type, units }) => ({ name, type, units })),
    design: { kind: 'list', inputs: ['Rate', 'Limit'], rows: rows.map(({ values }) => [...values]) },
  });
  const summary = await summarize(record.campaign, stream(rows), []);
  const sections = await reportSections(record, countsOf(rows.length), summary, {});
  await expectReached(sections.find(({ id }) => id === 'surface')!.markup.text);
});

test('the mouse reaches the points of a search over the heat map of a grid, and between them its cells', async () => {
  const grid = sampleRecord();
  const inputs = ['Contact rate', 'Recovery rate'].map((name, at) => ({
    name,
    type: 'DOUBLE' as const,
    kind: 'range' as const,
    ...[
      { min: 1.2, max: 2.2 },
      { min: 0.3, max: 0.6 },
    ][at]!,
    scale: 'linear' as const,
    step: null,
    digits: 4,
  }));
  const points = PLACES.map((place, at) => ({
    ask: at,
    ordinal: at,
    key: at.toString(16).padStart(16, '0'),
    values: inputs.map(({ min, max }, input) => String(min + place[input]! * (max - min))),
    by: 'generation 1',
    seen: 0,
    runs: 1,
    value: at,
    isFeasible: true,
    isOutside: false,
    state: 'known' as const,
  }));
  const best = {
    ...{ ordinal: 0, key: points[0]!.key, inputs: { 'Contact rate': 1.8, 'Recovery rate': 0.4 }, value: 0 },
    ...{ interval: null, among: 20, tied: 0, runs: 1, failed: 0, isEqual: false, required: [], seen: 0 },
    choice: 'alone' as const,
  };
  const [figure] = await groundFigures(
    {
      goal: { output: 'Fit error', wants: 'lowest' },
      outputs: grid.campaign.outputs,
      strategy: { ...SEARCH, inputs },
    },
    { summary: { ...SUMMARY, best }, isNoisy: false, points, finalists: [] },
    { record: grid, rows: sampleRows(grid) },
  );
  await expectReached(figureSection(figure!, await pictureOf(figure!), 'flu').text);
});

const SEARCH = {
  by: 'search' as const,
  where: null,
  require: [],
  method: 'cma' as const,
  parallel: 4,
  stop: { points: 20, runs: null, value: null, gain: null, stall: null },
  confirm: null,
  most: null,
};

const SUMMARY = {
  method: 'cma',
  stage: 'over' as const,
  asked: 20,
  told: 20,
  failed: 0,
  lastFailure: null,
  known: 0,
  unused: [],
  stoppedBy: 'points' as const,
};

/** Values with twelve digits. A picture groups them, because they are more than 200. */
const VALUES = Array.from({ length: 401 }, (_, at) => Number((1 + at / 700).toPrecision(12)));

/** Opens the picture of the effects of one input with these values, as on the page of a campaign. */
async function opened(
  values: readonly number[],
): Promise<{ page: Page; figure: Locator; marks: DrawnMark[] }> {
  const record = sampleRecord({ grid: [doubles('Contact rate', values)] });
  const summary = await summarize(record.campaign, sampleRows(record), []);
  const sections = await reportSections(record, countsOf(values.length), summary, {});
  const { html } = shownSection(
    sections.find(({ id }) => id === 'effects')!,
    'flu',
  );
  return openPicture(browser, html);
}

/** Begins a drag from one mark over another, with a margin at both ends. */
async function dragOver(page: Page, figure: Locator, from: DrawnMark, to: DrawnMark): Promise<void> {
  const { x, y } = (await figure.locator('svg').boundingBox())!;
  const [start, end] = [await positionOf(figure, from), await positionOf(figure, to)];
  await page.mouse.move(x + start.x - 1, y + start.y - 20);
  await page.mouse.down();
  await page.mouse.move(x + end.x + 1, y + end.y + 20, { steps: 4 });
  expect(await page.locator('.brush').isVisible()).toBe(true);
}

/** Ends the drag. Returns the filter that it makes. */
async function filterOf(page: Page): Promise<string | null> {
  const loaded = page.waitForEvent('load');
  await page.mouse.up();
  await loaded;
  return new URL(page.url()).searchParams.get('in:Contact rate');
}

test('a drag over one mark of grouped values filters by all of them', async () => {
  const { page, figure, marks } = await opened(VALUES);
  expect(marks).toHaveLength(200);
  await dragOver(page, figure, marks[100]!, marks[100]!);
  const [from, to] = (await filterOf(page))!.split('..').map(Number) as [number, number];
  expect(VALUES).toContain(from);
  expect(VALUES).toContain(to);
  expect(to).toBeGreaterThan(from);
  await page.close();
});

test('a drag over one point filters by its exact value', async () => {
  const [value] = VALUES.slice(5) as [number];
  const { page, figure, marks } = await opened([1, value, 2]);
  await dragOver(page, figure, marks[1]!, marks[1]!);
  expect(await filterOf(page)).toBe(`${value}..${value}`);
  await page.close();
});

test('a drag that the browser interrupts does not filter', async () => {
  const { page, figure, marks } = await opened([1, 1.5, 2]);
  await dragOver(page, figure, marks[0]!, marks[1]!);
  await figure.dispatchEvent('pointercancel');
  expect(await page.locator('.brush').isVisible()).toBe(false);
  const navigated = new Promise<true>((done) => page.once('request', () => done(true)));
  await page.mouse.up();
  // a click beside all marks does nothing, and all events before it were handled
  const { x, y } = (await figure.locator('svg').boundingBox())!;
  await page.mouse.click(x + 2, y + 2);
  expect(await Promise.race([navigated, page.evaluate(() => false)])).toBe(false);
  expect(page.url()).toBe(ADDRESS);
  await page.close();
});
