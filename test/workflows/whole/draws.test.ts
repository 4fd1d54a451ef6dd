import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishedPercent } from '../../../src/campaign/precise-points.ts';
import { csv } from '../../../src/report/formats/csv.ts';
import { tableOf } from '../../../src/report/index.ts';
import { renderReport } from '../../../src/report/html/html.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { environmentOf } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { SERVICE_SYSTEM } from '../../service/fixed.ts';
import { precise, queue } from '../queue.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ models: [SERVICE_SYSTEM] });
  await world.startWorker();
});
afterAll(() => world.close());

const INPUTS = '{Server capacity: {min: 8, max: 10}}';
const drawn = (points: number, more: string) => ({
  text: `
campaign: drawn
model: {name: Service System Demo}
inputs: {"{STOP_TIME}": 300}
design: {random: {points: ${points}, inputs: ${INPUTS}}}
outputs: [Server utilization, Mean waiting time]
${more}
`,
  file: 'drawn.yaml',
});

/** The number of runs of each point, and how often the design has the point. */
async function drawsOf(id: string): Promise<{ draws: number; runs: number; seeds: number }[]> {
  const points = new Map<string, { draws: number; runs: number; outputs: Set<string> }>();
  for (const { point, draws = 1, outputs } of await world.rows(id)) {
    const own = points.get(point) ?? { draws, runs: 0, outputs: new Set() };
    own.runs += 1;
    own.outputs.add(outputs['Server utilization']!);
    points.set(point, own);
  }
  return [...points.values()].map(({ draws, runs, outputs }) => ({ draws, runs, seeds: outputs.size }));
}

test('with a seed, each draw of a point is a run of its own; a change of the design adds or drops draws', async () => {
  const { id, points, runs } = await world.foray.submit(drawn(30, 'seed: 5'));
  expect([points, runs]).toEqual([3, 30]);
  const end = await toTheEnd(world, id);
  expect(end).toMatchObject({ phase: 'completed', points: 3, runs: { total: 30, done: 30 } });
  const before = await drawsOf(id);
  expect(before.reduce((sum, { draws }) => sum + draws, 0)).toBe(30);
  for (const { draws, runs: own, seeds } of before) expect([own, seeds]).toEqual([draws, draws]);

  const { record, rows } = await world.foray.results(id);
  const lines = (await Array.fromAsync(csv(tableOf(record.campaign, rows)))).join('').split('\n');
  expect(lines[0]).toBe(
    'point,replication,status,draws,Server capacity,Server utilization,Mean waiting time,reason',
  );
  expect(lines).toHaveLength(32);
  const page = await renderReport(record, end.runs, (await world.foray.results(id)).rows);
  expect(page).toContain('30 runs');

  const change = await world.foray.apply(id, drawn(40, 'seed: 5'));
  expect(change.difference!.points).toEqual({ added: 0, dropped: 0, kept: 3 });
  expect(await toTheEnd(world, id)).toMatchObject({ runs: { total: 40, done: 40 } });
  expect((await drawsOf(id)).map(({ draws, runs: own }) => own - draws)).toEqual([0, 0, 0]);
});

test('each draw has as many replications as the definition says, also until points are precise', async () => {
  const { id, runs } = await world.foray.submit(drawn(10, 'replications: 2'));
  expect(runs).toBe(20);
  await toTheEnd(world, id);
  for (const { draws, runs: own } of await drawsOf(id)) expect(own).toBe(2 * draws);
  const precise = 'replications: {min: 3, max: 4, output: Server utilization, absolute: 1e-9}\nseed: 1';
  const other = await world.foray.submit(drawn(10, precise));
  expect(other.runs).toBe(30);
  const { runs: counts, precision } = await toTheEnd(world, other.id);
  expect(counts.total).toBe(40);
  expect(precision).toMatchObject({ imprecise: 3, mostRuns: 40, expectedRuns: 40 });
});

test('without a seed, equal draws are one run that counts as often; plan and submit say so', async () => {
  const source = drawn(30, '');
  const plan = await world.foray.plan(source);
  const sentence =
    'The design has 30 points, and only 3 are different. A point counts as often as the design has it, but it is run once, because all runs have the same seed. With "seed: 1", each of the 30 points is run with a seed of its own.';
  expect(plan).toMatchObject({ points: 3, repeats: 27, runs: 3, mostRuns: 3, warnings: [sentence] });
  const { stdout, stderr } = await foray(world.folder, ['submit', '-', '--json'], {
    env: environmentOf(world.settings),
    input: source.text,
  });
  expect(stderr).toContain(`30 points, 3 of them different, 3 runs`);
  expect(stderr).toContain(`warning: ${sentence}`);
  const { id } = JSON.parse(stdout) as { id: string };
  await toTheEnd(world, id);
  const all = await drawsOf(id);
  expect(all.map(({ runs }) => runs)).toEqual([1, 1, 1]);
  expect(all.reduce((sum, { draws }) => sum + draws, 0)).toBe(30);
  const { record, rows } = await world.foray.results(id);
  const page = await renderReport(record, await world.foray.counts(id), rows);
  expect(page).toContain('30 runs over all points. A run counts as often as the design has its point.');
});

describe('replications until the mean is precise enough', () => {
  test('the progress never falls by more than 10 percentage points and ends at 100 %; the number of precise points never falls', async () => {
    const { id } = await world.foray.submit(queue(precise(400).replace('0.04', '0.03'), '[8, 10, 12]'));
    const shares: number[] = [];
    const precisePoints: number[] = [];
    for await (const status of world.foray.follow(id, 100)) {
      if (!status.precision) continue;
      expect(status.precision.mostRuns).toBe(1_200);
      expect(status.precision.expectedRuns).toBeLessThanOrEqual(1_200);
      shares.push(finishedPercent(status));
      precisePoints.push(status.precision.precise);
    }
    expect(shares.at(-1)).toBe(100);
    expect(precisePoints).toEqual(precisePoints.toSorted((a, b) => a - b));
    const falls = shares.map((share, at) => Math.max(...shares.slice(0, at + 1)) - share);
    expect(Math.max(...falls)).toBeLessThanOrEqual(10);
  });
});
