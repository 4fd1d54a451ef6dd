import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { renderReport } from '../../src/report/html/html.ts';
import type { campaign, CampaignSummary } from '../../src/workflows/index.ts';
import { command, toTheEnd, untilSomeAreDone } from '../support/campaigns.ts';
import { estimate } from '../support/samples.ts';
import { startWorld, type World } from '../support/world.ts';
import { precise, queue } from './queue.ts';
import { REHEARSAL, SERVICE_SYSTEM } from '../service/fixed.ts';

let world: World;
/** The worker calls this function before each tick of a campaign. */
let beforeTick: (id: string) => Promise<unknown> | void = () => {};
beforeAll(async () => {
  world = await startWorld({ models: [REHEARSAL, SERVICE_SYSTEM] });
  await world.startWorker({
    spoil: (real) => ({
      ...real,
      async advance(input) {
        await beforeTick(input.campaign);
        return real.advance(input);
      },
    }),
  });
});
afterAll(() => world.close());

const OUTPUT = 'Server utilization';
const goal = { relative: 0.04, absolute: null, confidence: 0.95 };

/** The values of an output by point, in the order of replications. Checks that no replication is missing. */
async function samplesOf(id: string, output = OUTPUT): Promise<Map<string, number[]>> {
  const points = new Map<string, number[]>();
  for (const { point, replication, outputs } of await world.rows(id)) {
    const values = points.get(point) ?? [];
    expect(replication).toBe(values.length + 1);
    values.push(Number(outputs[output]));
    points.set(point, values);
  }
  return points;
}

describe('replications until the mean is precise enough', () => {
  test('each point gets as many replications as it needs, whatever the concurrency and the other points are', async () => {
    const { id, runs } = await world.foray.submit(queue(precise(200)));
    expect(runs).toBe(12);
    const end = await toTheEnd(world, id);
    const samples = await samplesOf(id);
    expect(samples.size).toBe(3);
    const counts = [...samples.values()].map(({ length }) => length);
    expect(end).toMatchObject({ phase: 'completed', points: 3 });
    expect(end.runs).toMatchObject({ total: counts.reduce((a, b) => a + b), failed: 0, waiting: 0 });
    expect(end.runs.done).toBe(end.runs.total);
    const precision = { precise: 3, imprecise: 0, judged: 3, expectedRuns: end.runs.total, mostRuns: 600 };
    expect(end.precision).toEqual(precision);
    const summary: CampaignSummary = await world.environment.client.workflow
      .getHandle<typeof campaign>(id)
      .result();
    expect(summary.precision).toEqual(precision);
    for (const values of samples.values()) {
      expect(values.length).toBeGreaterThan(4);
      expect(values.length).toBeLessThan(200);
      expect(estimate(values, goal).reached).toBe(true);
    }
    // another campaign has only one of these points, and requests one run at a time
    const slowly = await world.foray.submit(queue(`${precise(200)}\nconcurrency: 1`, '[8]'));
    await toTheEnd(world, slowly.id);
    const [[point, values] = ['', []]] = await samplesOf(slowly.id);
    expect(values).toEqual(samples.get(point));
  });

  test('a point that does not become precise gets the maximum number of replications', async () => {
    // no point can reach this precision with only six replications
    const { id } = await world.foray.submit(queue(precise(6, 5).replace('0.04', '0.0001')));
    const { runs } = await toTheEnd(world, id);
    expect(runs.total).toBe(18);
    for (const values of (await samplesOf(id)).values()) {
      expect(values).toHaveLength(6);
      expect(estimate(values, { ...goal, relative: 0.0001 }).reached).toBe(false);
    }
  });

  test('a point whose runs all fail gets 12 replications, and 20 equal values are not precise; the status and the report tell how many points are precise', async () => {
    const source = {
      text: `
campaign: failing
model: {name: Rehearsal}
inputs: {Seconds: 0}
design: {grid: {Fail: [false, true]}}
replications: {min: 3, max: 20, output: Echo, absolute: 0.1}
`,
      file: 'failing.yaml',
    };
    const { id } = await world.foray.submit(source);
    const { runs, precision } = await toTheEnd(world, id);
    expect(runs).toMatchObject({ done: 20, failed: 12 });
    // foray status and the report tell how many points are not precise
    expect(precision).toEqual({ precise: 0, imprecise: 2, judged: 2, expectedRuns: 32, mostRuns: 40 });
    const { stdout } = await command(world, 'status', id);
    expect(stdout).toContain(
      '[100%] completed: 0 of 2 points precise, 2 not precise with all their replications, 32 runs: ',
    );
    const { record, rows } = await world.foray.results(id);
    const page = (await renderReport(record, runs, rows)).replaceAll(/\s+/g, ' ');
    expect(page).toContain(
      '2 of 2 points are less precise than wanted after all their replications (at most 20)',
    );
    expect(page).toContain('<dt>Precise points</dt> <dd>0 of 2</dd>');
  });

  test('apply with a narrower goal adds replications to the existing replications', async () => {
    const { id } = await world.foray.submit(queue('replications: 3'));
    await toTheEnd(world, id);
    const before = await samplesOf(id);
    const change = await world.foray.apply(id, queue(precise(100)));
    expect(change.difference).toMatchObject({
      replications: { from: 3, to: 4 },
      settings: ['the precision of replications'],
    });
    const coarse = await toTheEnd(world, id);
    const after = await samplesOf(id);
    for (const [point, values] of before) expect(after.get(point)!.slice(0, 3)).toEqual(values);
    const finer = queue(precise(400).replace('0.04', '0.03'));
    await world.foray.apply(id, finer);
    const fine = await toTheEnd(world, id);
    expect(fine.runs.total).toBeGreaterThan(coarse.runs.total);
    for (const values of (await samplesOf(id)).values())
      expect(estimate(values, { ...goal, relative: 0.03 }).reached).toBe(true);
  });

  test('a retry continues a terminated campaign, with the same results as a campaign that was not terminated', async () => {
    const source = queue(`${precise(200)}\nconcurrency: 2`, '[7, 11]');
    const terminated = Promise.withResolvers<void>();
    // the campaign must not complete before it is terminated
    beforeTick = async (id) => {
      if ((await world.foray['store'].counts(id)).done > 0) await terminated.promise;
    };
    const { id } = await world.foray.submit(source);
    try {
      await untilSomeAreDone(world, id);
      await world.environment.client.workflow.getHandle(id).terminate();
    } finally {
      beforeTick = () => {};
      terminated.resolve();
    }
    await world.foray.retry(id);
    await toTheEnd(world, id);
    const whole = await world.foray.submit(queue(precise(200), '[7, 11]'));
    await toTheEnd(world, whole.id);
    expect(await samplesOf(id)).toEqual(await samplesOf(whole.id));
  });
});
