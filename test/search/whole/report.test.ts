import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CampaignStatus, SearchStory } from '../../../src/client/index.ts';
import { bestText } from '../../../src/report/index.ts';
import { command, toTheEnd } from '../../support/campaigns.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC, INVENTORY } from '../../service/fixed.ts';
import { campaignBy, only } from '../../support/strategy.ts';
import { OBSERVED } from '../flu.ts';
import { KN, stock } from '../stock.ts';

/** Tests what foray shows after the end of a search, a calibration or a selection: its story, the report, a point and the progress. */

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
  stop: { points: 16 }
  require: { Peak infected: { max: 400 } }
  confirm: { best: 4, replications: 5, indifference: 100, report: 12 }
replications: { min: 2, max: 6 }
commonRandomNumbers: true
seed: 5
`;

let world: World;
let story: SearchStory;
let page: string;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC, INVENTORY] });
  await world.startWorker();
  await world.foray.submit({ file: 'flu.yaml', text: DEFINITION }, { id: 'flu' });
  await toTheEnd(world, 'flu');
  story = only('search', await world.foray.story('flu'));
  page = await pageOf('flu');
});
afterAll(() => world.close());

async function said(...line: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(world, ...line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return `${stdout}${stderr}`;
}

/** The page that `foray report` writes. */
async function pageOf(id: string): Promise<string> {
  await said('report', id, '-o', `${id}.html`);
  return readFileSync(join(world.folder, `${id}.html`), 'utf8').replaceAll(/\s+/g, ' ');
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

test('the value of the winner of a noisy search comes from runs that were not used to choose it', async () => {
  const best = story.summary.best!;
  expect(best.runs).toBe(12);
  expect(best.interval![0]).toBeLessThan(best.value);
  expect(best.interval![1]).toBeGreaterThan(best.value);
  expect(best.choice).not.toBe('alone');
  // the reported value is the mean of the winner's last 12 replications
  const rows = (await world.rows('flu')).filter(({ point }) => point === best.key);
  const last = rows.toSorted((a, b) => b.replication - a.replication).slice(0, 12);
  const mean = (output: string) => last.reduce((sum, { outputs }) => sum + Number(outputs[output]), 0) / 12;
  expect(best.value).toBeCloseTo(mean('Fit error'), 9);
  expect(mean('Peak infected')).toBeLessThanOrEqual(400);
  expect((await world.foray.status('flu')).runs.failed).toBe(0);
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
  const text = await said('explain', 'flu', key);
  expect(text).toMatch(
    new RegExp(
      `^.* of the points that were asked for\nAsk ${ask}, by ${by}\\. The method knew the values of the first ${seen} asks \\(the best value was \\S+\\)\\. It was told \\S+ \\(\\d runs\\)`,
    ),
  );
  expect(text).toContain('Inputs that the search varies');
});

test('the command line describes a search', async () => {
  expect(await said('status', 'flu')).toMatch(
    /Search \(cma\): \d\d points asked for, .* it ended because it may ask for no more points\nBest: Contact rate 1\.\d+ per day, Recovery rate 0\.\d+ per day: Fit error \d+\.?\d* ± .* \(12 runs that were not used to choose it\); the best value during the search was /,
  );
  const [head, row, end] = (await said('results', 'flu', '--best', '--format', 'csv')).split('\n');
  expect(head).toBe('point,Contact rate,Recovery rate,Fit error,low,high,runs,seen');
  expect(row!.split(',')).toHaveLength(8);
  expect(end).toMatch(/^Contact rate 1\.\d+ per day, .*12 runs that were not used to choose it/);
});

test('foray watch shows the number of points and the best value of a search', async () => {
  expect(await said('watch', 'flu')).toMatch(
    /; search: \d\d points asked for, .*; it ended because it may ask for no more points; best: Fit error \d+\.?\d* ± /,
  );
});

test('status and explain say why points fail although their runs are done', async () => {
  const text = DEFINITION.replace(/^files.*\n/m, '')
    .replace(/^ {2}confirm.*\n/m, '')
    .replace('points: 16', 'points: 6');
  await world.foray.submit({ file: 'flu.yaml', text }, { id: 'unobserved' });
  await toTheEnd(world, 'unobserved');
  const why = 'because Fit error has no finite value in 2 of its 2 runs';
  expect(await said('status', 'unobserved')).toContain(`6 failed (the last one ${why})`);
  const [{ point } = { point: '' }] = await world.rows('unobserved');
  expect(await said('explain', 'unobserved', point)).toContain(`It was told that the point failed, ${why}.`);
});

describe('a calibration', () => {
  let status: CampaignStatus;

  function definition(rest = '') {
    return {
      file: 'abc.yaml',
      text: `
