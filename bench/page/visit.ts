import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { Foray } from '../../src/client/index.ts';
import { OwnKey } from '../../src/server/keys.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { launchBrowser } from '../../test/support/browser.ts';
import { NUMBERS } from '../numbers.ts';
import { replaced, type Replaced } from './replaced.ts';

const KEY = crypto.randomUUID();
const LOOKS = 500;
/** The number of polls that get all pictures. Their answers are larger, so there are fewer of these polls. */
const WHOLE_LOOKS = 50;
/** Nothing listens at this address. A finished campaign needs neither the model service nor Temporal. */
const NOBODY = '127.0.0.1:9';
/** The longest time of one step of a visit, ms. */
const STEP = 60_000;
const CAMPAIGN = `/campaigns/${NUMBERS}`;
const PAGES = [
  '/',
  CAMPAIGN,
  ...['runs', 'failures', 'definition', 'downloads'].map((tab) => `${CAMPAIGN}/${tab}`),
];

/** The cost of visits to the pages of a finished campaign, in Chromium. */
export interface Visit extends Replaced {
  /** The longest time to the first byte of a page, ms. */
  firstByte: number;
  /** The time until the document of the campaign's page is complete, ms. The pictures can arrive later. */
  dom: number;
  /** The longest task of the browser until the first picture is in the page, ms. */
  task: number;
  /** The compressed size of everything that the page requests before the first picture is in the page, kB. */
  page: number;
  /** The compressed size of the page's script, kB. */
  script: number;
  /** CPU time of the whole process for a poll that finds nothing new, ms. It includes the polling client. */
  poll: number;
  /** CPU time of the whole process for a poll that gets all pictures, ms. */
  whole: number;
}

/**
 * @param address of a store with the finished campaign of the benches
 * @throws Error that names the step that did not end in time
 */
export async function visit(address: string): Promise<Visit> {
  const settings = {
    service: { url: `http://${NOBODY}/api/open/8.5.0`, key: '' },
    store: address,
    taskQueue: 'foray',
    owner: 'bench',
    temporal: { connectionOptions: { address: NOBODY } },
    webUi: `http://${NOBODY}`,
  };
  const foray = await Foray.open(settings);
  const server = await startServer({ foray, settings, keys: new OwnKey(KEY, 'bench') });
  try {
    // wait until the server has found that neither the model service nor Temporal answers
    await timed(`${server.url}/reference`);
    let firstByte = 0;
    for (const path of PAGES) firstByte = Math.max(firstByte, (await timed(server.url + path)).ms);
    return { firstByte, ...(await inBrowser(server)), ...(await polled(server)) };
  } finally {
    await step('the server closes', server.close());
    await foray.close();
  }
}

async function inBrowser(server: Server): Promise<Omit<Visit, 'firstByte' | 'poll' | 'whole'>> {
  const browser = await step('Chromium starts', launchBrowser());
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(STEP);
    await page.goto(server.loginUrl(KEY));
    await page.waitForURL(`${server.url}/`);
    await page.addInitScript(`globalThis.tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask', buffered: true })`);
    const sent = bodiesOf(page);
    await page.goto(server.url + CAMPAIGN);
    const dom = await step(
      'the document is complete',
      page.evaluate('performance.getEntriesByType("navigation")[0].domComplete'),
    );
    await page.locator('#report svg').first().waitFor();
    const task = await step('the browser lists its tasks', page.evaluate('Math.max(0, ...tasks)'));
    const sizes = await step('all bodies are there', Promise.all(sent));
    const kilobytes = (which: (path: string) => boolean): number =>
      sizes.reduce((sum, [path, size]) => sum + (which(path) ? size : 0), 0) / 1_000;
    const load = { page: kilobytes(() => true), script: kilobytes((path) => path === '/page.js') };
    return { dom: Number(dom), task: Number(task), ...load, ...(await replaced(page, CAMPAIGN, step)) };
  } finally {
    await step('Chromium closes', browser.close());
  }
}

/** Collects the paths and the compressed sizes of all answers with status 200 that a page gets. */
function bodiesOf(page: Page): Promise<[string, number]>[] {
  const sent: Promise<[string, number]>[] = [];
  page.on('response', (response) => {
    if (response.status() !== 200) return;
    const { pathname } = new URL(response.url());
    sent.push(response.body().then((body) => [pathname, gzipSync(body).length]));
  });
  return sent;
}

async function polled({ url }: Server): Promise<Pick<Visit, 'poll' | 'whole'>> {
  const live = `${url}${CAMPAIGN}/live`;
  const { etag } = (await timed(live)).headers;
  const cpu = async (looks: number, headers: Record<string, string>): Promise<number> => {
    const used = process.cpuUsage();
    for (let look = 0; look < looks; look += 1) await timed(live, headers);
    const { user, system } = process.cpuUsage(used);
    return (user + system) / 1_000 / looks;
  };
  const known = { 'if-none-match': etag! };
  // while the first polls are answered, other threads of V8 still compile their code, which takes more CPU time than the polls
  await cpu(LOOKS, known);
  await cpu(WHOLE_LOOKS, {});
  return { poll: await cpu(LOOKS, known), whole: await cpu(WHOLE_LOOKS, {}) };
}

/** Requests an address. Returns the time to the first byte, ms. */
async function timed(url: string, headers: Record<string, string> = {}) {
  const from = performance.now();
  const sent = request(url, {
    headers: { authorization: `Bearer ${KEY}`, accept: 'text/html', ...headers },
    signal: AbortSignal.timeout(STEP),
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const ms = performance.now() - from;
  await answer.resume().toArray();
  return { ms, headers: answer.headers };
}

/** Waits for a step of a visit, at most `STEP`. Playwright itself limits the time of only some steps. */
async function step<T>(what: string, act: Promise<T>): Promise<T> {
  const end = new AbortController();
  const late = delay(STEP, undefined, { signal: end.signal }).then(() => {
    throw new Error(`The visit stopped, because this step took longer than ${STEP / 1_000} s: ${what}.`);
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    end.abort();
    late.catch(() => undefined);
  }
}
