import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { pictureOf, figureSection } from '../../src/report/pictures/figure.ts';
import { groundFigures } from '../../src/report/pictures/heat-map.ts';
import { reportSections } from '../../src/report/html/report-sections.ts';
import { summarize } from '../../src/report/summary/summary.ts';
import { countsOf, doubles, sampleRecord, sampleRow, sampleRows, stream } from '../report/support.ts';
import { launchBrowser } from '../support/browser.ts';
import { type DrawnMark, openPicture, positionOf } from './marks.ts';

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