campaign: posterior
model: { name: Epidemic }
inputs: { Population: 80, Days: 12, Stochastic: true }
outputs: [Infected, Peak infected]
calibrate:
  abc:
    priors:
      Contact rate: { min: 1, max: 3 }
      Recovery rate: { distribution: normal, mean: 0.5, sd: 0.2, min: 0.1, max: 1 }
    observed:
      Infected: { x: [2, 4, 6, 8, 10], y: [3, 12, 28, 24, 12] }
      Peak infected: { value: 30, weight: 0.5 }
    particles: 20
    parallel: 5
    stop: { generations: 2 }
seed: 4
${rest}`,
    };
  }

  beforeAll(async () => {
    await world.foray.submit(definition(), { id: 'abc' });
    await world.foray.submit(definition('concurrency: 5'), { id: 'abc-slow' });
    status = await toTheEnd(world, 'abc');
    await toTheEnd(world, 'abc-slow');
  });
  test('a calibration ends with a posterior of the requested number of points', async () => {
    const calibration = only('calibration', status.strategy);
    expect(calibration).toMatchObject({
      method: 'abc',
      stage: 'over',
      generation: 2,
      accepted: 20,
      particles: 20,
      failed: 0,
      stoppedBy: 'generations',
    });
    expect(calibration.told).toBe(calibration.asked);
    expect(status.runs).toMatchObject({ total: calibration.asked, done: calibration.asked });
    const { posterior } = calibration;
    expect(posterior!.effective).toBeGreaterThan(5);
    const rows = await world.rows('abc');
    const last = rows.filter(({ generation, weight }) => generation === 2 && weight != null);
    expect(last).toHaveLength(20);
    expect(last.reduce((sum, { weight }) => sum + weight!, 0)).toBeCloseTo(1, 9);
    const mean = last.reduce((sum, { weight, values }) => sum + weight! * Number(values[0]), 0);
    expect((posterior!.inputs['Contact rate'] as { mean: number }).mean).toBeCloseTo(mean, 9);
    expect(rows.filter(({ generation }) => generation === 1)).toHaveLength(20);
  });

  test('the points of a calibration do not depend on the timing of its runs', async () => {
    const logOf = async (id: string) =>
      (await world.rows(id))
        .map(({ ask, generation, weight, values, outputs }) => ({ ask, generation, weight, values, outputs }))
        .sort((a, b) => a.ask! - b.ask!);
    expect(await logOf('abc-slow')).toEqual(await logOf('abc'));
  });

  test('the command line describes a calibration', async () => {
    expect(await said('status', 'abc')).toMatch(
      /Calibration \(abc\): generation 2, distances up to [\d.]+: 20 of 20 points accepted, \d+ asked for; it ended because it finished its last generation\n {2}Contact rate: mean [\d.]+ per day, sd [\d.]+; 95 % between [\d.]+ and [\d.]+\n {2}Recovery rate: mean/,
    );
    expect(await said('results', 'abc', '--format', 'csv')).toMatch(
      /^point,replication,status,ask,generation,weight,Contact rate,Recovery rate,/,
    );
    const { point, ask } = (await world.rows('abc')).find(({ generation }) => generation === 2)!;
    expect(await said('explain', 'abc', point)).toMatch(
      new RegExp(
        `Ask ${ask}, by generation 2\\. The method knew the distances of the first \\d+ asks\\. It was told the distance [\\d.]+ \\(1 run\\)\\.`,
      ),
    );
  });

  test('the report has pictures and a table of the posterior, and the generations', async () => {
    const page = await pageOf('abc');
    for (const id of ['posterior', 'posterior-pairs']) expect(page).toContain(`data-file="abc-${id}"`);
    expect(page).toContain('<h2>Posterior</h2>');
    expect(page).toContain('<td>Contact rate (per day)</td>');
    expect(page).toMatch(/by the 20 accepted points of generation 2 with their weights/);
    expect(page).toContain('<h2>Generations</h2>');
    // a calibration does not look for the lowest output
    expect(page).not.toMatch(/lowest/i);
    expect(page).not.toMatch(/other runs/i);
  });

  test('a plan of a calibration shows the maximum number of points', async () => {
    const plan = await world.foray.plan(definition());
    expect(plan).toMatchObject({
      strategy: { by: 'calibration', particles: 20, generations: 2 },
      // each of 2 generations may ask for 2,000 points: 20 particles divided by the default acceptance of 0.01
      points: 4_000,
      runs: 20,
      mostRuns: 4_000,
    });
  });
});

describe('a selection', () => {
  test('the best point of a selection has its own runs', async () => {
    await world.foray.submit(stock({ select: KN }), { id: 'certain' });
    const { phase, strategy } = await toTheEnd(world, 'certain');
    const select = only('selection', strategy);
    expect(phase).toBe('completed');
    expect(select).toMatchObject({ method: 'kn', stage: 'over', points: 6, failed: 0 });
    const best = select.best!;
    expect(best).toMatchObject({ runs: 12, choice: 'compared' });
    expect(best.interval![0]).toBeLessThan(best.value);
    expect(best.interval![1]).toBeGreaterThan(best.value);
    // the reported value is the mean of the last replications, which the comparison did not use
    const own = (await world.rows('certain'))
      .filter(({ point }) => point === best.key)
      .toSorted((a, b) => b.replication - a.replication)
      .map(({ outputs }) => Number(outputs['Mean total cost']));
    const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(best.value).toBeCloseTo(mean(own.slice(0, 12)), 9);
    expect(best.seen).toBeCloseTo(mean(own.slice(12)), 9);
  });

  test('a selection spends its whole budget, and then gives the best point its own runs', async () => {
    const select = '{ minimize: Mean total cost, runs: 60, report: 5 }';
    await world.foray.submit(stock({ select, rest: 'replications: 4\nseed: 7' }), { id: 'budget' });
    const status = await toTheEnd(world, 'budget');
    expect(status.runs).toMatchObject({ total: 65, failed: 0 });
    expect(status.strategy).toMatchObject({ method: 'ocba', best: { runs: 5, choice: 'undecided' } });
  });

  test('the best point of a selection meets the requirement', async () => {
    const select =
      '{ minimize: Mean total cost, require: { Service level: { min: 0.9 } }, indifference: 5, report: 5 }';
    await world.foray.submit(stock({ select, rest: 'replications: 4\nseed: 7' }), { id: 'required' });
    const found = only('selection', (await toTheEnd(world, 'required')).strategy);
    const rows = (await world.rows('required')).filter(({ point }) => point === found.best?.key);
    const levels = rows.slice(-5).map(({ outputs }) => Number(outputs['Service level']));
    expect(levels.reduce((sum, level) => sum + level, 0) / 5).toBeGreaterThanOrEqual(0.9);
  });

  test('the command line describes the best point of a selection', async () => {
    const words =
      /Reorder point \d+.*, Order-up-to level \d+.*: Mean total cost [\d.]+ ± [\d.]+ .*\(12 runs that were not used to choose it\); its value in the comparison was .*; no other point is better by more than 1, with 95 %/;
    const status = await said('status', 'certain');
    expect(status).toMatch(/Selection \(kn\): 6 points; the comparison is over\nBest: /);
    expect(status).toMatch(words);
    expect(await said('results', 'certain', '--best')).toMatch(words);
    expect(await said('status', 'budget')).toContain('chosen with a budget of 60 runs');
    const page = await pageOf('certain');
    expect(page).toContain('with 95 % confidence that no other point is better by more than 1: 6 points');
    expect(page).toContain('The best points');
    expect(page).toMatch(/12 further runs give its own value/);
  });

  test('a plan shows the first and the maximum number of runs, and refuses a budget below the first runs', async () => {
    const certain = await world.foray.plan(stock({ select: KN }));
    // each of 6 points gets at most 2,000 replications, and the best point gets 12 further runs
    expect(certain).toMatchObject({
      points: 6,
      runs: 60,
      mostRuns: 12_012,
      strategy: { by: 'selection', method: 'kn' },
    });
    const budget = stock({ select: '{ minimize: Mean total cost, runs: 100 }', rest: 'seed: 1' });
    // by default, the best point gets 30 further runs
    expect(await world.foray.plan(budget)).toMatchObject({ runs: 60, mostRuns: 130 });
    const small = stock({ select: '{ minimize: Mean total cost, runs: 59 }', rest: 'seed: 1' });
    await expect(world.foray.plan(small)).rejects.toMatchObject({ code: 'INVALID_VALUE' });
  });

  test('the indifference of a selection cannot be changed', async () => {
    await expect(
      world.foray.apply('certain', stock({ select: '{ minimize: Mean total cost, indifference: 2 }' })),
    ).rejects.toMatchObject({ code: 'CHANGE_REFUSED' });
  });
});
