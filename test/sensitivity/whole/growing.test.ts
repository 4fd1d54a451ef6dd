import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { growingSize } from '../../../src/campaign/growth.ts';
import type { Campaign } from '../../../src/campaign/types.ts';
import { widestInterval } from '../../../src/sensitivity/widest.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { startWorld, type World } from '../../support/world.ts';
import { flu, SALTELLI } from '../flu.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';

/** Tests designs that get more points until their indices are precise enough. */

let world: World;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
});
afterAll(() => world.close());

async function campaignOf(id: string): Promise<Campaign> {
  return (await world.foray['store'].getCampaign(id))!.campaign;
}

test('foray adds points until every interval is narrow enough, and keeps existing points', async () => {
  const design = SALTELLI('{ min: 8, max: 4096, width: 2, output: Attack rate }');
  await world.foray.submit(flu(design), { id: 'grown' });
  const { phase, strategy, runs, points } = await toTheEnd(world, 'grown');
  const growth = only('growing', strategy);
  expect(phase).toBe('completed');
  const { rounds, size, unit } = growth;
  expect(unit).toBe('base points');
  expect(rounds.length).toBeGreaterThan(2);
  expect(rounds.map((round) => round.size)).toEqual(rounds.map((_, at) => 8 * 2 ** at));
  expect(size).toBe(rounds.at(-1)!.size);
  expect(rounds.slice(0, -1).every(({ widest }) => widest!.width > 2)).toBe(true);
  expect(rounds.at(-1)!.widest!.width).toBeLessThanOrEqual(2);
  expect([points, runs.total, runs.failed]).toEqual([4 * size, 4 * size, 0]);
  expect(world.executions().every((times) => times === 1)).toBe(true);
  const analyses = await world.foray.analyze('grown');
  expect(widestInterval(analyses)).toEqual(rounds.at(-1)!.widest);
  // a design that begins with this number of points has the same points
  await world.foray.submit(flu(SALTELLI(`${size}, scrambles: 8`)), { id: 'whole' });
  expect((await toTheEnd(world, 'whole')).runs.new).toBe(0);
});

test('a closed campaign continues with a narrower width, and keeps its points', async () => {
  const design = (width: number): string => SALTELLI(`{ min: 16, max: 4096, width: ${width} }`);
  await world.foray.submit(flu(design(2)), { id: 'changed' });
  const before = await toTheEnd(world, 'changed');
  const difference = await world.foray.compare('changed', flu(design(1)));
  expect(difference).toMatchObject({
    points: { added: 0, dropped: 0 },
    settings: ['the precision of the design'],
  });
  await world.foray.apply('changed', flu(design(1)));
  const { strategy, points } = await toTheEnd(world, 'changed');
  const growth = only('growing', strategy);
  const { rounds } = only('growing', before.strategy);
  expect(points).toBeGreaterThan(before.points);
  expect(growth.rounds.slice(0, rounds.length)).toEqual(rounds);
  expect(growth.rounds.at(-1)!.widest!.width).toBeLessThanOrEqual(1);
  expect(growingSize((await campaignOf('changed')).design)).toBe(growth.size);
});
