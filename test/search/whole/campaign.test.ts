import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { environmentOf } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';
import { OBSERVED } from '../flu.ts';

/** Tests searches as campaigns, from the definition to the best point. */

/** The least error of the deterministic model. It is at Contact rate 1.669226 and Recovery rate 0.443450. */
const OPTIMUM = 17.158799;

let world: World;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
});
afterAll(() => world.close());

function flu({
  search,
  rest = '',
  rates = '{ min: 1.2, max: 2.2, digits: 4 }',
}: {
  search: string;
  rest?: string;
  rates?: string;
}) {
  return {
    file: 'flu.yaml',
    text: `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 763 }
files: { Observed cases: ${JSON.stringify(OBSERVED)} }
outputs: [Fit error, Peak infected]
search:
  minimize: Fit error
  over:
    Contact rate: ${rates}
    Recovery rate: { min: 0.3, max: 0.6, digits: 4 }
${search}
${rest}`,
  };
}

/** The points that a search asked for, with their results, in the order of the results. */
async function logOf(id: string): Promise<string[]> {
  const { rows } = await world.foray.results(id);
  const lines: string[] = [];
  for await (const { ask, values, replication, outputs } of rows)
    lines.push(JSON.stringify({ ask, values, replication, outputs }));
  return lines;
}

test.each([
  ['cma', 48],
  ['gp', 25],
  ['direct', 40],
])('%s fits the model to the observed cases, and asks for no point twice', async (method, points) => {
  const definition = flu({
    search: `  method: ${method}\n  parallel: 4\n  stop: { points: ${points} }`,
    rest: 'seed: 1',
  });
  const id = `flu-${method}`;
  await world.foray.submit(definition, { id });
  const status = await toTheEnd(world, id);
  expect(status.phase).toBe('completed');
  expect(status.points).toBe(points);
  expect(status.runs).toMatchObject({ total: points, done: points, failed: 0 });
  const search = only('search', status.strategy);
  expect(search).toMatchObject({
    method,
    stage: 'over',
    asked: points,
    told: points,
    failed: 0,
    stoppedBy: 'points',
  });
  expect(search.best!.value).toBeGreaterThan(OPTIMUM - 1e-6);
  expect(search.best!.value).toBeLessThan(1.1 * OPTIMUM);
  // a model without chance has one run per point
  expect(search.best).toMatchObject({ interval: null, runs: 1, seen: search.best!.value });
  const rows = await world.rows(id);
  expect(new Set(rows.map(({ point }) => point)).size).toBe(points);
  const best = Math.min(...rows.map(({ outputs }) => Number(outputs['Fit error'])));
  expect(search.best!.value).toBe(best);
});

test('gp ends when it expects too little improvement from the next point', async () => {
  const search = '  method: gp\n  parallel: 2\n  stop: { points: 60, gain: 0.5 }';
  await world.foray.submit(flu({ search, rest: 'seed: 1' }), { id: 'gain' });
  const { strategy, points } = await toTheEnd(world, 'gain');
  const found = only('search', strategy);
  expect(found.stoppedBy).toBe('gain');
  expect(points).toBeLessThan(40);
  expect(found.best!.value).toBeLessThan(OPTIMUM + 1);
});

test('a search asks for the same points, whatever the timing of the runs', async () => {
  const search = '  method: cma\n  parallel: 6\n  stop: { points: 24 }';
  await world.foray.submit(flu({ search, rest: 'seed: 3' }), { id: 'twin-a' });
  await world.foray.submit(flu({ search, rest: 'seed: 3\nconcurrency: 1' }), { id: 'twin-b' });
  await Promise.all([toTheEnd(world, 'twin-a'), toTheEnd(world, 'twin-b')]);
  const log = await logOf('twin-a');
  expect(log).toHaveLength(24);
  expect(await logOf('twin-b')).toEqual(log);
});

test('the value of the winner of a noisy search comes from runs that were not used to choose it', async () => {
  const definition = flu({
    search: `  method: cma
  parallel: 8
  stop: { points: 16 }
  require: { Peak infected: { max: 600 } }
  confirm: { best: 3, replications: 4, indifference: 25, report: 12 }`,
    rest: 'replications: { min: 2, max: 4 }\ncommonRandomNumbers: true\nseed: 5',
  });
  definition.text = definition.text.replace('Population: 763', 'Population: 763, Stochastic: true');
  await world.foray.submit(definition, { id: 'noisy' });
  const { strategy, phase, runs } = await toTheEnd(world, 'noisy');
  const search = only('search', strategy);
  expect(phase).toBe('completed');
  const best = search.best!;
  expect(best.runs).toBe(12);
  expect(best.interval![0]).toBeLessThan(best.value);
  expect(best.interval![1]).toBeGreaterThan(best.value);
  expect(best.choice).not.toBe('alone');
  // the reported value is the mean of the winner's last 12 replications
  const rows = (await world.rows('noisy')).filter(({ point }) => point === best.key);
  const last = rows.toSorted((a, b) => b.replication - a.replication).slice(0, 12);
  const mean = last.reduce((sum, { outputs }) => sum + Number(outputs['Fit error']), 0) / 12;
  expect(best.value).toBeCloseTo(mean, 9);
  expect(
    last.reduce((sum, { outputs }) => sum + Number(outputs['Peak infected']), 0) / 12,
  ).toBeLessThanOrEqual(600);
  expect(runs.failed).toBe(0);
});

