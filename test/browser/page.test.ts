import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Server } from '../../src/server/app.ts';
import { launchBrowser } from '../support/browser.ts';
import { EPIDEMIC, REHEARSAL, writeModel } from '../service/support.ts';
import { serverOf } from '../server/support.ts';
import { marksOf, positionOf } from './marks.ts';
import { cancelOpen } from '../support/campaigns.ts';
import { until } from '../support/until.ts';
import { KEY, rehearsal, startWorld, type World } from '../support/world.ts';

/** Tests the pages in Chromium: their updates, both colour schemes, narrow windows, and control by the keyboard. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PAGES = [
  '/',
  '/campaigns/fit',
  '/campaigns/fit/runs?order=highest%3APeak+infected',
  '/campaigns/none',
  '/docs/README.md',
  '/campaigns/fit/failures',
  '/campaigns/fit/definition',
  '/campaigns/fit/downloads',
  '/campaigns/fit/delete',
  '/compare?id=fit&id=other',
  '/new?model=Epidemic',
  '/models',
  '/models/Epidemic',
  '/reference',
];

/** Texts that would set `hacked` or load something if the page used them as markup, as an address or as a script. */
const HOSTILE = [
  '"><script>hacked=1</script>',
  "'><img src=x onerror=hacked=1>",
  'javascript:hacked=1//',
  '</textarea><svg onload=hacked=1>',
  '</title></style><iframe srcdoc="<script>parent.hacked=1</script>">',
  '\u202e<a href="javascript:hacked=1">\u0000',
  '${hacked=1}{{hacked=1}}<%hacked=1%>',
  ']]><style>@import url(//evil.example)</style>',
  '\n\r\t<meta http-equiv=refresh content="0;url=javascript:hacked=1">',
  '--><base href=//evil.example>',
];
const MODEL = `const hostile = ${JSON.stringify(HOSTILE)};
export default {
  name: 'Hostile', description: hostile.join(' '), published: true,
  inputs: [{ name: 'Text', type: 'STRING', default: hostile[0] }, { name: hostile[1], type: 'DOUBLE', default: 1 }],
  outputs: [{ name: hostile[2], type: 'STRING' }, { name: hostile[3], type: 'DOUBLE' }],
  experiments: [],
  run: ({ inputs }) => {
    console.log(inputs.Text);
    if (Number(inputs.Text.slice(-1)) % 2 === 0) throw new Error(inputs.Text);
    return { [hostile[2]]: inputs.Text, [hostile[3]]: inputs.Text.length };
  },
};`;

const models = mkdtempSync(join(tmpdir(), 'foray-page-'));
let world: World;
let server: Server;
let browser: Browser;
/** The cookie of a login. */
let login: Awaited<ReturnType<BrowserContext['storageState']>>;

beforeAll(async () => {
  browser = await launchBrowser();
  writeModel(models, 'hostile', MODEL);
  world = await startWorld({ executors: 2, models: [EPIDEMIC, REHEARSAL, models] });
  await world.startWorker();
  server = await serverOf(world);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.loginUrl(KEY));
  await page.waitForURL(`${server.url}/`);
  login = await context.storageState();
  await context.close();
  const text = `campaign: fit
model: {name: Epidemic}
design: {grid: {Contact rate: [1.2, 1.6, 2], Recovery rate: [0.4, 0.5]}}
`;
  await world.foray.submit({ text, file: 'fit.yaml' }, { id: 'fit' });
  await world.foray.submit({ text: text.replace('fit', 'other'), file: 'other.yaml' }, { id: 'other' });
  for (const id of ['fit', 'other'])
    await until(`${id} has completed`, async () => (await world.foray.status(id)).phase === 'completed');
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await world.close();
  rmSync(models, { recursive: true });
});
afterEach(() => cancelOpen(world));

/** An empty tab with a login. `complaints` gets the error messages of its pages. */
async function loggedIn(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ storageState: login, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { context, page, complaints };
}

/** The rules of axe that depend on colours, sizes and scrolling. */
const VISUAL = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

