import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkMayChange } from '../../../src/search/change.ts';
import type { SearchEvent } from '../../../src/campaign/search/log.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';

/** Tests searches whose definition changes. */

let world: World;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
});
afterAll(() => world.close());

function definition(rest: string, over = '{ min: 1.2, max: 2.2, digits: 4 }') {
  return {
    file: 'flu.yaml',
    text: `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 100, Stochastic: true }
outputs: [Peak infected]
search:
  maximize: Peak infected
  over:
    Contact rate: ${over}
    Recovery rate: { min: 0.3, max: 0.6, digits: 4 }
  method: cma
  ${rest}
replications: 2
seed: 1
`,
  };
}

test('a finished search continues when it may ask for more points', async () => {
  await world.foray.submit(definition('stop: { points: 10 }'), { id: 'more' });
  const { points } = await toTheEnd(world, 'more');
  expect(points).toBe(10);
  const before = await world.foray['store'].searchLog('more');
  const more = definition('stop: { points: 18 }\n  parallel: 4');
  expect(await world.foray.compare('more', more)).toMatchObject({
    settings: ['search.parallel', 'search.stop'],
    points: { added: 0, dropped: 0, kept: 10 },
  });
  const change = await world.foray.apply('more', more);
  expect(change).toMatchObject({
    wasClosed: true,
    difference: { points: { added: 0, dropped: 0, kept: 10 } },
  });
  const status = await toTheEnd(world, 'more');
  expect(status).toMatchObject({ phase: 'completed', points: 18, runs: { total: 36, done: 36 } });
  expect(status.strategy).toMatchObject({ asked: 18, stage: 'over', stoppedBy: 'points' });
  const { asks, events } = await world.foray['store'].searchLog('more');
  expect(asks.slice(0, before.asks.length)).toEqual(before.asks);
  expect(events.filter(({ kind }) => kind === 'continued')).toEqual([{ kind: 'continued', parallel: 8 }]);
});

test('a paused search ends earlier when it may ask for fewer points', async () => {
  await world.foray.submit(definition('stop: { points: 1000 }\nconcurrency: 2'), { id: 'fewer' });
  await world.foray.steer('fewer', 'pause');
  await world.foray.apply('fewer', definition('stop: { points: 12 }\nconcurrency: 2'));
  await world.foray.steer('fewer', 'resume');
  const { strategy, phase } = await toTheEnd(world, 'fewer');
  const search = only('search', strategy);
  expect(phase).toBe('completed');
  expect(search.stoppedBy).toBe('points');
  expect(search.asked).toBeLessThan(100);
});

test('a finished search continues within wider bounds, and its best point is then outside the old bounds', async () => {
  await world.foray.submit(definition('stop: { points: 10 }', '{ min: 1.2, max: 1.4, digits: 4 }'), {
    id: 'wide',
  });
  await toTheEnd(world, 'wide');
  const before = await world.foray['store'].searchLog('wide');
  const wider = definition('stop: { points: 26 }', '{ min: 1.2, max: 3, digits: 4 }');
  expect(await world.foray.compare('wide', wider)).toMatchObject({
    settings: ['the bounds under search.over', 'search.stop'],
  });
  await world.foray.apply('wide', wider);
  const search = only('search', (await toTheEnd(world, 'wide')).strategy);
  expect(search.asked).toBe(26);
  expect(search.best!.inputs['Contact rate']).toBeGreaterThan(1.4);
  const { asks, events } = await world.foray['store'].searchLog('wide');
  expect(asks.slice(0, 10)).toEqual(before.asks);
  expect(events.filter(({ kind }) => kind === 'restarted')).toEqual([
    { kind: 'restarted', parallel: 8, from: before.asks.length, outside: [], excess: null },
  ]);
});

test('a running search accepts narrower bounds and a requirement, and its best point meets them', async () => {
  const id = 'strict';
  const stop = 'stop: { points: 1000 }\n  parallel: 4';
  await world.foray.submit(definition(`${stop}\nconcurrency: 2`), { id });
  await until(
    'the search has some results',
    async () => only('search', (await world.foray.status(id)).strategy).told >= 6,
  );
  const over = '{ min: 1.2, max: 1.7, digits: 4 }';
  const few = 'stop: { points: 30 }\n  parallel: 4\n  require: { Peak infected: { max: 20 } }';
  const strict = definition(`${few}\nconcurrency: 2`, over);
  expect(await world.foray.compare(id, strict)).toMatchObject({
    settings: ['the bounds under search.over', 'search.require', 'search.stop'],
  });
  await world.foray.apply(id, strict);
  const status = await toTheEnd(world, id);
  expect(status.phase).toBe('completed');
  const { asks, events } = await world.foray['store'].searchLog(id);
  const change = events.find(({ kind }) => kind === 'restarted') as Extract<
    SearchEvent,
    { kind: 'restarted' }
  >;
  const from = change.from;
  expect(change.excess).toHaveLength(from);
  const isOutside = ({ values }: { values: string[] }): boolean => Number(values[0]) > 1.7;
  expect(asks.map((ask) => ask.isOutside ?? false)).toEqual(asks.map(isOutside));
  expect(asks.slice(0, from).some(isOutside)).toBe(true);
  expect(asks.slice(from).some(isOutside)).toBe(false);
  for (const { told } of asks)
    if (told?.value != null) expect(told.excess).toEqual([expect.closeTo(-told.value - 20, 9)]);
  const best = only('search', status.strategy).best!;
  expect(best.value).toBeLessThanOrEqual(20);
  expect(best.inputs['Contact rate']).toBeLessThanOrEqual(1.7);
  const outside = asks.findIndex((ask) => ask.isOutside);
  const row = (await world.rows(id)).find(({ values }) => values[0] === asks[outside]!.values[0]);
  const explained = await world.foray.explain(id, row!.point);
  expect(explained.asks[0]).toMatchObject({ ask: outside, isOutside: true });
});

test('the digits of an input cannot change in a search that has begun, and a search whose best points were compared cannot get more points', async () => {
  const other = definition('stop: { points: 18 }', '{ min: 1.2, max: 2.2, digits: 3 }');
  await expect(world.foray.apply('more', other)).rejects.toMatchObject({
    code: 'CHANGE_REFUSED',
    message: 'In a search that has begun, "over" apart from the bounds cannot change.',
  });
  // the comparison, which people see first, refuses what the change refuses
  const { file, text } = definition('stop: { points: 18 }\n  parallel: 4');
  const method = { file, text: text.replace('method: cma', 'method: gp') };
  for (const changed of [world.foray.compare('more', method), world.foray.apply('more', method)])
    await expect(changed).rejects.toMatchObject({
      code: 'CHANGE_REFUSED',
      message: 'In a search that has begun, "method" cannot change.',
    });
  const confirm = 'confirm: { best: 2, replications: 2, indifference: 50, report: 2 }';
  await world.foray.apply('more', definition(`stop: { points: 19 }\n  ${confirm}`));
  const search = only('search', (await toTheEnd(world, 'more')).strategy);
  expect(search.best!.runs).toBe(2);
  await expect(
    world.foray.apply('more', definition(`stop: { points: 25 }\n  ${confirm}`)),
  ).rejects.toMatchObject({ code: 'CHANGE_REFUSED' });
});

test('a search that compares its best points refuses a change already when the difference is asked for', () => {
  expect(() => checkMayChange([{ kind: 'continued', parallel: 2 }])).not.toThrow();
  expect(() => checkMayChange([{ kind: 'finalists', ordinals: [0, 1], after: 2 }])).toThrow(
    'The search has already begun to compare its best points.',
  );
});
