import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SearchStory } from '../../../src/client/index.ts';
import { bestText } from '../../../src/report/index.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { environmentOf } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { campaignBy, only } from '../../support/strategy.ts';
import { OBSERVED } from '../flu.ts';

/** Tests what foray shows after the end of a search: its story, the report, a point and the progress. */

const DEFINITION = `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 763, Stochastic: true }
files: { Observed cases: ${JSON.stringify(OBSERVED)} }
outputs: [Fit error, Peak infected]
search:
  minimize: Fit error
  over:
    Contact rate: { min: 1.2, max: 2.2, digits: 4 }
    Recovery rate: { min: 0.3, max: 0.6, digits: 4 }
  method: cma
  parallel: 8
  stop: { points: 20 }
  require: { Peak infected: { max: 400 } }
  confirm: { best: 4, replications: 5, indifference: 50, report: 12 }
replications: { min: 2, max: 6 }
commonRandomNumbers: true
seed: 5
`;

let world: World;
let story: SearchStory;
let page: string;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
  await world.foray.submit({ file: 'flu.yaml', text: DEFINITION }, { id: 'flu' });
  await toTheEnd(world, 'flu');
  story = only('search', await world.foray.story('flu'));
  await said('report', 'flu', '-o', 'flu.html');
  page = readFileSync(join(world.folder, 'flu.html'), 'utf8').replaceAll(/\s+/g, ' ');
});
afterAll(() => world.close());

async function said(...line: string[]): Promise<string> {
  const { code, stdout, stderr } = await foray(world.folder, line, { env: environmentOf(world.settings) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return `${stdout}${stderr}`;
}

test('the story of a search has its points in the order of their asks, and the winner is the first finalist', async () => {
  const { points, finalists, summary, isNoisy } = story;
  expect(isNoisy).toBe(true);
  expect(points).toHaveLength(summary.asked);
  expect(points.map(({ ask }) => ask)).toEqual(points.map(({ ask }) => ask).toSorted((a, b) => a - b));
  // the value that the search used for a point is the mean of its first runs
  const { key, runs, value } = points[0]!;
  const rows = (await world.rows('flu'))
    .filter(({ point }) => point === key)
    .toSorted((a, b) => a.replication - b.replication)
    .slice(0, runs);
  const mean = rows.reduce((sum, { outputs }) => sum + Number(outputs['Fit error']), 0) / runs;
  expect(value).toBeCloseTo(mean, 9);
  const [winner, ...others] = finalists;
  expect(winner).toMatchObject({
    isWinner: true,
    key: summary.best!.key,
  });
  // the mean of a finalist leaves out the further runs, which give the final value
  expect(winner!.mean).not.toBe(summary.best!.value);
  expect(others.length).toBeGreaterThan(2);
  for (const { isWinner, runs, mean } of finalists) {
    expect(isWinner).toBe(mean === winner!.mean);
    expect(runs).toBeGreaterThanOrEqual(5);
    expect(mean).not.toBeNull();
  }
});

test('the report states the value from runs that were not used to choose the winner', async () => {
  const { best } = story.summary;
  const { record } = await world.foray.results('flu');
  const [place, rest] = bestText(campaignBy('search', record.campaign), best!).split(': Fit error ');
  const [value] = rest!.split(' (');
  expect(page).toContain(`Lowest Fit error <strong>${value}</strong> at ${place}`);
  expect(page).toContain('12 runs that were not used to choose it; the best value during the search was');
  expect(page).toMatch(
    /The search<\/h2> <p class="soft">\s?By CMA-ES, 8 points at once: \d+ points asked for, /,
  );
  expect(page).toContain('it ended because it may ask for no more points');
});

test('the report has only one table of best points, and the first row is the winner', () => {
  const { best } = story.summary;
  const [row] = /<tr class="first">.*?<\/tr>/.exec(page)!;
  expect(row).toContain(`<code>${best!.key}</code>`);
  expect(row).toContain(`title="${story.finalists[0]!.mean}"`);
  expect(page).toMatch(
    /The winner was chosen by these values; 12 further runs give its own value: [\d.]+ ± [\d.]+/,
  );
  expect(row).toContain('<td>winner</td>');
  expect(page).toContain('Values during the search tend to be too good');
  expect(page.match(/<tr class="first">/g)).toHaveLength(1);
  expect(page).not.toContain('Best points</h2>');
});

test('the report has pictures of the progress, the finalists and all points', () => {
  for (const id of ['search-progress', 'finalists', 'search-points'])
    expect(page).toContain(`data-file="flu-${id}"`);
  expect(page).toContain('The band is the value of the winner, from 12 runs that were not used to choose it');
  expect(page).toContain('so these points show no shares of the variance');
  expect(page).not.toContain('of the variance between points');
});

test('explain shows when the search asked for a point', async () => {
  const { ask, key, by, seen } = story.points.at(-1)!;
  const [explained] = (await world.foray.explain('flu', key)).asks;
  expect(explained).toMatchObject({ ask, by, seen });
  const known = story.points.filter((point) => point.ask < seen && point.isFeasible);
  expect(explained!.bestSeen).toBe(Math.min(...known.map(({ value }) => value!)));
  expect(await said('explain', 'flu', key)).toMatch(
    new RegExp(
      `^.* of the points that were asked for\nAsk ${ask}, by ${by}\\. The method knew the values of the first ${seen} asks \\(the best value was \\S+\\)\\. It was told \\S+ \\(\\d runs\\)`,
    ),
  );
  expect(await said('explain', 'flu', key)).toContain('Inputs that the search varies');
});

test('foray watch shows the number of points and the best value of a search', async () => {
  expect(await said('watch', 'flu')).toMatch(
    /; search: 2\d points asked for, .*; it ended because it may ask for no more points; best: Fit error \d+\.?\d* ± /,
  );
});

test('status and explain say why points fail although their runs are done', async () => {
  const text = DEFINITION.replace(/^files.*\n/m, '').replace(/^ {2}confirm.*\n/m, '');
  await world.foray.submit({ file: 'flu.yaml', text }, { id: 'unobserved' });
  await toTheEnd(world, 'unobserved');
  const why = 'because Fit error has no finite value in 2 of its 2 runs';
  expect(await said('status', 'unobserved')).toContain(`20 failed (the last one ${why})`);
  const [{ point } = { point: '' }] = await world.rows('unobserved');
  expect(await said('explain', 'unobserved', point)).toContain(`It was told that the point failed, ${why}.`);
});