test.each([
  ['light', 1200, {}],
  // nothing is only in narrow pages
  ['dark', 320, { runOnly: VISUAL }],
] as const)(
  'axe finds no problem in %s colours, and the pages fit into a width of %d pixels',
  async (colorScheme, width, rules) => {
    const { context, page, complaints } = await loggedIn({ colorScheme, viewport: { width, height: 800 } });
    const { point } = (await world.rows('fit'))[0]!;
    // the login page comes last, because the test logs out before this page
    for (const path of [...PAGES, `/campaigns/fit/points/${point}`, '/login']) {
      if (path === '/login') await context.clearCookies();
      await page.goto(server.url + path);
      if (path === '/campaigns/fit')
        await until('the pictures are drawn', async () => (await page.locator('#report svg').count()) > 2);
      const tooWide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([path, tooWide]).toEqual([path, 0]);
      await page.evaluate(AXE);
      const found = await page.evaluate<string[][]>(`axe
        .run(document, ${JSON.stringify(rules)})
        .then((told) => told.violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)]))`);
      expect([path, found]).toEqual([path, []]);
    }
    // the browser reports the status of the page that is not there
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);
    await context.close();
  },
);

test('times are those of the browser and name their zone; heads sort the grids; contents lead to the sections', async () => {
  const { context, page, complaints } = await loggedIn({ timezoneId: 'Asia/Tokyo' });
  await page.goto(`${server.url}/`);
  const shown = page.locator('#row-fit time');
  const submitted = new Date((await world.foray.status('fit')).submitted);
  const there = new Date(submitted.getTime() + 9 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  expect(await shown.innerText()).toMatch(new RegExp(`^${there} (GMT\\+9|JST)$`));
  await page.getByRole('link', { name: 'Campaign', exact: true }).click();
  await page.waitForURL('**/?*order=lowest*');
  const names = await page.locator('#rows a[href^="/campaigns/"]').allInnerTexts();
  expect(names.length).toBeGreaterThan(1);
  expect(names).toEqual(names.toSorted());

  await page.goto(`${server.url}/campaigns/fit/runs`);
  const column = async (): Promise<number[]> =>
    (await page.locator('td[data-name="Peak infected"]').allInnerTexts()).map(Number);
  const lowest = (await column()).toSorted((a, b) => a - b);
  for (const expected of [lowest, lowest.toReversed()]) {
    await page.getByRole('link', { name: /^Peak infected/ }).click();
    await page.waitForLoadState();
    await until(
      'the runs are sorted',
      async () => JSON.stringify(await column()) === JSON.stringify(expected),
    );
  }

  await page.setViewportSize({ width: 1_600, height: 700 });
  await page.goto(`${server.url}/campaigns/fit`);
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await contents.getByRole('link', { name: 'What was run' }).click();
  await page.waitForURL('**#part-campaign');
  const last = page.locator('#part-campaign');
  await until('the last section is in the window', async () => {
    const { y } = (await last.boundingBox())!;
    return y >= -1 && y < 700;
  });
  // two pictures stand side by side
  const [grid, effects] = await Promise.all(
    ['#part-grid', '#part-effects'].map(async (part) => (await page.locator(part).boundingBox())!),
  );
  expect([grid!.y, grid!.x < effects!.x]).toEqual([effects!.y, true]);
  await page.setViewportSize({ width: 1_920, height: 900 });
  await page.goto(`${server.url}/compare?id=fit&id=other`);
  const figures = await page.locator('figure').all();
  const [one, two] = await Promise.all(figures.map(async (figure) => (await figure.boundingBox())!));
  expect([one!.y, one!.width > 800, two!.x > 960]).toEqual([two!.y, true, true]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a page follows its campaign without a reload, and the keyboard can pause the campaign', async () => {
  const { context, page, complaints } = await loggedIn();
  // the runs last longer than the test, which cancels them
  await world.foray.submit(rehearsal({ count: 600, seconds: 1, first: 1_000 }), { id: 'live' });
  await page.goto(`${server.url}/campaigns/live`);
  await page.evaluate(() => Object.assign(globalThis, { wasLoadedOnce: true }));
  const status = page.locator('#status');
  const shows = (phase: string) =>
    until(`the page shows that the campaign is ${phase}`, async () =>
      (await status.locator('.phase').innerText()).includes(phase),
    );
  await until('runs finish on the page', async () => /[1-9]\d* new/.test(await status.innerText()));
  await page.getByRole('button', { name: 'Pause' }).focus();
  // the button loads the page again; an update of the old page may show the pause earlier
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await loaded;
  expect(page.url()).toBe(`${server.url}/campaigns/live`);
  await shows('paused');
  await page.evaluate(() => Object.assign(globalThis, { wasLoadedOnce: true }));
  await world.foray.steer('live', 'resume');
  await page.getByText('What is shown').click();
  await shows('running');
  await world.foray.cancel('live');
  await shows('cancelled');
  await until('the page announces the end', async () =>
    (await page.locator('#news').innerText()).includes('The campaign is cancelled.'),
  );
  expect(await page.evaluate(() => 'wasLoadedOnce' in globalThis)).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the keyboard can start and cancel a campaign', async () => {
  const { context, page, complaints } = await loggedIn();
  /** Presses Tab until the focus is on the control with this name, and then Enter. */
  const press = async (name: string): Promise<void> => {
    const focused = '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()';
    for (let steps = 0; (await page.evaluate(focused)) !== name; steps += 1) {
      if (steps > 100) throw new Error(`the keyboard does not get to "${name}"`);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  await page.goto(`${server.url}/`);
  await press('New campaign');
  await page.waitForURL('**/new');
  await page.goto(`${server.url}/new?model=Rehearsal`);
  await page.locator('[name="/inputs/Seconds:0"]').fill('600');
  await press('Start');
  await page.waitForURL('**/campaigns/rehearsal-*');
  await press('Cancel …');
  await page.waitForURL('**/cancel');
  await press('Cancel the campaign');
  await page.waitForURL('**/campaigns/rehearsal-*');
  const status = page.locator('#status');
  await until('the page shows that the campaign is cancelled', async () =>
    (await status.innerText()).includes('cancelled'),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test('an update keeps checked boxes and the focus in the list, and open parts in the report', async () => {
  const { context, page, complaints } = await loggedIn();
  await page.goto(`${server.url}/`);
  await page.getByRole('checkbox', { name: 'fit', exact: true }).press('Space');
  await world.foray.submit(rehearsal({ count: 600, seconds: 1, first: 2_000 }), { id: 'ticked' });
  await until('a new campaign is in the list', async () => (await page.getByText('ticked').count()) > 0);
  const tick = page.getByRole('checkbox', { name: 'fit', exact: true });
  expect(await tick.isChecked()).toBe(true);
  expect(await page.evaluate('document.activeElement.value')).toBe('fit');

  await page.goto(`${server.url}/campaigns/ticked`);
  const facts = page.locator('#part-campaign');
  await facts.getByText('Definition').click();
  const before = await facts.innerText();
  await until('the open part has changed', async () => (await facts.innerText()) !== before);
  expect(await facts.locator('details[open]').count()).toBe(1);
  await world.foray.cancel('ticked', 'it was seen');
  expect(complaints).toEqual([]);
  await context.close();
});

test('an update of many sections replaces one of them at a time, and the browser draws and answers in between', async () => {
  const { context, page, complaints } = await loggedIn();
  await page.goto(`${server.url}/campaigns/fit`);
  const sections = page.locator('#report > div');
  await until('the pictures are drawn', async () => (await sections.locator('svg').count()) > 2);
  const { parts } = (await (await page.request.get(`${server.url}/campaigns/fit/live`)).json()) as {
    parts: { id: string; html: string }[];
  };
  const changed = parts.map(({ id, html }) => ({
    id,
    hash: 'new',
    html: html.replaceAll('<div id="part-', '<div title="new" id="part-'),
  }));
  const watch = `(told) => {
    globalThis.added = [];
    globalThis.fetch = async () => new Response(JSON.stringify(told), { headers: { etag: '"new"' } });
    const note = (records) => added.push(records.flatMap(({ addedNodes }) => [...addedNodes]).length);
    new MutationObserver(note).observe(document.querySelector('#report'), { childList: true });
  }`;
  await page.evaluate(`(${watch})(${JSON.stringify({ next: 10_000, parts: changed })})`);
  const count = await sections.count();
  await until(
    'all sections are replaced',
    async () => (await page.locator('#report > [title=new]').count()) === count,
  );
  expect(count).toBeGreaterThan(3);
  expect(await page.evaluate('Math.max(...added)')).toBe(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the page plans the typed definition, a mistake links to its line, and the fields follow the definition', async () => {
  const { context, page, complaints } = await loggedIn();
  await page.goto(`${server.url}/new?model=Epidemic&way=grid`);
  const text = page.locator('textarea[name=definition]');
  const head = 'campaign: x\nmodel: {name: Epidemic}\n';
  await text.fill(`${head}design: {grid: {Contact rate: [1, 1.5, 2]}} # mine\n`);
  await until('the page has a plan', async () =>
    (await page.locator('#plan').innerText()).includes('3 points'),
  );
  expect(await page.locator('[name="/design/grid/Contact rate:0"]').inputValue()).toBe('1, 1.5, 2');
  await page.locator('[name="/design/grid/Contact rate:0"]').fill('1, 2');
  await until('the definition follows', async () => (await text.inputValue()).includes('[1, 2]'));
  expect(await text.inputValue()).toContain('# mine');
  await text.fill('campaign: x\nmodel: {name: Epidemi}\n');
  await until('the page shows the mistake', async () =>
    (await page.locator('#plan').innerText()).includes('Line 2'),
  );
  await page.getByRole('link', { name: /Line 2/ }).click();
  const chosen = await page.evaluate(
    '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.querySelector("textarea[name=definition]"))',
  );
  expect(chosen).toBe('model: {name: Epidemi}');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a start takes the last values of the fields, although the server has not answered to them', async () => {
  const { context, page, complaints } = await loggedIn();
  await page.goto(`${server.url}/new?model=Rehearsal&way=grid`);
  await page.route('**/new/form', (route) => route.abort());
  await page.locator('[name="/design/grid/Value?"]').selectOption({ label: 'values' });
  await page.locator('[name="/design/grid/Value:0"]').fill('1, 2, 3');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/campaigns/rehearsal-*');
  const id = page.url().split('/').at(-1)!;
  // the design is expanded a moment after the start
  await until('the campaign has three points', async () => (await world.foray.status(id)).points === 3);
  expect(complaints.filter((one) => !one.includes('net::ERR_FAILED'))).toEqual([]);
  await context.close();
});

test('the cells of a grid are at the places of their values; a picture is saved as it stands on paper; Enter or a click on a cell opens the page of its point, and a drag filters the page', async () => {
  const { context, page, complaints } = await loggedIn({ colorScheme: 'dark' });
  const tip = page.locator('.tip');
  const figure = page.locator('#part-grid figure');
  await page.goto(`${server.url}/campaigns/fit`);
  await figure.waitFor();
  const { marks } = await marksOf(figure);
  expect(marks).toHaveLength(6);
  await figure.focus();
  await page.keyboard.press('Home');
  const places: { contact: number; recovery: number; x: number; y: number }[] = [];
  for (const { x, y, point } of marks) {
    const text = await tip.innerText();
    expect(text).toContain(`Point: ${point}`);
    const [contact, recovery] = text.match(/(?<=rate \(per day\): )[\d.]+/g)!.map(Number);
    places.push({ contact: contact!, recovery: recovery!, x, y });
    await page.keyboard.press('PageDown');
  }
  for (const one of places)
    for (const other of places) {
      expect(Math.sign(one.x - other.x)).toBe(Math.sign(one.contact - other.contact));
      expect(Math.sign(other.y - one.y)).toBe(Math.sign(one.recovery - other.recovery));
    }

  const saved = async (format: string): Promise<string> => {
    const button = page.locator('#part-grid').getByRole('button', { name: format, exact: true });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return readFileSync(await download.path(), 'utf8');
  };
  expect(await saved('SVG')).toMatch(/^<svg [^>]*style="color: #1c2026; background: #ffffff"/);
  expect((await saved('PNG')).slice(1, 4)).toBe('PNG');

  // from the first cell, the arrows lead to the next value of each input
  await figure.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  expect(await tip.innerText()).toMatch(/Contact rate \(per day\): 1\.6\nRecovery rate \(per day\): 0\.5\n/);
  const shows = async (place: { contact: number; recovery: number }): Promise<void> => {
    await page.waitForURL('**/campaigns/fit/points/*');
    const inputs = await page.getByRole('region', { name: 'Input, Value, Units, Varied' }).innerText();
    expect(inputs).toMatch(new RegExp(`Contact rate\\s+${place.contact}\\s`));
    expect(inputs).toMatch(new RegExp(`Recovery rate\\s+${place.recovery}\\s`));
    await page.goto(`${server.url}/campaigns/fit`);
    await figure.waitFor();
  };
  await page.keyboard.press('Enter');
  await shows({ contact: 1.6, recovery: 0.5 });
  const svg = figure.locator('svg');
  await svg.click({ position: await positionOf(figure, marks[0]!) });
  await shows(places[0]!);

  await svg.scrollIntoViewIfNeeded();
  const frame = (await svg.boundingBox())!;
  // from the first cell, which is the lowest of both inputs, over its neighbour to the right
  const neighbour = marks.find(({ x, y }) => x > marks[0]!.x && y === marks[0]!.y)!;
  const [from, to] = await Promise.all([marks[0]!, neighbour].map((mark) => positionOf(figure, mark)));
  await page.mouse.move(frame.x + from!.x - 10, frame.y + from!.y - 10);
  await page.mouse.down();
  await page.mouse.move(frame.x + to!.x + 10, frame.y + to!.y + 10, { steps: 4 });
  expect(await page.locator('.brush').isVisible()).toBe(true);
  const loaded = page.waitForEvent('load');
  await page.mouse.up();
  await loaded;
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('in:Contact rate')).toBe('1.2..1.6');
  expect(searchParams.get('in:Recovery rate')).toBe('0.4..0.4');
  await until('the page shows the chosen points', async () =>
    /Points shown\s*2 of 6/.test(await page.locator('#report').innerText()),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test('without JavaScript, a person can read, start, steer, download and compare campaigns', async () => {
  const { context: bare, page: tab } = await loggedIn({ javaScriptEnabled: false });
  await tab.goto(`${server.url}/campaigns/fit`);
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('fit');
  // the page reloads until its pictures are drawn
  await until('the page has its pictures', async () => (await tab.locator('#report svg').count()) > 2);
  await tab.getByRole('link', { name: 'Delete …' }).click();
  expect(await tab.getByRole('button', { name: 'Delete the campaign' }).count()).toBe(1);

  // the person starts, pauses, cancels and downloads another campaign, and compares two campaigns
  await tab.goto(`${server.url}/new`);
  await tab.locator('[name="/model/name"]').selectOption('Rehearsal');
  await tab.getByLabel('Every combination').check();
  await tab.getByRole('button', { name: 'Show the fields' }).click();
  await tab.locator('[name="/inputs/Seconds:0"]').fill('600');
  await tab.locator('[name="/design/grid/Value?"]').selectOption({ label: 'values' });
  await tab.locator('[name="/design/grid/Value:0"]').fill('1, 2, 3, 4, 5, 6, 7, 8, 9');
  await tab.getByRole('button', { name: 'Start' }).click();
  await tab.waitForURL('**/campaigns/rehearsal-*');
  const started = new URL(tab.url()).pathname.split('/').at(-1)!;
  const pause = tab.getByRole('button', { name: 'Pause' });
  // the page has the buttons of the phase in which it was loaded
  await until('the page shows that the campaign runs', async () => {
    await tab.reload();
    return (await pause.count()) === 1;
  });
  await pause.click();
  await until('the campaign is paused', async () => (await world.foray.record(started)).phase === 'paused');
  await tab.getByRole('link', { name: 'Cancel …' }).click();
  await tab.getByRole('button', { name: 'Cancel the campaign' }).click();
  await until(
    'the campaign is cancelled',
    async () => (await world.foray.record(started)).phase === 'cancelled',
  );
  await tab.waitForURL(`**/campaigns/${started}`);
  await tab.goto(`${server.url}/campaigns/${started}`);
  expect(await tab.locator('#status').innerText()).toContain('cancelled');
  await tab.getByRole('link', { name: 'Downloads' }).click();
  const download = tab.waitForEvent('download');
  await tab.getByRole('link', { name: 'Results as CSV, one row per run' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  await tab.goto(server.url);
  for (const id of ['fit', 'other']) await tab.getByRole('checkbox', { name: id, exact: true }).check();
  await tab.getByRole('button', { name: 'Compare two' }).click();
  await tab.waitForURL('**/compare?*');
  // as in the list, the newest campaign comes first
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('other and fit');
  await bare.close();
});

test('an open tab reports that the campaign was cancelled or deleted, that the login has ended, or that the server does not answer', async () => {
  const own = await serverOf(world);
  const [here, there] = [await loggedIn(), await browser.newContext()];
  const open = async (context: BrowserContext, address: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  const says = async (page: Page, words: string): Promise<void> => {
    await until(words, async () => (await page.locator('#news').innerText()).includes(words));
  };
  await world.foray.submit(rehearsal({ count: 2, seconds: 600 }), { id: 'left' });
  await here.page.goto(`${server.url}/`);
  const campaign = await open(here.context, `${server.url}/campaigns/left`);
  const fields = await open(here.context, `${server.url}/new?model=Rehearsal`);
  const list = await open(there, own.loginUrl(KEY));
  await list.waitForURL(`${own.url}/`);
  await world.foray.cancel('left');
  await says(campaign, 'The campaign is cancelled.');
  await world.foray.delete('left');
  await says(campaign, 'This was deleted.');
  await here.context.clearCookies();
  await fields.locator('[name="/inputs/Value:0"]').fill('1');
  await own.close();
  await Promise.all([
    says(here.page, 'You are logged out.'),
    says(fields, 'What you typed is kept.'),
    says(list, 'The server has not answered since'),
  ]);
  await Promise.all([here.context.close(), there.close()]);
});

// a browser opens at most six connections to a server
test('seven tabs of one browser follow a campaign', async () => {
  const { context, page, complaints } = await loggedIn();
  await world.foray.submit(rehearsal({ count: 12, seconds: 1, first: 500 }), { id: 'tabs' });
  const tabs = [page, ...(await Promise.all(Array.from({ length: 6 }, () => context.newPage())))];
  await Promise.all(tabs.map((tab) => tab.goto(`${server.url}/campaigns/tabs`)));
  await Promise.all(
    tabs.map((tab, at) =>
      until(`tab ${at} shows the end`, async () =>
        (await tab.locator('#status').innerText()).includes('completed'),
      ),
    ),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test('hostile values run no script', async () => {
  const texts = Array.from({ length: 100 }, (_, at) => `${HOSTILE[at % HOSTILE.length]}${at}`);
  const definition = {
    campaign: 'hostile',
    model: { name: 'Hostile' },
    design: { points: texts.map((text) => ({ Text: text })) },
    concurrency: 20,
  };
  await world.foray.submit({ definition }, { id: 'hostile' });
  await until('some runs have ended', async () => (await world.foray.counts('hostile')).failed > 5);
  await world.foray.cancel('hostile', HOSTILE[1]);
  await until(
    'the campaign is cancelled',
    async () => (await world.foray.status('hostile')).phase === 'cancelled',
  );
  const { context, page, complaints } = await loggedIn();
  // the content security policy would block a script of the test, so the browser itself runs this code
  const violations: unknown[] = [];
  await page.exposeFunction('violated', (what: unknown) => violations.push(what));
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', ({ blockedURI, sample }) => violated([blockedURI, sample]))",
  );
  // the page of a point with a failed run has the log of the run
  const { point: key } = (await world.foray.failureLogs('hostile'))[0]!;
  const paths = ['', '/runs', '/failures', '/definition', '/downloads', `/points/${key}`];
  for (const path of ['/', '/models', '/models/Hostile', '/new?model=Hostile', '/new?from=hostile']) {
    await page.goto(server.url + path);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  }
  for (const path of paths) {
    await page.goto(`${server.url}/campaigns/hostile${path}`);
    if (path === '') await page.locator('#report section').first().waitFor();
    expect([path, await page.evaluate('globalThis.hacked')]).toEqual([path, undefined]);
    expect(await page.locator('a[href^="javascript" i]').count()).toBe(0);
    if (path.startsWith('/points'))
      expect(await page.locator('td details pre').first().textContent()).toContain('hacked=1');
  }
  await page.goto(`${server.url}/campaigns/hostile/definition`);
  expect(await page.locator('textarea[name=definition]').inputValue()).toContain('99');
  expect([violations, complaints]).toEqual([[], []]);
  await context.close();
});
