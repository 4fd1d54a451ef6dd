import type { Page } from 'playwright-core';

const UPDATES = 1_000;
/** The heap is first read after this number of updates, because the first updates fill caches. */
const WARM = 100;
/** The time limit of each wait for updates, ms. */
const LIMIT = 240_000;

/**
 * This function runs in the page. It answers each request of the page's script with all parts of the page (the
 * pictures). Each part has changed.
 */
const answerAnew = `(parts) => {
  globalThis.updates = 0;
  globalThis.fetch = async () => {
    const at = (globalThis.updates += 1);
    const fresh = parts.map(({ id, html }) =>
      ({ id, hash: id + at, html: html.replaceAll('<svg', '<svg data-update="' + at + '"') }));
    return new Response(JSON.stringify({ next: 1, parts: fresh }), { headers: { etag: '"' + at + '"' } });
  };
}`;

/** The cost of replacing all pictures of a page many times, in a browser. */
export interface Replaced {
  /** The longest task of the browser after the first 100 updates, ms. */
  replacing: number;
  /** The growth of the heap after the first 100 updates, MB. The heap is measured after garbage collections. */
  growth: number;
}

/**
 * Makes the script of a page replace all pictures 1,000 times. Each answer to the script has all parts with new hashes.
 *
 * @param path of the campaign's page
 * @param step limits the time of a step
 */
export async function replaced(
  page: Page,
  path: string,
  step: <T>(what: string, act: Promise<T>) => Promise<T>,
): Promise<Replaced> {
  const { origin } = new URL(page.url());
  const whole = await page.request.get(`${origin}${path}/live`);
  const { parts } = (await whole.json()) as { parts: unknown[] };
  const session = await page.context().newCDPSession(page);
  const heap = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  };
  await page.goto(origin + path);
  await page.evaluate(`(${answerAnew})(${JSON.stringify(parts)})`);
  // unlike `evaluate`, `waitForFunction` gets a function: the page's policy forbids it to evaluate a text
  const updates = (count: number) =>
    page.waitForFunction((wanted) => Number(Reflect.get(globalThis, 'updates')) >= wanted, count, {
      timeout: LIMIT,
      polling: 100,
    });
  await updates(WARM);
  const before = await step('the heap is read', heap());
  // the list `tasks` of the page has the durations of the browser's long tasks; `visit.ts` puts it there
  await page.evaluate('tasks.length = 0');
  await updates(UPDATES);
  const replacing = await step('the browser lists its tasks', page.evaluate('Math.max(0, ...tasks)'));
  const growth = (await step('the heap is read', heap())) - before;
  return { replacing: Number(replacing), growth };
}
