import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CampaignStatus } from '../../../src/client/index.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { environmentOf } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';

/** Tests calibrations as campaigns, from the definition to the posterior and its report. */

let world: World;
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
    stop: { generations: 3 }
seed: 4
${rest}`,
  };
}

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
  await world.foray.submit(definition(), { id: 'abc' });
  await world.foray.submit(definition('concurrency: 5'), { id: 'abc-slow' });
  status = await toTheEnd(world, 'abc');
  await toTheEnd(world, 'abc-slow');
});
afterAll(() => world.close());

async function said(...line: string[]): Promise<string> {
  const { code, stdout, stderr } = await foray(world.folder, line, { env: environmentOf(world.settings) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return stdout;
}

test('a calibration ends with a posterior of the requested number of points', async () => {
  const calibration = only('calibration', status.strategy);
  expect(calibration).toMatchObject({
    method: 'abc',
    stage: 'over',
    generation: 3,
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
  const last = rows.filter(({ generation, weight }) => generation === 3 && weight != null);
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
    /Calibration \(abc\): generation 3, distances up to [\d.]+: 20 of 20 points accepted, \d+ asked for; it ended because it finished its last generation\n {2}Contact rate: mean [\d.]+ per day, sd [\d.]+; 95 % between [\d.]+ and [\d.]+\n {2}Recovery rate: mean/,
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
  await said('report', 'abc', '-o', 'abc.html');
  const page = readFileSync(join(world.folder, 'abc.html'), 'utf8').replaceAll(/\s+/g, ' ');
  for (const id of ['posterior', 'posterior-pairs']) expect(page).toContain(`data-file="abc-${id}"`);
  expect(page).toContain('<h2>Posterior</h2>');
  expect(page).toContain('<td>Contact rate (per day)</td>');
  expect(page).toMatch(/by the 20 accepted points of generation 3 with their weights/);
  expect(page).toContain('<h2>Generations</h2>');
  // a calibration does not look for the lowest output
  expect(page).not.toMatch(/lowest/i);
  expect(page).not.toMatch(/other runs/i);
});

test('a plan of a calibration shows the maximum number of points', async () => {
  const plan = await world.foray.plan(definition());
  expect(plan).toMatchObject({
    strategy: { by: 'calibration', particles: 20, generations: 3 },
    // each of 3 generations may ask for 2,000 points: 20 particles divided by the default acceptance of 0.01
    points: 6_000,
    runs: 20,
    mostRuns: 6_000,
  });
});
