import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seeded } from '../../bench/scheduler/durations.ts';
import { seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

/** docs/operations.md, what survives what: a cancelled campaign leaves no run of its own behind, whenever it comes. */

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.startWorker();
});
afterAll(() => world.close());

test.each(seeds(12, 200))('cancelled at a moment of seed %i, no run is left at the service', async (seed) => {
  const random = seeded(seed);
  const count = 1 + Math.floor(random() * 40);
  const seconds = random() < 0.5 ? 0.3 : 60;
  const more = random() < 0.5 ? `concurrency: ${1 + Math.floor(random() * 20)}` : '';
  const { id } = await world.foray.submit(rehearsal({ count, seconds, first: 1_000 * seed, more }));
  // the moment is the test: what the campaign does at it is left to the seed
  await delay(random() * 1_500);
  const cancelled = await world.foray.cancel(id).then(
    () => true,
    (error: unknown) => {
      // short runs may be through by then
      expect(error).toMatchObject({ code: 'CAMPAIGN_CLOSED' });
      return false;
    },
  );
  const status = await until('it is over', async () => {
    const now = await world.foray.status(id);
    return (now.phase === 'cancelled' || now.phase === 'completed') && now;
  });
  if (!cancelled) expect(status.phase).toBe('completed');
  const statuses = await world.statusesAtService(id);
  expect(statuses).not.toHaveProperty('FRESH');
  expect(statuses).not.toHaveProperty('RUNNING');
  // what has finished is kept: the store has all that completed at the service while the campaign waited for it
  expect(status.runs).toMatchObject({ running: 0, queued: 0, failed: 0 });
  expect(status.runs.done).toBe(statuses.COMPLETED ?? 0);
});
