import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toTheEnd, untilSomeAreDone } from '../support/campaigns.ts';
import { productionServer } from '../support/temporal-server.ts';
import { until } from '../support/until.ts';
import { workersOf } from '../support/workers-of.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

/** The server that docker-compose.yml starts, which can do more than the development server of the other tests. */

let world: World;
beforeAll(async () => {
  world = await startWorld({
    temporal: await productionServer({ 'limit.historyCount.suggestContinueAsNew': 40 }),
  });
});
afterAll(() => world.close());

test('campaigns complete, continue as new, and move to a newer build, and no run is executed twice', async () => {
  const endOne = await world.startWorker({ buildId: 'one', identity: 'one' });
  const short = await world.foray.submit(rehearsal({ count: 40, more: 'concurrency: 4' }));
  expect((await toTheEnd(world, short.id)).runs).toMatchObject({ done: 40, new: 40 });
  expect((await workersOf(world, short)).length).toBeGreaterThan(1);

  const long = await world.foray.submit(
    rehearsal({ count: 60, first: 1_000, seconds: 0.3, more: 'concurrency: 2' }),
  );
  await untilSomeAreDone(world, long.id);
  expect((await world.foray.status(long.id)).build).toBe('one');
  await world.startWorker({ buildId: 'two', identity: 'two' });
  // the campaign need not wait until its history is long
  await until(
    'the campaign is on the newer build',
    async () => (await world.foray.status(long.id)).build === 'two',
  );
  // the older build has nothing left to do
  await endOne();
  expect((await toTheEnd(world, long.id)).runs).toMatchObject({ done: 60, new: 60, failed: 0 });
  const executions = await workersOf(world, long);
  expect([executions[0], executions.at(-1)]).toEqual([['one'], ['two']]);
  // an execution stays with its build
  expect(executions.filter((workers) => workers.length !== 1)).toEqual([]);
  expect(world.executions()).toEqual(Array.from({ length: 100 }, () => 1));
});
