import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { foray } from '../support/cli.ts';
import { startWorld, type World } from '../support/world.ts';
import { marksOf, positionOf } from './marks.ts';
import { coloursOf, contrast, luminance, over, WHITE } from './colours.ts';
import { EPIDEMIC, SERVICE_SYSTEM } from '../service/fixed.ts';

/** A campaign with 4 × 3 points for the pictures, and 3 points that fail. */
const RATES = `
campaign: rates
model: {name: Epidemic}
design: {grid: {Contact rate: [-1, 1.2, 1.4, 1.6, 1.8], Recovery rate: [0.4, 0.44, 0.48]}}
outputs: [Peak infected, Peak day, Infected]
`;

/** A campaign whose report compares intervals with known values. */
const DESK = `
campaign: desk
model: {name: Service System Demo}
design: {grid: {Server capacity: [8, 10, 12]}}
replications: 5
seed: 1
outputs: [Mean waiting time, Server utilization]
`;
/** The exact values for 8 and 10 servers, and a wrong value for 12 servers. */
const KNOWN = 'Server capacity,Mean waiting time\n8,0.63531602\n10,0.073910405\n12,0.02\n';

let world: World;
let browser: Browser;
let address: string;
let desk: string;
beforeAll(async () => {
  browser = await launchBrowser();
  world = await startWorld({ models: [EPIDEMIC, SERVICE_SYSTEM] });
  await world.startWorker();
  const { id } = await world.foray.submit({ text: RATES, file: 'rates.yaml' });
  await toTheEnd(world, id);
  const store = world.settings.store;
  const { code, stderr } = await foray(world.folder, ['report', id, '-o', 'rates.html', '--store', store]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Wrote rates.html\n' });
  address = pathToFileURL(join(world.folder, 'rates.html')).href;

  const other = await world.foray.submit({ text: DESK, file: 'desk.yaml' });
  await toTheEnd(world, other.id);
  const known = join(world.folder, 'known.csv');
  writeFileSync(known, KNOWN);
  const told = await foray(world.folder, [
    'report',
    other.id,
    '-o',
    'desk.html',
    '--store',
    store,
    '--reference',
    known,
  ]);
  expect(told).toMatchObject({ code: 0, stderr: 'Wrote desk.html\n' });
  desk = pathToFileURL(join(world.folder, 'desk.html')).href;
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

/** The number of pictures: two of effects, three of sensitivity, curves, distributions and the timeline. */
const PICTURES = 8;

/** Opens the report without a network. Returns its requests and its messages in the console. */
async function open(
  colorScheme: 'light' | 'dark',
  {
    width = 1_000,
    at = address,
    ...options
  }: { width?: number; at?: string; javaScriptEnabled?: boolean } = {},
): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const context = await browser.newContext({
    offline: true,
    colorScheme,
    viewport: { width, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(at);
  return { page, asked, complaints };
}

test.each(['light', 'dark'] as const)(
  'the report in %s colours opens offline, without other requests and without messages in the console; its texts have enough contrast, also in a saved picture',
  async (scheme) => {
    const { page, asked, complaints } = await open(scheme);
    await page.getByRole('heading', { name: 'rates', level: 1 }).waitFor();
    expect(await page.title()).toBe('rates · foray');
    expect({ asked, complaints }).toEqual({ asked: [address], complaints: [] });
    const [paper] = await coloursOf(page.locator('body'), 'backgroundColor');
    expect(luminance(paper!) > 0.5).toBe(scheme === 'light');
    // the test leaves out texts on the marks of a picture, because these texts have an outline
    const drawn = page.locator('svg :not(.role-mark) > text');
    const written = page.locator('h1, h2, p, dt, dd, th, td, code, footer, .phase, .answer');
    const inks = [...(await coloursOf(drawn, 'fill')), ...(await coloursOf(written, 'color'))];
    expect(inks.length).toBeGreaterThan(100);
    for (const ink of inks) expect(contrast(over(ink, paper!), paper!)).toBeGreaterThan(4.5);

    const file = await savedFile(page, 'SVG');
    expect(readFileSync(file, 'utf8')).not.toMatch(/<script|href=/);
    const width = (await page.getByRole('img').first().getAttribute('viewBox'))!.split(' ')[2]!;
    await page.goto(pathToFileURL(file).href);
    const saved = page.locator('svg').first();
    expect((await saved.boundingBox())!.width).toBeCloseTo(Number(width), 0);
    const savedInks = await coloursOf(page.locator('svg :not(.role-mark) > text'), 'fill');
    expect(savedInks.length).toBeGreaterThan(10);
    for (const ink of savedInks) expect(contrast(over(ink, WHITE), WHITE)).toBeGreaterThan(4.5);
    const [savedPaper] = await coloursOf(saved, 'backgroundColor');
    expect(savedPaper).toEqual(WHITE);
    await page.context().close();
  },
);

test('the report shows its pictures, the definition, and the failed runs by cause', async () => {
  const { page } = await open('light');
  const effects = page.getByRole('img', { name: /^Peak infected over Contact rate and Recovery rate\./ });
  await expectDrawn(effects, '.mark-rect.role-mark path', 12);
  const main = page.getByRole('img', { name: /^Peak infected by Contact rate, Recovery rate\./ });
  // one line of means for each of the two inputs
  await expectDrawn(main, '.mark-line.role-mark path', 2);
  // for each of the two inputs, its effect alone and with its interaction
  const shares = page.getByRole('img', { name: /^Effects on Peak infected\./ });
  await expectDrawn(shares, '.mark-rect.role-mark path', 4);
  const curves = page.getByRole('img', { name: /^Infected\./ });
  // the lines are the median and the curve of the best point; the areas are two bands
  await expectDrawn(curves, '.mark-line.role-mark path', 2);
  await expectDrawn(curves, '.mark-area.role-mark path', 2);
  const timeline = page.getByRole('img', { name: /^Timeline\./ });
  await expectDrawn(timeline, '.mark-area.role-mark path', 1);
  // the marks are new runs and failed runs; the failed runs are few and may finish at the same moment
  await expectDrawn(timeline, '.mark-rect.role-mark', 2, 10);
  await page.getByRole('img', { name: /^Distributions of outputs\./ }).waitFor();
  expect(await page.getByRole('img').count()).toBe(PICTURES);

  await page.getByText('The definition').click();
  const definition = page.locator('details').filter({ hasText: 'The definition' }).locator('pre');
  expect(await definition.innerText()).toBe(RATES.replace(/^\n/, ''));
  await page.getByRole('row', { name: /^3 Contact rate is …: .* Contact rate is -1: / }).waitFor();
  await page.context().close();
});

test('every text of a picture is shown in full', async () => {
  for (const at of [address, desk]) {
    const { page } = await open('light', { at });
    for (const picture of await page.getByRole('img').all()) {
      const [frame, ...texts] = await boxesOf(picture.locator('xpath=.|.//*[name()="text"]'));
      expect(texts.length).toBeGreaterThan(5);
      for (const box of texts) {
        // a text that would overlap is not drawn
        if (box.right === box.left) continue;
        expect(box.left).toBeGreaterThanOrEqual(frame!.left - 1);
        expect(box.top).toBeGreaterThanOrEqual(frame!.top - 1);
        expect(box.right).toBeLessThanOrEqual(frame!.right + 1);
        expect(box.bottom).toBeLessThanOrEqual(frame!.bottom + 1);
      }
    }
    await page.context().close();
  }
});

test('a picture is saved as PNG, and its numbers as CSV', async () => {
  const { page, complaints } = await open('light');
  const png = readFileSync(await savedFile(page, 'PNG'));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const [, , width, height] = (await page.getByRole('img').first().getAttribute('viewBox'))!.split(' ');
  // twice the size of the picture, for sharp screens
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2 * Number(width), 2 * Number(height)]);
  const [head, ...rows] = readFileSync(await savedFile(page, 'CSV'), 'utf8')
    .trim()
    .split('\r\n');
  expect(head).toBe('Contact rate (per day),Recovery rate (per day),Peak infected,Point');
  expect(rows).toHaveLength(12);
  for (const row of rows) expect(row).toMatch(/^1\.\d,0\.4\d?,[\d.]+,[0-9a-f]{16}$/);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('every mark of every picture has a value, by the keyboard and by the mouse', async () => {
  const { page, complaints } = await open('light');
  const tip = page.locator('.tip');
  for (const figure of await page.locator('figure[data-file]').all()) {
    const name = (await figure.getAttribute('data-file'))!;
    const { rows, marks } = await marksOf(figure);
    expect([name, new Set(marks.map(({ row }) => row)).size]).toEqual([name, rows]);
    await figure.focus();
    await page.keyboard.press('Home');
    // the page presses the other keys itself, because each question to the browser takes a while
    const told = await page.evaluate<string[]>(`Array.from({ length: ${marks.length} }, (_, at) => {
      const key = new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true });
      if (at > 0) document.activeElement.dispatchEvent(key);
      return document.querySelector('.tip').innerText;
    })`);
    told.forEach((text, at) =>
      expect(text).toMatch(new RegExp(`\\w: .*\\n${at + 1} of ${marks.length}`, 's')),
    );
    await page.keyboard.press('Escape');
    expect(await tip.isVisible()).toBe(false);
    await figure.locator('svg').hover({ position: await positionOf(figure, marks[0]!) });
    expect(await tip.innerText()).toMatch(/\w: /);
  }
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('without scripts, the report shows the same number of pictures and no buttons', async () => {
  const { page } = await open('light', { javaScriptEnabled: false });
  expect(await page.getByRole('img').count()).toBe(PICTURES);
  expect(await page.getByRole('button').count()).toBe(0);
  await page.context().close();
});

test('the line of known values crosses an interval exactly if the report says that this interval contains the known value', async () => {
  const { page, complaints } = await open('light', { at: desk });
  expect(complaints).toEqual([]);
  const picture = page.getByRole('img', { name: /^Mean waiting time by Server capacity\./ });
  const bars = await Promise.all(
    (await picture.locator('.mark-rule.role-mark line').all()).map((bar) => bar.boundingBox()),
  );
  const line = picture.locator('.mark-line.role-mark path');
  const corners = [...(await line.getAttribute('d'))!.matchAll(/[ML]([\d.]+),([\d.]+)/g)].map(([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));
  // converts the picture's units to positions on the screen
  const frame = (await line.boundingBox())!;
  const [left, top] = [Math.min(...corners.map(({ x }) => x)), Math.min(...corners.map(({ y }) => y))];
  const scale = frame.width / (Math.max(...corners.map(({ x }) => x)) - left);
  const isThrough = bars.map((bar, i) => {
    const y = frame.y + (corners[i]!.y - top) * scale;
    expect(frame.x + (corners[i]!.x - left) * scale).toBeCloseTo(bar!.x + bar!.width / 2, -1);
    return bar!.y <= y && y <= bar!.y + bar!.height;
  });
  const said = await page
    .locator('tr', { hasText: /Mean waiting time/ })
    .locator('td:last-child')
    .allInnerTexts();
  expect(said.slice(0, 3)).toEqual(isThrough.map((is) => (is ? 'yes' : 'no')));
  expect(isThrough).toEqual([true, true, false]);
  await page.context().close();
});

test('the report is not wider than a narrow screen, and what was run can be read without scrolling', async () => {
  const { page } = await open('light', { width: 375 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  const wide =
    "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scroll:has(table.plain)'))";
  expect(await page.evaluate(wide)).toBe(0);
  await page.context().close();
});

/** Saves the first picture of a report, and returns the path of the file. */
async function savedFile(page: Page, format: 'SVG' | 'PNG' | 'CSV'): Promise<string> {
  const buttons = page.getByRole('button', { name: format, exact: true });
  expect(await buttons.count()).toBe(PICTURES);
  const [download] = await Promise.all([page.waitForEvent('download'), buttons.first().click()]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^rates-.*-grid\\.${format.toLowerCase()}$`));
  const file = join(world.folder, `saved.${format}`);
  await download.saveAs(file);
  return file;
}

/** Expects a number of marks in a picture, each of at least a number of square pixels. */
async function expectDrawn(picture: Locator, marks: string, count: number, least = 100): Promise<void> {
  const frame = (await picture.boundingBox())!;
  expect(frame.width).toBeGreaterThan(500);
  const boxes = await Promise.all((await picture.locator(marks).all()).map((mark) => mark.boundingBox()));
  expect(boxes).toHaveLength(count);
  for (const box of boxes) {
    expect(box!.width * box!.height).toBeGreaterThan(least);
    expect(box!.x).toBeGreaterThanOrEqual(frame.x);
    expect(box!.x + box!.width).toBeLessThanOrEqual(frame.x + frame.width);
  }
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The positions of elements on the screen, in the order of the page. */
function boxesOf(elements: Locator): Promise<Box[]> {
  return elements.evaluateAll((all) =>
    all.map((element) => {
      const { left, top, right, bottom } = (
        element as unknown as { getBoundingClientRect(): Box }
      ).getBoundingClientRect();
      return { left, top, right, bottom };
    }),
  );
}
