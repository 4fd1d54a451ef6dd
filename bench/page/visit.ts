import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Foray } from '../../src/client/index.ts';
import { OwnKey } from '../../src/server/roles.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { launchBrowser } from '../../test/support/browser.ts';
import { NUMBERS } from '../numbers.ts';

const KEY = crypto.randomUUID();
const LOOKS = 500;
/** Nothing listens at this address. A finished campaign needs neither the model service nor Temporal. */
const NOBODY = '127.0.0.1:9';

/** The cost of a visit to the page of a finished campaign, in Chromium. */
export interface Visit {
  /** The time to the first byte of the page, ms. */
  firstByte: number;
  /** The time to its document, while the pictures are being drawn, ms. */
  dom: number;
  /** The longest task of the browser until all pictures are there, ms. */
  task: number;
  /** All data that were sent until then, compressed. */
  page: number;
  /** CPU time of the whole process for a poll that finds nothing new, ms. It includes the polling client. */
  poll: number;
}

/** @param address of a store with the finished campaign of the benches */
export async function visit(address: string): Promise<Visit> {
  const foray = await Foray.open({
    service: { url: `http://${NOBODY}/api/open/8.5.0`, key: '' },
    store: address,
    taskQueue: 'foray',
    owner: 'bench',
    temporal: { connectionOptions: { address: NOBODY } },
    webUi: `http://${NOBODY}`,
  });
  const server = await startServer({ foray, store: address, keys: new OwnKey(KEY, 'bench') });
  try {
    // wait until the server has found that neither of the two answers
    await timed(`${server.url}/reference`);
    const { ms: firstByte } = await timed(`${server.url}/campaigns/${NUMBERS}`);
    return { firstByte, ...(await inBrowser(server)), poll: await polled(server) };
  } finally {
    await server.close();
    await foray.close();
  }
}

async function inBrowser(server: Server): Promise<Pick<Visit, 'dom' | 'task' | 'page'>> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(server.loginUrl(KEY));
    await page.waitForURL(`${server.url}/`);
    await page.addInitScript(`globalThis.tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask', buffered: true })`);
    const bodies: Promise<Buffer>[] = [];
    page.on('response', (response) => {
      if (response.status() === 200) bodies.push(response.body());
    });
    await page.goto(`${server.url}/campaigns/${NUMBERS}`);
    const dom = await page.evaluate('performance.getEntriesByType("navigation")[0].domComplete');
    await page.locator('#report svg').first().waitFor();
    const task = await page.evaluate('Math.max(0, ...tasks)');
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    const whole = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
    return { dom: Number(dom), task: Number(task), page: whole };
  } finally {
    await browser.close();
  }
}

async function polled({ url }: Server): Promise<number> {
  const live = `${url}/campaigns/${NUMBERS}/live`;
  const { etag } = (await timed(live)).headers;
  const used = process.cpuUsage();
  for (let look = 0; look < LOOKS; look += 1) await timed(live, { 'if-none-match': etag! });
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1_000 / LOOKS;
}

/** Requests an address. Returns the time to the first byte, ms. */
async function timed(url: string, headers: Record<string, string> = {}) {
  const from = performance.now();
  const sent = request(url, {
    headers: { authorization: `Bearer ${KEY}`, accept: 'text/html', ...headers },
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const ms = performance.now() - from;
  await answer.resume().toArray();
  return { ms, headers: answer.headers };
}
