import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Server, startServer } from '../../src/server/app.ts';
import { OwnKey } from '../../src/server/keys.ts';
import { serverOf } from '../server/support.ts';
import { EPIDEMIC, INVENTORY } from '../service/fixed.ts';
import { launchBrowser } from '../support/browser.ts';
import { cancelOpen, toTheEnd } from '../support/campaigns.ts';
import fc from '../support/fast-check.ts';
import { until } from '../support/until.ts';
import { KEY, startWorld, type World } from '../support/world.ts';

/** A person who has never written a definition makes campaigns of each kind by the page alone. */

const folder = mkdtempSync(join(tmpdir(), 'foray-form-'));
let world: World;
let server: Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  world = await startWorld({ executors: 2, models: [EPIDEMIC, INVENTORY] });
  await world.startWorker();
  server = await serverOf(world);
  page = await browser.newPage();
  await logIn();
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await world.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => cancelOpen(world));

async function logIn(on = page): Promise<void> {
  await on.goto(server.loginUrl(KEY));
  await on.waitForURL(`${server.url}/`);
}

async function begin(model: string, way: string): Promise<void> {
  await page.goto(`${server.url}/new`);
  await page.evaluate('sessionStorage.clear()');
  await page.goto(`${server.url}/new`);
  await field('model/name').selectOption(model);
  await page.getByLabel(way, { exact: true }).check();
  // the definition and the fields change together
  await until(`the page shows the fields of ${way}`, async () =>
    /search|design|calibrate/.test(await page.locator('textarea[name=definition]').inputValue()),
  );
}

const field = (name: string) => page.locator(`[name="/${name}"]`);

/** Chooses one of the shapes of a setting, and fills in its fields. */
async function choose(name: string, shape: string, fields: Record<string, string>): Promise<void> {
  // a person sees what the server makes of the choice before the fields are filled in
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
  await field(`${name}?`).selectOption({ label: shape });
  await answered;
  const at = await field(`${name}?`).inputValue();
  for (const [key, value] of Object.entries(fields)) await field(`${name}:${at}${key}`).fill(value);
}

async function start(): Promise<string> {
  await page.locator('#plan .answer').waitFor();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/campaigns/*');
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  await until(`${id} is there`, async () => (await world.foray.status(id)).points >= 0);
  return id;
}

test('a grid with replications until a mean is precise; a step back shows the form that was sent, to the person who has sent it', async () => {
  await begin('Epidemic', 'Every combination');
  await field('inputs/Population:0').fill('50');
  await choose('design/grid/Contact rate', 'values', { '': '1.5, 2' });
  await field('campaign').fill('and-back');
  await page.locator('summary', { hasText: 'Replications' }).click();
  await choose('replications', 'until precise', { '/min': '5', '/max': '40', '/relative': '0.3' });
  await choose('replications:1/output', 'one value', { '': 'Peak infected' });
  const shape = await field('design/grid/Contact rate?').inputValue();
  const id = await start();
  const { campaign } = await world.foray.record(id);
  expect(campaign.precision).toMatchObject({ min: 5, max: 40 });
  await until('the draft is forgotten', async () => {
    const names = await page.evaluate<string[]>('Object.keys(sessionStorage)');
    return !names.some((name) => name.startsWith('draft '));
  });

  const shown = (): Promise<string[]> =>
    Promise.all(
      [field('campaign'), field(`design/grid/Contact rate:${shape}`)].map((one) => one.inputValue()),
    );
  await page.goBack();
  await until(
    'the form is as it was sent',
    async () => JSON.stringify(await shown()) === '["and-back","1.5, 2"]',
  );
  await page.evaluate("history.replaceState({ ...history.state, user: 'another person' }, '')");
  await page.reload();
  await page.waitForLoadState('networkidle');
  expect(await field('campaign').inputValue()).not.toBe('and-back');
});

test('a search with a requirement and a confirmation', async () => {
  await begin('Inventory', 'Search');
  await choose('search/over/Reorder point', 'between two values', { '/min': '10', '/max': '40' });
  await field('search?maximize|minimize').selectOption('minimize');
  await field('search/minimize').fill('Mean total cost');
  await page.locator('summary', { hasText: 'Require' }).click();
  await field('search/require/Service level/min').fill('0.5');
  await page.locator('summary', { hasText: 'Stop' }).click();
  await field('search/stop/points').fill('4');
  await page.locator('summary', { hasText: 'Confirm' }).click();
  await field('search/confirm/indifference').fill('5');
  const { definition } = await world.foray.record(await start());
  for (const line of ['minimize: Mean total cost', 'Service level: { min: 0.5 }', 'indifference: 5'])
    expect(definition).toContain(line);
});

test('a sensitivity analysis', async () => {
  await begin('Epidemic', 'Trajectories (Morris)');
  for (const name of ['Contact rate', 'Recovery rate'])
    await choose(`design/morris/inputs/${name}`, 'uniform', { '/min': '0.5', '/max': '0.9' });
  await choose('design/morris/trajectories', 'one value', { '': '4' });
  const id = await start();
  await until('the campaign has its points', async () => (await world.foray.status(id)).points === 12);
});

test('a calibration with a file of observations; two campaigns are compared', async () => {
  const file = join(folder, 'observed.csv');
  writeFileSync(file, 'Peak infected,Peak day\n300,7\n');
  await begin('Epidemic', 'Calibration (ABC)');
  await choose('calibrate/abc/priors/Contact rate', 'uniform', { '/min': '1', '/max': '3' });
  await page.locator('[name="upload/calibrate/abc/observed"]').setInputFiles(file);
  const text = page.locator('textarea[name=definition]');
  await until('the definition has the observations', async () =>
    (await text.inputValue()).includes('Peak day: 7'),
  );
  await field('calibrate/abc/particles').fill('10');
  await start();
  await page.goto(`${server.url}/compare`);
  const options = await page.getByLabel('First').locator('option').allInnerTexts();
  const [a, b] = options.filter((one) => one.includes('Epidemic')).map((one) => one.split(' ')[0]!);
  await page.getByLabel('First').selectOption(a!);
  await page.getByLabel('Second').selectOption(b!);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL('**/compare?**');
  expect(page.url()).toContain(`a=${a}`);
});

