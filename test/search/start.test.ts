import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { searchText } from '../../src/report/words/search-words.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { isSecondTier } from '../support/second-tier.ts';
import { startWorld, type World } from '../support/world.ts';
import { EPIDEMIC } from '../service/fixed.ts';
import { only } from '../support/strategy.ts';
import { OBSERVED } from './flu.ts';

/** Tests searches that begin with the results of another campaign. */

let world: World;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
  const grid = 'design: { grid: { Contact rate: [1.5, 1.7, 1.9, 2.5], Recovery rate: [0.4, 0.45, 0.5] } }';
  await world.foray.submit(definition(grid), { id: 'grid' });
  await toTheEnd(world, 'grid');
});
afterAll(() => world.close());

function definition(rest: string, population = 763) {
  return {
    file: 'flu.yaml',
    text: `
campaign: flu
model: { name: Epidemic }
inputs: { Population: ${population} }
files: { Observed cases: ${JSON.stringify(OBSERVED)} }
outputs: [Fit error]
${rest}
`,
  };
}

const search = (method: string, start: string) => `search:
  minimize: Fit error
  over:
    Contact rate: { min: 1.2, max: 2.2, digits: 4 }
    Recovery rate: { min: 0.3, max: 0.6, digits: 4 }
  method: ${method}
  parallel: 2
  stop: { points: 8 }
  ${start}`;

// the methods ask differently, and begin in the same way
test.each(isSecondTier ? ['gp', 'cma', 'direct'] : ['cma'])(
  'a search by %s begins with the known points within its bounds, and first asks for the best known point',
  async (method) => {
    const id = `known-${method}`;
    await world.foray.submit(definition(search(method, 'start: { campaign: grid }')), { id });
    const { strategy, runs, phase } = await toTheEnd(world, id);
    const found = only('search', strategy);
    expect(phase).toBe('completed');
    // the three points with the contact rate 2.5 are outside the bounds
    const unused = [{ points: 3, which: 'outside the bounds' }];
    expect(found).toMatchObject({ known: 9, unused, asked: 8, stoppedBy: 'points' });
    const { asks, events } = await world.foray['store'].searchLog(id);
    const [known] = events;
    const points = known!.kind === 'known' ? known.points : [];
    const best = points.reduce((a, b) => (b.told.value! < a.told.value! ? b : a));
    expect(asks[0]).toMatchObject({ values: best.values, by: 'best known point', seen: 0, told: best.told });
    expect(runs.reused).toBeGreaterThan(0);
    expect(found.best!.value).toBeLessThanOrEqual(best.told.value!);
  },
);

test('a Gaussian process finds a better point with the same number of asks if it begins with known points', async () => {
  await world.foray.submit(definition(search('gp', '')), { id: 'alone' });
  await world.foray.submit(definition(search('gp', 'start: { campaign: grid }')), { id: 'informed' });
  const found = async (id: string) => only('search', (await toTheEnd(world, id)).strategy);
  const [alone, informed] = [await found('alone'), await found('informed')];
  expect(informed.asked).toBe(alone.asked);
  expect(informed.best!.value).toBeLessThan(alone.best!.value);
});

test('a search does not use points of a campaign whose fixed inputs differ', async () => {
  await world.foray.submit(definition(search('cma', 'start: { campaign: grid }'), 700), { id: 'other' });
  const found = only('search', (await toTheEnd(world, 'other')).strategy);
  expect(found).toMatchObject({
    known: 0,
    asked: 8,
    unused: [{ points: 12, which: 'with another value of "Population"' }],
  });
  expect(searchText(found)).toContain(
    '; it began with no known point, and left out 12 points with another value of "Population"; it ended',
  );
});

test('a search does not use points without a value of its output, or points that do not meet "where"', async () => {
  const outputs = (text: string) => text.replace('outputs: [Fit error]', 'outputs: [Peak infected]');
  const { file, text } = definition('design: { grid: { Contact rate: [1.5, 1.7], Recovery rate: [0.4] } }');
  await world.foray.submit({ file, text: outputs(text) }, { id: 'peaks' });
  await toTheEnd(world, 'peaks');
  const start = 'start: { campaign: peaks }\n  where: "`Contact rate` < 1.6"';
  await world.foray.submit(definition(search('cma', start)), { id: 'lacking' });
  expect((await toTheEnd(world, 'lacking')).strategy).toMatchObject({
    known: 0,
    unused: [
      { points: 1, which: 'without a value of "Fit error"' },
      { points: 1, which: 'that do not meet "where"' },
    ],
  });
});

test('foray refuses a search that begins with the results of a missing campaign', async () => {
  await expect(
    world.foray.submit(definition(search('cma', 'start: { campaign: gird }'))),
  ).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
});