test('the command line describes a search', async () => {
  const env = environmentOf(world.settings);
  const said = async (...line: string[]): Promise<string> => {
    const { code, stdout, stderr } = await foray(world.folder, line, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout;
  };
  expect(await said('status', 'noisy')).toMatch(
    /Search \(cma\): 1\d points asked for, .* it ended because it may ask for no more points\nBest: Contact rate 1\.\d+ per day, Recovery rate 0\.\d+ per day: Fit error \d+\.?\d* ± .* \(12 runs that were not used to choose it\); the best value during the search was /,
  );
  const [head, row, end] = (await said('results', 'noisy', '--best', '--format', 'csv')).split('\n');
  expect(head).toBe('point,Contact rate,Recovery rate,Fit error,low,high,runs,seen');
  expect(row!.split(',')).toHaveLength(8);
  expect(end).toBe('');
  expect(await said('results', 'flu-cma', '--format', 'csv')).toMatch(
    /^point,replication,status,ask,Contact rate,/,
  );
});

/** The part of a step's result that the tests look at. */
interface Step {
  added: { count: number };
}

interface Call {
  /** The name of the activity. */
  name: string;
  /** The number of runs that a step of the search added; undefined if the activity made no step. */
  added?: number;
}

/** The completed activities of a campaign's workflow in their order, and the duration of the workflow in seconds. */
async function callsOf(id: string): Promise<{ calls: Call[]; seconds: number }> {
  const { events } = await world.environment.client.workflow.getHandle(id).fetchHistory();
  const names = new Map<string, string>();
  const calls: Call[] = [];
  for (const { eventId, activityTaskScheduledEventAttributes: scheduled, ...event } of events!) {
    if (scheduled) names.set(String(eventId), scheduled.activityType!.name!);
    const completed = event.activityTaskCompletedEventAttributes;
    if (!completed) continue;
    const name = names.get(String(completed.scheduledEventId))!;
    const [payload] = completed.result?.payloads ?? [];
    if (!payload?.data?.length) continue;
    const result = JSON.parse(Buffer.from(payload.data).toString()) as Step & { proposed?: Step };
    const step = name === 'propose' ? result : result.proposed;
    calls.push({ name, ...(step && { added: step.added.count }) });
  }
  const [first, last] = [events![0]!, events!.at(-1)!].map(({ eventTime }) => Number(eventTime!.seconds));
  return { calls, seconds: last! - first! };
}

test('a search delays its next step while points wait to be requested', async () => {
  const search = '  method: cma\n  parallel: 20\n  stop: { points: 30 }';
  await world.foray.submit(flu({ search, rest: 'seed: 3\nconcurrency: 2' }), { id: 'waits' });
  expect(await toTheEnd(world, 'waits')).toMatchObject({ phase: 'completed', points: 30 });
  const { calls, seconds } = await callsOf('waits');
  const countOf = (name: string): number => calls.filter((call) => call.name === name).length;
  // without the delay, the search would take a step after each advance; with it, it may take one more every 10 s
  expect(2 * (countOf('propose') - Math.ceil(seconds / 10))).toBeLessThan(countOf('advance'));
});

test('the activity that sees the last run of a generation asks for the points of the next generation', async () => {
  const search = '  method: cma\n  parallel: 20\n  stop: { points: 60 }';
  await world.foray.submit(flu({ search, rest: 'seed: 3' }), { id: 'at-once' });
  expect(await toTheEnd(world, 'at-once')).toMatchObject({ phase: 'completed', points: 60 });
  const { calls } = await callsOf('at-once');
  // only the first step needs its own activity, because no run has finished yet; if a generation takes more than 10 s,
  // the workflow also asks in between, and the search adds nothing
  const steps = calls.filter(({ added = 0 }) => added > 0);
  expect(steps.map(({ name }) => name)).toEqual(['propose', 'advance', 'advance']);
});
