import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunCounts } from '../../src/campaign/types.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

const EXECUTORS = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld({ executors: EXECUTORS });
  await world.startWorker();
});
afterAll(() => world.close());

test('no more runs are shown as running than the service has executors, and the counts add up', async () => {
  const { id } = await world.foray.submit(rehearsal({ count: 80, seconds: 0.25 }));
  const looks: RunCounts[] = [];
  for await (const { runs, source } of world.foray.follow(id, 100))
    if (source === 'workflow') looks.push(runs);
  for (const { total, done, failed, running, queued, waiting } of looks) {
    expect(done + failed + running + queued + waiting).toBe(total);
    // an estimate, because on a busy machine the polls of a tick happen at different times
    expect(running).toBeLessThanOrEqual(2 * EXECUTORS);
  }
  expect(looks.some(({ running }) => running > 0)).toBe(true);
});
