import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { reportSections } from '../../src/report/html/report-sections.ts';
import { summarize } from '../../src/report/summary/summary.ts';
import { shownSection } from '../../src/server/live/shown.ts';
import { countsOf, doubles, sampleRecord, sampleRows } from '../report/support.ts';
import { launchBrowser } from '../support/browser.ts';
import { ADDRESS, type DrawnMark, openPicture, positionOf } from './marks.ts';

/** Values with twelve digits. A picture groups them, because they are more than 200. */
const VALUES = Array.from({ length: 401 }, (_, at) => Number((1 + at / 700).toPrecision(12)));

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

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
