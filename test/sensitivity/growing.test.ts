import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { command, toTheEnd } from '../support/campaigns.ts';
import { startWorld, type World } from '../support/world.ts';
import { flu, RATES, SALTELLI } from './flu.ts';
import { EPIDEMIC } from '../service/fixed.ts';
import { only } from '../support/strategy.ts';

/** Tests designs that get more points until their indices are precise enough. */

let world: World;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
});
afterAll(() => world.close());

test('foray adds trajectories up to the maximum, and reports that the design has reached the maximum', async () => {
  const design = `{ morris: { trajectories: { min: 4, max: 10, width: 0.0001 }, inputs: ${RATES} } }`;
  await world.foray.submit(flu(design), { id: 'most' });
  const growth = only('growing', (await toTheEnd(world, 'most')).strategy);
  expect(growth.rounds.map(({ size }) => size)).toEqual([4, 8, 10]);
  const [analysis] = await world.foray.analyze('most');
  expect(analysis!.warnings).toContainEqual(expect.stringContaining('10 trajectories (the maximum)'));
  const { stdout } = await command(world, 'status', 'most');
  expect(stdout).toMatch(/Design: 10 trajectories \(the maximum\): the widest interval is [\d.]+ wide/);
});

test('a campaign with a constant output gets no further points', async () => {
  const design = `{ saltelli: { points: { min: 8, max: 4096, width: 0.1 }, inputs: { Days: { min: 5, max: 9 } } } }`;
  await world.foray.submit(flu(design, 'inputs: { Initially infected: 763 }'), { id: 'constant' });
  const { strategy, phase } = await toTheEnd(world, 'constant');
  const growth = only('growing', strategy);
  expect(phase).toBe('completed');
  expect(growth.rounds).toEqual([{ size: 8, runs: expect.any(Number), widest: null }]);
});

test('a plan shows the first and the maximum number of points', async () => {
  const plan = await world.foray.plan(flu(SALTELLI('{ min: 32, max: 4096, width: 0.05 }')));
  expect(plan).toMatchObject({ points: 128, mostPoints: 16384, runs: 128, mostRuns: 16384 });
  expect(plan.design.at(-1)).toContain('until each interval is at most 0.05 wide, or until it has 4,096');
});
