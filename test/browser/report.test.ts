import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { foray } from '../support/cli.ts';
import { startWorld, type World } from '../support/world.ts';

/** 4 × 3 points that are drawn, and 3 that fail. */
const EPIDEMIC = `
campaign: rates
model: {name: Epidemic}
design: {grid: {Contact rate: [-1, 1.2, 1.4, 1.6, 1.8], Recovery rate: [0.4, 0.44, 0.48]}}
outputs: [Peak infected, Peak day, Infected]
`;

let world: World;
let browser: Browser;
let address: string;
beforeAll(async () => {
  browser = await launchBrowser();
  world = await startWorld();
  await world.startWorker();
  const { id } = await world.foray.submit({ text: EPIDEMIC, file: 'rates.yaml' });
  await toTheEnd(world, id);
  const store = world.settings.store;
  const { code, stderr } = await foray(world.folder, ['report', id, '-o', 'rates.html', '--store', store]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Wrote rates.html\n' });
  address = pathToFileURL(join(world.folder, 'rates.html')).href;
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

/** Opens the report without a network; tells what it asked for and complained of. */
async function open(
  colorScheme: 'light' | 'dark',
  width = 1_000,
): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const context = await browser.newContext({ offline: true, colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address);
  return { page, asked, complaints };
}

describe.each(['light', 'dark'] as const)('the report, %s', (scheme) => {
  test('opens offline, asks nobody for anything and complains of nothing', async () => {
    const { page, asked, complaints } = await open(scheme);
    await page.getByRole('heading', { name: 'rates', level: 1 }).waitFor();
    expect(await page.title()).toBe('rates · foray');
    expect({ asked, complaints }).toEqual({ asked: [address], complaints: [] });
    await page.context().close();
  });

  test('shows its pictures', async () => {
    const { page } = await open(scheme);
    const effects = page.getByRole('img', { name: /^Peak infected over Contact rate and Recovery rate\./ });
    await expectDrawn(effects, '.mark-rect.role-mark path', 12);
    const curves = page.getByRole('img', { name: /^Infected\./ });
    await expectDrawn(curves, '.mark-line.role-mark path', 12);
    expect(await page.getByRole('img').count()).toBe(2);
    await page.context().close();
  });

  test('can be read: every text stands out from the page', async () => {
    const { page } = await open(scheme);
    const [paper] = await coloursOf(page.locator('body'), 'backgroundColor');
    expect(luminance(paper!) > 0.5).toBe(scheme === 'light');
    // words on a picture's marks have an outline of their own
    const drawn = page.locator('svg :not(.role-mark) > text');
    const written = page.locator('h1, h2, p, dt, dd, th, td, code, footer, .phase, .answer');
    const inks = [...(await coloursOf(drawn, 'fill')), ...(await coloursOf(written, 'color'))];
    expect(inks.length).toBeGreaterThan(100);
    for (const ink of inks) expect(contrast(over(ink, paper!), paper!)).toBeGreaterThan(4.5);
    await page.context().close();
  });
});

test('the report on a narrow screen does not scroll sideways as a whole', async () => {
  const { page } = await open('light', 375);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  await page.context().close();
});

test('the report lists what failed, too', async () => {
  const { page } = await open('light');
  const row = page.getByRole('row', { name: /^3 Contact rate is -1/ });
  await row.waitFor();
  await page.context().close();
});

/** A picture has so many marks, each of which takes up room within it. */
async function expectDrawn(picture: Locator, marks: string, count: number): Promise<void> {
  const frame = (await picture.boundingBox())!;
  expect(frame.width).toBeGreaterThan(500);
  const boxes = await Promise.all((await picture.locator(marks).all()).map((mark) => mark.boundingBox()));
  expect(boxes).toHaveLength(count);
  for (const box of boxes) {
    expect(box!.width * box!.height).toBeGreaterThan(100);
    expect(box!.x).toBeGreaterThanOrEqual(frame.x);
    expect(box!.x + box!.width).toBeLessThanOrEqual(frame.x + frame.width);
  }
}

/** Red, green, blue from 0 to 255, and how opaque from 0 to 1. */
type Colour = [red: number, green: number, blue: number, alpha: number];

// in the page; the types of a browser's globals are not loaded here
declare const getComputedStyle: (element: unknown) => Record<string, string>;

async function coloursOf(
  elements: Locator,
  property: 'fill' | 'color' | 'backgroundColor',
): Promise<Colour[]> {
  const styles = await elements.evaluateAll(
    (all, name) =>
      all.map((element) => {
        const style = getComputedStyle(element);
        return { colour: style[name]!, opacity: name === 'fill' ? style.fillOpacity! : '1' };
      }),
    property,
  );
  return styles.map(({ colour, opacity }) => {
    const [red, green, blue, alpha = 1] = [...colour.matchAll(/[\d.]+/g)].map(Number);
    return [red!, green!, blue!, alpha * Number(opacity)];
  });
}

function over([red, green, blue, alpha]: Colour, below: Colour): Colour {
  const mixed = [red, green, blue].map((value, i) => alpha * value + (1 - alpha) * below[i]!);
  return [mixed[0]!, mixed[1]!, mixed[2]!, 1];
}

/** As the Web Content Accessibility Guidelines define both. */
function luminance([red, green, blue]: Colour): number {
  const [r, g, b] = [red, green, blue].map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}