test('nothing typed is lost in six interruptions', async () => {
  await begin('Epidemic', 'Latin hypercube');
  const days = field('inputs/Days:0');
  const interruptions: [string, () => Promise<unknown>][] = [
    [
      'restart of the server',
      async () => {
        const { port } = server;
        await server.close();
        server = await startServer({ ...world, keys: new OwnKey(KEY, 'somebody'), port });
        await logIn();
        await page.goto(`${server.url}/new`);
      },
    ],
    ['reload', () => page.reload()],
    [
      'plan',
      async () => {
        await page.getByRole('button', { name: 'Plan' }).click();
        await page.waitForURL('**/new');
      },
    ],
    [
      'refused start',
      async () => {
        await page.getByRole('button', { name: 'Start' }).click();
        await page.locator('.mistakes').waitFor();
        await page.goto(`${server.url}/new`);
      },
    ],
    [
      'login that ended',
      async () => {
        await page.context().clearCookies();
        await page.getByRole('button', { name: 'Start' }).click();
        await page.getByText('You are logged out').waitFor();
        await logIn();
        await page.goto(`${server.url}/new`);
      },
    ],
    [
      'back',
      async () => {
        await page.goto(`${server.url}/models`);
        await page.goBack();
      },
    ],
  ];
  // the seed of fast-check (FORAY_SEED) chooses the order
  const drawn = fc.shuffledSubarray(interruptions, { minLength: interruptions.length });
  const order = fc.sample(drawn, 1).flat();
  for (let at = 0; at < order.length; at += 1) {
    const [name, interrupt] = order[at]!;
    const typed = String(100 + at);
    await days.fill(typed);
    await field('campaign').fill(`two words ${at}`);
    await interrupt();
    await until(`the form is whole after ${name}`, async () => {
      const now = [await days.inputValue(), await field('campaign').inputValue()];
      return now[0] === typed && now[1] === `two words ${at}`;
    });
  }
});

test('after a step back, when the browser fills in texts and not the fields, the definition counts', async () => {
  const text = 'campaign: again\nmodel: {name: Epidemic}\ndesign: {grid: {Days: [3, 4]}}\n';
  const own = await browser.newPage();
  await logIn(own);
  await own.addInitScript(`addEventListener('DOMContentLoaded', () => {
    const { definition, was } = document.querySelector('#form').elements;
    definition.value = was.value = ${JSON.stringify(text)};
  })`);
  await own.goto(`${server.url}/new`);
  await own.getByText('This is what you typed earlier.').waitFor();
  expect(await own.locator('textarea[name=definition]').inputValue()).toBe(text);
  expect(await own.locator('[name="/campaign"]').inputValue()).toBe('again');
  expect(await own.locator('[name="/design/grid/Days:0"]').inputValue()).toBe('3, 4');
  await own.close();
});

