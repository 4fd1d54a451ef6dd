import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { AnimationInfo } from '../../src/api/resources.ts';
import { RemoteSession, startAnimation } from '../service/animations.ts';
import {
  SHIPPED_MODELS,
  onCleanup,
  startTestService,
  temporaryFolder,
  type TestService,
  writeModel,
} from '../service/support.ts';
import { launchBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

interface Opened {
  page: Page;
  session: RemoteSession;
  info: AnimationInfo;
  /** The addresses of all requests of the page, and the messages of the page in the console. */
  asked: string[];
  complaints: string[];
}

async function open(
  service: TestService,
  model: string,
  inputs: Parameters<typeof startAnimation>[2] = {},
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Opened> {
  const { body: info } = await startAnimation(service, await service.latest(model), inputs);
  const context = await browser.newContext(options);
  onCleanup(() => context.close());
  const page = await context.newPage();
  const [asked, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(info.bundleUrl!);
  await page.locator('.foray-stage svg').waitFor();
  return { page, session: new RemoteSession(service, info), info, asked, complaints };
}

function picture(page: Page): Promise<string> {
  return page.locator('.foray-stage').innerHTML();
}

async function changes(page: Page): Promise<void> {
  const before = await picture(page);
  await until('the picture changes', async () => (await picture(page)) !== before);
}

describe('the page of an animated run', () => {
  test('draws the run while the run executes, without requests outside of its session and without messages in the console', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const { page, session, asked, complaints } = await open(service, 'Epidemic', { Days: 1000 });
    await page.getByRole('heading', { name: 'Epidemic', level: 1 }).waitFor();
    await page.getByRole('status').getByText('Running').waitFor();
    // the test reads the width in one call, because each frame replaces the element
    const width = await page.evaluate<number>(
      "document.querySelector('.foray-stage svg').getBoundingClientRect().width",
    );
    expect(width).toBeGreaterThan(600);
    expect(await page.locator('.foray-stage svg path').count()).toBeGreaterThan(4);
    for (let n = 0; n < 3; n++) await changes(page);
    expect(asked.filter((url) => !url.startsWith(`${session.address}/`))).toEqual([session.address]);
    expect(complaints).toEqual([]);
  });

  test('has buttons that control the run', async () => {
    const service = await startTestService();
    const { page, session } = await open(service, 'Rehearsal', { Seconds: 100_000 });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('status').getByText('Paused').waitFor();
    const held = await session.frame();
    expect(held.status).toBe('PAUSED');
    await page.getByText(`${held.time.toFixed(1)}`, { exact: true }).waitFor();
    const still = await picture(page);
    for (let n = 0; n < 30; n++) await session.frame();
    expect(await picture(page)).toBe(still);

    // the label covers the input, so a mouse can only click the label
    await page.locator('label', { hasText: '10×' }).click();
    await page.getByText('10 seconds a second').waitFor();
    expect((await session.frame()).speed).toBe(10);
    await page.getByRole('button', { name: 'Play' }).click();
    await changes(page);
    expect((await session.frame()).status).toBe('RUNNING');

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('status').getByText('Stopped').waitFor();
    expect((await session.frame()).status).toBe('STOPPED');
    expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
    expect(await page.locator('.foray-stage svg').count()).toBe(1);
  });

  test('has keys that control the run', async () => {
    const service = await startTestService();
    const { page, session } = await open(service, 'Rehearsal', { Seconds: 100_000 });
    await page.keyboard.press('Space');
    await page.getByRole('status').getByText('Paused').waitFor();
    await page.keyboard.press('+');
    await page.getByText('2 seconds a second').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Running').waitFor();
    await page.getByRole('radio', { name: '2×' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('5 seconds a second').waitFor();
    expect((await session.frame()).speed).toBe(5);
  });

  test('says how the run ended, or that the session does not exist', async () => {
    const service = await startTestService();
    const { page, info } = await open(service, 'Rehearsal', { Seconds: 0.5, Fail: true });
    await page.getByRole('status').getByText('Failed: Rehearsal was told to fail').waitFor();
    await page.goto(info.bundleUrl!.replaceAll(info.sessionUuid, crypto.randomUUID()));
    await page.getByRole('status').getByText('This animated run is over or never existed').waitFor();
  });

  test('is not wider than a narrow screen', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const options = { viewport: { width: 375, height: 800 } };
    const { page } = await open(service, 'Epidemic', { Days: 1000 }, options);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  });

  test('removes scripts and addresses from a picture of a model', async () => {
    const folder = temporaryFolder();
    const reached: string[] = [];
    const elsewhere = await host((request, response) => {
      reached.push(request.url!);
      response.end();
    });
    const bad = [
      `<script>window.harmed = 1</script><script href="${elsewhere}/script"/>`,
      `<g onclick="window.harmed = 2"><rect id="fine" width="40" height="30" fill="#123456" onload="window.harmed = 3"/></g>`,
      `<a href="javascript:window.harmed = 4"><text>link</text></a><image href="${elsewhere}/image" onerror="window.harmed = 5"/>`,
      `<use href="${elsewhere}/use#x"/><style>@import url(${elsewhere}/style); body { display: none }</style>`,
      `<rect fill="url(${elsewhere}/fill#x)" style="background: url(${elsewhere}/background)"/>`,
      `<rect fill="u\\\\72l(${elsewhere}/escaped#x)" filter="url(${elsewhere}/filter#x)"/>`,
      `<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="${elsewhere}/img" onerror="window.harmed = 6"/></body></foreignObject>`,
      `<animate attributeName="href" to="javascript:1"/><circle r="3" fill="url(#own)"/>`,
    ];
    writeModel(
      folder,
      'bad',
      `export default {
        name: 'Bad', description: '', inputs: [], outputs: [], run: () => ({}),
        animation: { width: 40, height: 30, units: 'HOUR', start: () => ({
          end: 1000, advance() {}, draw: () => ${JSON.stringify(bad.join(''))}, outputs: () => ({}),
        }) },
      };`,
    );
    const service = await startTestService({ modelDirs: [folder] });
    // the page of another host has no content security policy, so only the removal protects it
    for (const page of [(await open(service, 'Bad')).page, (await embed(service, 'Bad')).page]) {
      await page.locator('#fine').click();
      expect(await page.evaluate('window.harmed')).toBeUndefined();
      const svg = page.locator('.foray-stage svg');
      expect(await svg.evaluate((svg) => (svg as { innerHTML: string }).innerHTML)).toBe(
        '<g><rect id="fine" width="40" height="30" fill="#123456"></rect></g><rect></rect><rect></rect>' +
          '<circle r="3" fill="url(#own)"></circle>',
      );
    }
    expect(reached).toEqual([]);
  });
});

test('a page of another host shows the run in the way of the official client, and its Stop button stops the run', async () => {
  const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
  const { page, session } = await embed(service, 'Epidemic', { Days: 1000 });
  await changes(page);
  await page.getByRole('button', { name: 'Stop' }).click();
  await until('the page gets the callback onstop', () => page.evaluate<boolean>('window.stopped'));
  expect((await session.frame()).status).toBe('STOPPED');
});

/** Opens a page of another host that shows the animation in the way of the official client. */
async function embed(
  service: TestService,
  model: string,
  inputs: Parameters<typeof startAnimation>[2] = {},
): Promise<Pick<Opened, 'page' | 'session'>> {
  const { body: info } = await startAnimation(service, await service.latest(model), inputs);
  const page = await browser.newPage();
  onCleanup(() => page.close());
  await page.goto(
    await host((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><div id="place"></div>');
    }),
  );
  // sets the base address, loads the style, the template and the script, and then starts the client
  await page.evaluate(`(async (info, host) => {
    const bundle = info.bundleUrl + '/standalone/';
    const add = (parent, name, attributes) => new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(name), attributes);
      if (name === 'base') return resolve(parent.prepend(element));
      Object.assign(element, { onload: resolve, onerror: reject });
      parent.append(element);
    });
    await add(document.head, 'base', { href: bundle });
    await add(document.head, 'link', { rel: 'stylesheet', href: bundle + 'standalone.min.css' });
    const template = await (await fetch(bundle + 'assets/svg-template.html')).text();
    document.getElementById('place').innerHTML = template;
    await add(document.body, 'script', { src: bundle + 'standalone.bundle.js' });
    const { client } = window.AnimationSVG;
    client.setCallback('onstop', () => { window.stopped = true; });
    client.start({ ...info, host });
  })(${JSON.stringify(info)}, ${JSON.stringify(new URL(service.running.url).origin)})`);
  await page.locator('#place .foray-stage svg').waitFor();
  return { page, session: new RemoteSession(service, info) };
}

/** Serves requests until the test has ended. Returns the address. */
async function host(serve: http.RequestListener): Promise<string> {
  const server = http.createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
