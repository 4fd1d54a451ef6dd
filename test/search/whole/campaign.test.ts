import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SearchEvent } from '../../../src/campaign/search/log.ts';
import { checkMayChange } from '../../../src/search/change.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { seeded } from '../../support/durations.ts';
import { report, seeds } from '../../support/seeds.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';
import { OBSERVED } from '../flu.ts';

/** Tests searches as campaigns: from the definition to the best point, with changes, and beside other campaigns. */

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
  await world.foray.submit(flu({ search, rest: 'seed: 1\nconcurrency: 2' }), { id: 'waits' });
  expect(await toTheEnd(world, 'waits')).toMatchObject({ phase: 'completed', points: 30 });
  const { calls, seconds } = await callsOf('waits');
  const countOf = (name: string): number => calls.filter((call) => call.name === name).length;
  // without the delay, the search would take a step after each advance; with it, it may take one more every 10 s
  expect(4 * (countOf('propose') - Math.ceil(seconds / 10))).toBeLessThan(countOf('advance'));
});

test.each([
  ['cma', 60, 20],
  ['gp', 16, 4],
  ['direct', 28, 4],
])(
  '%s fits the model to the observed cases, and asks for no point twice',
  async (method, points, parallel) => {
    const definition = flu({
      search: `  method: ${method}\n  parallel: ${parallel}\n  stop: { points: ${points} }`,
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
  },
);

test('the activity that sees the last run of a generation asks for the points of the next generation', async () => {
  const { calls } = await callsOf('flu-cma');
  // only the first step needs its own activity, because no run has finished yet; if a generation takes more than 10 s,
  // the workflow also asks in between, and the search adds nothing
  const steps = calls.filter(({ added = 0 }) => added > 0);
  expect(steps.map(({ name }) => name)).toEqual(['propose', 'advance', 'advance']);
});

test('a search asks for the same points, whatever the timing of the runs', async () => {
  expect(await logOf('waits')).toEqual((await logOf('flu-cma')).slice(0, 30));
});

describe('a search whose definition changes', () => {
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

  const NARROW = '{ min: 1.2, max: 1.4, digits: 4 }';
  const WIDE = '{ min: 1.2, max: 3, digits: 4 }';

  test('a finished search continues when it may ask for more points', async () => {
    await world.foray.submit(definition('stop: { points: 8 }', NARROW), { id: 'more' });
    const { points } = await toTheEnd(world, 'more');
    expect(points).toBe(8);
    const before = await world.foray['store'].searchLog('more');
    const more = definition('stop: { points: 12 }\n  parallel: 4', NARROW);
    expect(await world.foray.compare('more', more)).toMatchObject({
      settings: ['search.parallel', 'search.stop'],
      points: { added: 0, dropped: 0, kept: 8 },
    });
    const change = await world.foray.apply('more', more);
    expect(change).toMatchObject({
      wasClosed: true,
      difference: { points: { added: 0, dropped: 0, kept: 8 } },
    });
    const status = await toTheEnd(world, 'more');
    expect(status).toMatchObject({ phase: 'completed', points: 12, runs: { total: 24, done: 24 } });
    expect(status.strategy).toMatchObject({ asked: 12, stage: 'over', stoppedBy: 'points' });
    const { asks, events } = await world.foray['store'].searchLog('more');
    expect(asks.slice(0, before.asks.length)).toEqual(before.asks);
    expect(events.filter(({ kind }) => kind === 'continued')).toEqual([{ kind: 'continued', parallel: 8 }]);
  });

  test('it continues again within wider bounds, and its best point is then outside the old bounds', async () => {
    const before = await world.foray['store'].searchLog('more');
    const wider = definition('stop: { points: 26 }\n  parallel: 4', WIDE);
    expect(await world.foray.compare('more', wider)).toMatchObject({
      settings: ['the bounds under search.over', 'search.stop'],
    });
    await world.foray.apply('more', wider);
    const search = only('search', (await toTheEnd(world, 'more')).strategy);
    expect(search.asked).toBe(26);
    expect(search.best!.inputs['Contact rate']).toBeGreaterThan(1.4);
    const { asks, events } = await world.foray['store'].searchLog('more');
    expect(asks.slice(0, before.asks.length)).toEqual(before.asks);
    expect(events.filter(({ kind }) => kind === 'restarted')).toEqual([
      { kind: 'restarted', parallel: 4, from: before.asks.length, outside: [], excess: null },
    ]);
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
    const other = definition('stop: { points: 26 }', '{ min: 1.2, max: 3, digits: 3 }');
    await expect(world.foray.apply('more', other)).rejects.toMatchObject({
      code: 'CHANGE_REFUSED',
      message: 'In a search that has begun, "over" apart from the bounds cannot change.',
    });
    // the comparison, which people see first, refuses what the change refuses
    const { file, text } = definition('stop: { points: 26 }\n  parallel: 4', WIDE);
    const method = { file, text: text.replace('method: cma', 'method: gp') };
    for (const changed of [world.foray.compare('more', method), world.foray.apply('more', method)])
      await expect(changed).rejects.toMatchObject({
        code: 'CHANGE_REFUSED',
        message: 'In a search that has begun, "method" cannot change.',
      });
    const confirm = 'confirm: { best: 2, replications: 2, indifference: 1000, report: 2 }';
    await world.foray.apply('more', definition(`stop: { points: 27 }\n  ${confirm}`, WIDE));
    const search = only('search', (await toTheEnd(world, 'more')).strategy);
    expect(search.best!.runs).toBe(2);
    await expect(
      world.foray.apply('more', definition(`stop: { points: 30 }\n  ${confirm}`, WIDE)),
    ).rejects.toMatchObject({ code: 'CHANGE_REFUSED' });
  });

  test('a search that compares its best points refuses a change already when the difference is asked for', () => {
    expect(() => checkMayChange([{ kind: 'continued', parallel: 2 }])).not.toThrow();
    expect(() => checkMayChange([{ kind: 'finalists', ordinals: [0, 1], after: 2 }])).toThrow(
      'The search has already begun to compare its best points.',
    );
  });
});

describe('a search of a set that is hard to find', () => {
  const campaign = (name: string, rest: string) => ({
    file: `${name}.yaml`,
    text: `
campaign: ${name}
model: { name: Epidemic }
outputs: [Peak infected]
${rest}
`,
  });

  const [CONTACT, RECOVERY] = ['`Contact rate`', '`Recovery rate`'];
  /** Sets of points that are hard to find. The number from 0 to 1 says how small they are. */
  const narrow: ((share: number) => string)[] = [
    (share) =>
      `${CONTACT} > ${RECOVERY} and ${CONTACT} < ${RECOVERY} + ${(10 ** (-3 - 3 * share)).toFixed(8)}`,
    (share) => `${CONTACT} * ${RECOVERY} > ${(0.8 + 0.0099 * share).toFixed(6)}`,
  ];

  test.each(seeds(1, 10).flatMap((seed) => ['direct', 'gp', 'cma'].map((method) => [method, seed] as const)))(
    'while %s searches a set that is hard to find, another campaign of the same worker completes, and a cancel ends the search (seed %i)',
    async (method, seed) => {
      const random = seeded(seed);
      const where = narrow[Math.floor(random() * narrow.length)]!(random());
      const sliver = `search-${method}-${seed}`;
      const bounds = '{ min: 0.3, max: 0.9 }';
      await world.foray.submit(
        campaign(
          sliver,
          `search:
  minimize: Peak infected
  over: { Contact rate: ${bounds}, Recovery rate: ${bounds} }
  where: '${where}'
  method: ${method}
  stop: { points: 100000 }
concurrency: 4`,
        ),
        { id: sliver },
      );
      await until('the search has points', async () => (await world.foray.status(sliver)).points > 0);
      const delays = monitorEventLoopDelay({ resolution: 10 });
      delays.enable();
      const other = `design-${method}-${seed}`;
      const step = [0.1, 0.05][Math.floor(random() * 2)]!;
      await world.foray.submit(
        campaign(other, `design: { grid: { Contact rate: { from: 1, to: 2, step: ${step} } } }`),
        { id: other },
      );
      const status = await toTheEnd(world, other);
      delays.disable();
      expect(status).toMatchObject({ phase: 'completed', points: Math.round(1 / step) + 1 });
      expect((await world.foray.status(sliver)).phase).toBe('running');
      await world.foray.cancel(sliver);
      expect((await toTheEnd(world, sliver)).phase).toBe('cancelled');
      report(
        `seed ${seed}, ${method}, ${where}: the thread was held for ${(delays.max / 1e6).toFixed(0)} ms at most`,
      );
    },
  );
});