test('a start while the campaign is planned asks for nothing further, and stays a start', async () => {
  await begin('Epidemic', 'Latin hypercube');
  await page.locator('#plan > *').first().waitFor();
  const asked: (string | null)[] = [];
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/new/form', async (route) => {
    const isPlan = route.request().postData()!.includes('name="do"\r\n\r\nplan');
    asked.push(isPlan ? 'plan' : 'form');
    if (isPlan) await held;
    await route.continue();
  });
  let answer = (): void => {};
  const started = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/new', async (route) => {
    await started;
    await route.fulfill({ contentType: 'text/html', body: '<h1>Started</h1>' });
  });
  await field('campaign').fill('started');
  await until('the plan is asked for', () => Promise.resolve(asked.includes('plan')));
  await page.getByRole('button', { name: 'Start' }).click({ noWaitAfter: true });
  const planned = page.waitForResponse('**/new/form');
  letGo();
  await (await planned).finished();
  answer();
  await page.getByText('Started').waitFor();
  expect(await page.evaluate("JSON.parse(sessionStorage['draft /new']).sent")).toBe(true);
  expect(asked).toEqual(['form', 'plan']);
  await page.unroute('**/new/form');
  await page.unroute('**/new');
});

test('a file with points is uploaded once, stays while other fields change, and starts; a file that is too large is refused at its field', async () => {
  const [file, large] = [join(folder, 'points.csv'), join(folder, 'large.csv')];
  writeFileSync(file, 'Contact rate,Days\n1.5,5\n1.6,6\n1.7,7\n');
  writeFileSync(large, Buffer.alloc(8 * 1024 ** 2 + 1, '1'));
  await begin('Epidemic', 'A list of points');
  await field('design/points?').selectOption({ label: 'one value' });
  const upload = page.locator('[name^="upload/design/points"]');
  await upload.setInputFiles(large);
  await page.getByText('"large.csv" is too large').waitFor();
  await upload.setInputFiles(file);
  await page.getByText(/3\s+points/).waitFor();
  await field('inputs/Population:0').fill('50');
  const text = page.locator('textarea[name=definition]');
  await until('the definition has both', async () =>
    /(?=[^]*Population: 50)[^]*points.csv/.test(await text.inputValue()),
  );
  const id = await start();
  await until(
    'the campaign has the points of the file',
    async () => (await world.foray.status(id)).points === 3,
  );
});

test('a draft of a definition that somebody has changed meanwhile reverts nothing, and can be discarded; a difference can be applied only while the definition is the one that was compared', async () => {
  const text = 'campaign: shared\nmodel: {name: Epidemic}\ninputs: {Population: 20, Days: 5}\n';
  await world.foray.submit({ text, file: 'shared.yaml' }, { id: 'shared' });
  await toTheEnd(world, 'shared');
  const area = page.locator('textarea[name=definition]');
  const open = (): Promise<unknown> => page.goto(`${server.url}/campaigns/shared/definition`);
  const compare = (): Promise<void> => page.getByRole('button', { name: 'Show the difference' }).click();
  await open();
  await area.fill(`${text}# mine\n`);
  await page.goto(`${server.url}/models`);
  const other = text.replace('Days: 5', 'Days: 6');
  await world.foray.apply('shared', { text: other, file: 'shared.yaml' });
  await open();
  await page.getByText('Somebody has changed the definition since.').waitFor();
  expect(await area.inputValue()).toContain('# mine');
  await compare();
  await page.getByText('Nothing is applied yet').waitFor();
  await open();
  await page.getByRole('button', { name: 'Discard it' }).click();
  await until('the page shows the definition', async () => (await area.inputValue()).trim() === other.trim());
  await open();
  expect((await area.inputValue()).trim()).toBe(other.trim());

  await area.fill(text.replace('Days: 5', 'Days: 7'));
  await compare();
  const apply = page.getByRole('button', { name: 'Apply' });
  expect(await apply.isEnabled()).toBe(true);
  const compared = await area.inputValue();
  await area.fill(`${compared}# typed afterwards\n`);
  expect(await apply.isDisabled()).toBe(true);
  await page.getByText('Show the difference again, then apply it.').waitFor();
  await area.fill(compared);
  await apply.click();
  await page.waitForURL('**/campaigns/shared');
  expect((await world.foray.record('shared')).definition).toContain('Days: 7');
});

test('a form that the server did not take stays a draft, and nobody else sees it', async () => {
  await begin('Epidemic', 'Latin hypercube');
  await field('campaign').fill('mine');
  await page.route('**/new', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 429,
          contentType: 'text/html',
          body: '<main data-next="0" data-user="somebody"><p id="news"></p><h1 data-problem>Too much at once</h1></main><script type="module" src="/page.js"></script>',
        })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Too much at once').waitFor();
  await page.unroute('**/new');
  await page.goto(`${server.url}/models`);
  await page.goto(`${server.url}/new`);
  await until('the draft is back', async () => (await field('campaign').inputValue()) === 'mine');
  await page.evaluate("sessionStorage.user = 'another person'");
  await page.goto(`${server.url}/new`);
  await page.waitForLoadState('networkidle');
  expect(await field('campaign').inputValue()).not.toBe('mine');
  expect(await page.getByText('This is what you typed earlier').count()).toBe(0);
});

