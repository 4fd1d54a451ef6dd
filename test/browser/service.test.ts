import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { AnimationInfo } from '../../src/api/resources.ts';
import { RemoteSession, startAnimation } from '../service/animations.ts';
import {
  EPIDEMIC,
  KEY,
  onCleanup,
  REHEARSAL,
  sharedService,
  startTestService,
  temporaryFolder,
  type TestService,
  writeModel,
} from '../service/support.ts';
import { launchBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';

/** Pages of a model service, and pages of other origins that use it as browser clients of interface 8.5.0 do. */

const shared = sharedService({ modelDirs: [EPIDEMIC, REHEARSAL] });
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
): Promise<Opened> {
  const { body: info } = await startAnimation(service, await service.latest(model), inputs);
  const context = await browser.newContext();
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
  test('draws the run while the run executes, without requests outside of its session and without messages in the console; it fits into a narrow screen', async () => {
    const { page, session, asked, complaints } = await open(shared(), 'Epidemic', { Days: 1000 });
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
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  });

  test('has keys and buttons that control the run', async () => {
    const { page, session } = await open(shared(), 'Rehearsal', { Seconds: 100_000 });
    const shows = (text: string) => page.getByRole('status').getByText(text).waitFor();
    await page.keyboard.press('Space');
    await shows('Paused');
    const held = await session.frame();
    expect(held.status).toBe('PAUSED');
    await page.getByText(`${held.time.toFixed(1)}`, { exact: true }).waitFor();
    const still = await picture(page);
    for (let n = 0; n < 30; n++) await session.frame();
    expect(await picture(page)).toBe(still);
    await page.keyboard.press('+');
    await page.getByText('2 seconds a second').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await shows('Running');
    await page.getByRole('radio', { name: '2×' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('5 seconds a second').waitFor();
    expect((await session.frame()).speed).toBe(5);

    await page.getByRole('button', { name: 'Pause' }).click();
    await shows('Paused');
    // the label covers the input, so a mouse can only click the label
    await page.locator('label', { hasText: '10×' }).click();
    await page.getByText('10 seconds a second').waitFor();
    expect((await session.frame()).speed).toBe(10);
    await page.getByRole('button', { name: 'Play' }).click();
    await changes(page);
    expect((await session.frame()).status).toBe('RUNNING');
    await page.getByRole('button', { name: 'Stop' }).click();
    await shows('Stopped');
    expect((await session.frame()).status).toBe('STOPPED');
    expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
    expect(await page.locator('.foray-stage svg').count()).toBe(1);
  });

  test('says how the run ended, or that the session does not exist', async () => {
    const { page, info } = await open(shared(), 'Rehearsal', { Seconds: 0.5, Fail: true });
    await page.getByRole('status').getByText('Failed: Rehearsal was told to fail').waitFor();
    await page.goto(info.bundleUrl!.replaceAll(info.sessionUuid, crypto.randomUUID()));
    await page.getByRole('status').getByText('This animated run is over or never existed').waitFor();
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
    const own = await startTestService({ modelDirs: [folder] });
    // the page of another host has no content security policy, so only the removal protects it
    for (const page of [(await open(own, 'Bad')).page, (await embed(own, 'Bad')).page]) {
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
  const { page, session } = await embed(shared(), 'Epidemic', { Days: 1000 });
  await changes(page);
  await page.getByRole('button', { name: 'Stop' }).click();
  await until('the page gets the callback onstop', () => page.evaluate<boolean>('window.stopped'));
  expect((await session.frame()).status).toBe('STOPPED');
});

test('a page of another origin can use models, versions, files, runs and results, and can read the refusal of a wrong key', async () => {
  const tab = await browser.newPage();
  onCleanup(() => tab.close());
  await tab.goto(
    await host((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>client');
    }),
  );
  const seen = await tab.evaluate(
    async ([root, key]) => {
      // only 200 is a success, and every body is JSON
      const ask = async <T>(path: string, body?: unknown): Promise<T> => {
        const response = await fetch(`${root}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { Authorization: key!, 'Content-Type': 'application/json' },
          ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
        });
        const answer = (await response.json()) as T;
        if (response.status !== 200) throw new Error(JSON.stringify(answer));
        return answer;
      };
      type Item = { name: string; type: string; units: string | null; value: string };
      const model = await ask<{ id: string; modelVersions: string[] }>('/models/name/', 'Epidemic');
      const version = await ask<{ id: string; experimentTemplate: { inputs: Item[] } }>(
        `/models/${model.id}/versions/${model.modelVersions.at(-1)}`,
      );
      const content = new Blob(['day,cases\n0,1\n1,3\n']);
      const digest = await crypto.subtle.digest('SHA-256', await content.arrayBuffer());
      const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');
      const wasThere = await ask<boolean>(`/check-file/?hash=${hash}`);
      const uploaded = await ask<string>('/upload-file/', content);
      const inputs = version.experimentTemplate.inputs.map((item) =>
        item.name === 'Observed cases' ? { ...item, value: hash } : item,
      );
      const request = { experimentType: 'SIMULATION', inputs };
      let run = await ask<{ id: string; status: string }>(`/versions/${version.id}/runs`, request);
      while (run.status === 'FRESH' || run.status === 'RUNNING')
        run = await ask(`/versions/${version.id}/run`, request);
      const results = await ask<{ outputs: Item[]; value: string }[]>(
        `/versions/${version.id}/results/${run.id}`,
        [],
      );
      const file = JSON.parse(results.find(({ outputs }) => outputs[0]!.name === 'Trajectory')!.value) as {
        hash: string;
        localPath: string;
      };
      const url = await ask<string>(`/output-file/?hash=${file.hash}&filename=${file.localPath}`);
      const download = await fetch(url);
      const refused = await fetch(`${root}/models`, { headers: { Authorization: 'wrong' } });
      return {
        wasThere,
        isSame: uploaded === hash,
        status: run.status,
        names: results.map(({ outputs }) => outputs[0]!.name),
        text: await download.text(),
        disposition: download.headers.get('content-disposition'),
        refused: ((await refused.json()) as { code: string }).code,
      };
    },
    [shared().running.url, KEY],
  );
  expect(seen).toMatchObject({ wasThere: false, isSame: true, status: 'COMPLETED', refused: 'KEY_REFUSED' });
  expect(seen.names).toContain('Fit error');
  expect(seen.text).toMatch(/^day,susceptible/);
  expect(seen.disposition).toContain('trajectory.csv');
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
