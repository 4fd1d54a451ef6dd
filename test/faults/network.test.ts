import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seeded } from '../support/durations.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { type Proxy, startProxy, toxics } from '../support/proxy.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

/** Whatever faults the network has, every campaign completes, and the service executes every run once. */

/** How long the client waits for an answer, ms. */
const ANSWER_MS = 60_000;

let world: World;
let proxy: Proxy;
let random = seeded(0);
/** The number of runs of the current campaign, and the number of runs that the service executed before. */
let runs = 0;
let runsBefore = 0;
const figure = { campaigns: 0, runs: 0, slowest: 0 };

beforeAll(async () => {
  world = await startWorld({
    async through({ url, port }) {
      proxy = await startProxy(port, () => random());
      return { url: url.replace(`:${port}/`, `:${proxy.port}/`), close: () => proxy.close() };
    },
  });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  const met = toxics.map((toxic) => `${toxic} ${proxy.met[toxic]}`).join(', ');
  report(
    `network: ${figure.campaigns} campaigns with ${figure.runs} runs completed, each run was executed once (${met}); ` +
      `the slowest took ${(figure.slowest / 1_000).toFixed(0)} s`,
  );
});

async function submit(seed: number, { count = 30, more = '' } = {}): Promise<string> {
  runs = count;
  runsBefore = world.executions().length;
  const definition = rehearsal({ count, more, first: runsBefore + 1, seconds: 0.2 * random() });
  return (await world.foray.submit(definition, { id: `seed-${seed}-${runsBefore}` })).id;
}

async function isThereOnce(id: string, since: number): Promise<void> {
  const { phase, runs: counts } = await toTheEnd(world, id);
  expect(phase).toBe('completed');
  figure.slowest = Math.max(figure.slowest, Date.now() - since);
  const rows = await world.rows(id);
  expect(rows.map(({ status, outputs }) => [status, Number(outputs.Echo)])).toEqual(
    Array.from({ length: runs }, (_, at) => ['done', runsBefore + 1 + at]),
  );
  expect(counts).toMatchObject({ total: runs, new: runs, reused: 0 });
  expect(world.executions().slice(runsBefore)).toEqual(Array.from({ length: runs }, () => 1));
  figure.campaigns += 1;
  figure.runs += runs;
}

// these tests of single faults take minutes; in CI, the last test of this file, with all faults, is enough
if (isFull) {
  const cases = seeds(0, 3).flatMap((seed) => toxics.map((toxic) => [toxic, seed] as const));
  test.each(cases)('a campaign completes in spite of this fault: %s, seed %i', async (toxic, seed) => {
    random = seeded(seed);
    const before = proxy.met[toxic];
    const id = await submit(seed);
    const since = Date.now();
    // a fault that lets some data through may last; the others must end, or the campaign could not complete
    const windows = toxic === 'down' || toxic === 'black hole' ? 2 : 1;
    for (let window = 0; window < windows; window += 1) {
      await delay(random() * 400);
      await proxy.spoil(toxic, toxic === 'down' ? 1 : 0.3 + 0.7 * random());
      if (windows === 1) break;
      await delay(300 + random() * 2_000);
      await proxy.heal();
    }
    await isThereOnce(id, since);
    await proxy.heal();
    expect(proxy.met[toxic]).toBeGreaterThan(before);
  });

  test.each(seeds(0, 1))(
    'a campaign completes in spite of connections that become silent, seed %i',
    async (seed) => {
      random = seeded(seed);
      const before = proxy.met['black hole'];
      const id = await submit(seed);
      const since = Date.now();
      await proxy.spoil('black hole', 0.5);
      await until('a connection of the campaign becomes silent', () => proxy.met['black hole'] > before);
      await proxy.heal('stay');
      await isThereOnce(id, since);
      // the proxy kept the connections silent, so the client waited for its whole time limit
      expect(Date.now() - since).toBeGreaterThan(ANSWER_MS);
    },
  );
}

test.each(seeds(1, 4))(
  'a campaign completes in spite of all faults of a network, one after the other, seed %i',
  async (seed) => {
    random = seeded(seed);
    const id = await submit(seed, { count: isFull ? 100 : 40, more: 'concurrency: 8' });
    const since = Date.now();
    const order = shuffled(isFull ? [...toxics, ...toxics] : [...toxics]);
    for (const toxic of order) {
      const before = proxy.met[toxic];
      await proxy.spoil(toxic, 0.5 + 0.5 * random());
      await until(`the campaign meets ${toxic}`, () => proxy.met[toxic] > before);
      await delay(random() * 600);
      await proxy.heal();
    }
    await isThereOnce(id, since);
    await proxy.heal();
  },
);

function shuffled<T>(items: T[]): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [items[at], items[other]] = [items[other]!, items[at]!];
  }
  return items;
}