/** Lets answers about the form wait. Returns a function that lets them go on, when at least one of them waits. */
async function holdAnswers(): Promise<() => Promise<void>> {
  const held: (() => void)[] = [];
  const path = '**/new/form';
  await page.route(path, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue().catch(() => {});
  });
  return async () => {
    await until('an answer waits', () => Promise.resolve(held.length > 0));
    await page.unroute(path);
    for (const letGo of held) letGo();
  };
}

test('what was typed in a field and in the text holds, wherever the focus is when the answer comes', async () => {
  await begin('Epidemic', 'Latin hypercube');
  const text = page.locator('textarea[name=definition]');
  const definition = (): Promise<string> => text.inputValue();
  await page.locator('#plan > *').first().waitFor();
  let letGo = await holdAnswers();
  await field('campaign').fill('from-the-field');
  await text.focus();
  await letGo();
  await until('the text has the field', async () => (await definition()).includes('from-the-field'));
  await text.press('Control+End');
  await page.keyboard.type('seed: 7\n');
  await until('the field has the text', async () => (await field('seed').inputValue()) === '7');
  expect(await definition()).toContain('campaign: from-the-field');
  letGo = await holdAnswers();
  await text.fill((await definition()).replace('seed: 7', 'seed: 8 # mine'));
  await field('campaign').focus();
  await letGo();
  await until('the field has the text', async () => (await field('seed').inputValue()) === '8');
  await field('campaign').press('End');
  await page.keyboard.type('-2');
  await until('the text has both', async () =>
    /(?=[^]*from-the-field-2)[^]*seed: 8 # mine/.test(await definition()),
  );
});

test('an answer leaves the controls of the page in place: no focus, click or open list is lost, and Enter plans', async () => {
  await begin('Epidemic', 'Latin hypercube');
  await page.locator('#plan > *').first().waitFor();
  const controls = `[...document.querySelectorAll('#form button, #form select, #form [type=file], [name="/campaign"]')]`;
  const plan = page.locator('#plan');
  await page.evaluate(`window.before = ${controls}`);
  const letGo = await holdAnswers();
  await field('design/lhs/points').fill('many');
  await page.getByRole('button', { name: 'Start' }).focus();
  await letGo();
  await until('the plan says what is wrong', async () => (await plan.innerText()).includes('points'));
  expect(await page.evaluate(`window.before.every((one, at) => one === ${controls}[at])`)).toBe(true);
  expect(await page.evaluate('document.activeElement.value')).toBe('start');
  expect(await page.evaluate(`document.querySelectorAll('noscript *').length`)).toBe(0);
  const posted = page.waitForRequest((one) => one.url().endsWith('/new') && one.method() === 'POST');
  await field('design/lhs/points').press('Enter');
  expect((await posted).postData()).toMatch(/name="do"\s+plan/);
  await page.waitForLoadState();
});

test('after an answer that breaks off, the page does not wait for ever', async () => {
  await begin('Epidemic', 'Latin hypercube');
  await page.locator('#plan > *').first().waitFor();
  await page.evaluate(`
    window.whole = window.fetch;
    window.fetch = async (url, options) => {
      const answer = await window.whole(url, options);
      if (options?.body?.get('do') !== 'plan') return answer;
      return new Response(new ReadableStream({ start: (body) => body.error(new Error('cut')) }));
    };`);
  await field('inputs/Population:0').fill('50');
  await page.getByText('The server does not take the form now.').waitFor();
  expect(await page.locator('#plan').innerText()).toBe('');
  await page.evaluate('window.fetch = window.whole');
  await field('inputs/Population:0').fill('51');
  await page.locator('#plan > *').first().waitFor();
});

test('while a draft comes back, nothing can be typed over it; a draft that does not come back is kept', async () => {
  await begin('Epidemic', 'Latin hypercube');
  await field('campaign').fill('draft');
  await page.locator('#plan > *').first().waitFor();
  const letGo = await holdAnswers();
  await page.reload();
  const isInert = (): Promise<unknown> => page.evaluate('document.querySelector("#form").inert');
  expect(await isInert()).toBe(true);
  await letGo();
  await until('the draft is back', async () => (await field('campaign').inputValue()) === 'draft');
  expect(await isInert()).toBe(false);
  await page.route('**/new/form', (route) => route.abort());
  await page.reload();
  await page.getByText('What you typed earlier is kept. Load the page again.').waitFor();
  expect(await isInert()).toBe(true);
  await page.unroute('**/new/form');
  await page.reload();
  await until('the draft is back', async () => (await field('campaign').inputValue()) === 'draft');
});
