import { describe, expect, test } from '@jest/globals';
import { foray } from '../../../bench/scheduler/drivers.ts';
import { draw, seeded } from '../../support/durations.ts';
import { listScheduling } from '../../../bench/scheduler/service.ts';
import { type Scenario, simulate, type Simulated } from './simulation.ts';

describe('the performance in virtual time', () => {
  const campaign = (
    count: number,
    duration: (n: number) => number,
    rest: Partial<Scenario> = {},
  ): Scenario => ({
    runs: Array.from({ length: count }, (_, n) => ({ duration: duration(n), ends: 'new' })),
    executors: 50,
    concurrency: 'auto',
    latency: 200,
    troubles: [],
    ...rest,
  });
  const pollsARun = ({ ticks }: Simulated, { runs }: Scenario): number =>
    ticks.reduce((sum, { poll }) => sum + poll.length, 0) / runs.length;

  test.each([
    ['2 s', campaign(2_000, () => 2_000), 1.6, 4],
    ['20 s', campaign(2_000, () => 20_000), 1.15, 7],
    ['2 min', campaign(1_000, () => 120_000), 1.15, 12],
    ['10 to 30 s', campaign(1_000, (n) => 10_000 + ((n * 7_919) % 20_000)), 1.2, 8],
  ])('with runs of %s, executors stay busy and polls are few', (_, scenario, slack, polls) => {
    const simulated = simulate(scenario);
    const work = scenario.runs.reduce((sum, { duration }) => sum + duration, 0) / scenario.executors;
    expect(simulated.makespan / work).toBeLessThan(slack);
    expect(pollsARun(simulated, scenario)).toBeLessThan(polls);
  });

  test.each([1, 2, 4])('with %i executors, executors stay busy, and ticks and polls are few', (executors) => {
    const scenario = campaign(600, (n) => 10_000 + ((n * 7_919) % 20_000), { executors });
    const simulated = simulate(scenario);
    const work = scenario.runs.reduce((sum, { duration }) => sum + duration, 0) / executors;
    expect(simulated.makespan / work).toBeLessThan(1.03);
    expect(pollsARun(simulated, scenario)).toBeLessThan(executors === 1 ? 4 : 3);
    // a tick adds eleven events to the history
    expect(simulated.ticks.length / scenario.runs.length).toBeLessThan(executors === 1 ? 1 / 2 : 3 / 11);
  });

  test('runs of 200 ms keep executors busy from the start', () => {
    const scenario = campaign(2_000, () => 200, { executors: 8, latency: 60 });
    // each of the 8 executors has 250 runs of 200 ms: 50,000 ms of work
    expect(simulate(scenario).makespan / 50_000).toBeLessThan(1.05);
  });

  test('runs of 20 ms keep two executors busy soon after a first run of 3.5 s', () => {
    const scenario = campaign(1_800, (n) => (n < 2 ? 3_500 : 20), { executors: 2 });
    const work = 3_500 + 1_798 * 10;
    expect(simulate(scenario).makespan / work).toBeLessThan(1.2);
  });

  test('short runs after long ones soon have short ticks', () => {
    const scenario = campaign(460, (n) => (n < 60 ? 300_000 : 200), { executors: 5, concurrency: 5 });
    const ofLongRuns = (60 / 5) * 300_000;
    // with five places and a second between two looks, the other 400 runs need 80 s
    expect(simulate(scenario).makespan).toBeLessThan(1.1 * ofLongRuns + 300_000);
  });

  test.each([1, 2, 3])(
    'a campaign of short runs takes at most 3 %% longer than list scheduling, with the seed %i',
    (seed) => {
      const random = seeded(seed);
      const durations = draw(2_000, 0.2, 'bimodal', random);
      const capacity = [{ from: 0, executors: 8 }];
      expect(foray(durations, capacity, random).makespan / listScheduling(durations, capacity)).toBeLessThan(
        1.03,
      );
    },
  );

  test('the queue stays short even if a run starts between two early polls', () => {
    // with the third seed, a run starts between two early polls, which are 250 ms apart
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = seeded(seed);
      const durations = draw(2_000, 60, 1, random);
      expect(foray(durations, [{ from: 0, executors: 3 }], random).outstanding).toBeLessThan(10);
    }
  });

  test('runs that the service already has finish without a wait', () => {
    const runs = Array.from({ length: 1_271 }, () => ({ duration: 0, ends: 'reused' as const }));
    const { ticks, makespan } = simulate(campaign(0, () => 0, { runs }));
    expect(makespan).toBe(ticks.length * 200);
    expect(ticks.length).toBeLessThan(20);
  });

  test('a campaign uses a fixed concurrency fully', () => {
    const { ticks } = simulate(campaign(100, () => 10_000, { concurrency: 7 }));
    expect(Math.max(...ticks.map(({ flightsAfter }) => flightsAfter))).toBe(7);
  });

  test.each([
    [1, 20],
    [1, 600],
    [4, 20],
    [4, 600],
    [20, 20],
    [20, 600],
  ])(
    'with concurrency %i, runs of %i s take at most 12 %% longer than list scheduling on as many executors',
    (concurrency, mean) => {
      for (const kind of [0.3, 1, 'bimodal'] as const) {
        const durations = draw(100 * concurrency, mean, kind, seeded(1));
        const scenario = campaign(durations.length, (n) => durations[n]!, { concurrency });
        const best = listScheduling(durations, [{ from: 0, executors: concurrency }]);
        const simulated = simulate(scenario);
        expect(simulated.makespan / best).toBeLessThan(1.12);
        expect(pollsARun(simulated, scenario)).toBeLessThan(12);
      }
    },
  );

  test('the window stays small with one executor and long runs', () => {
    const { ticks } = simulate(campaign(60, () => 60_000, { executors: 1 }));
    expect(Math.max(...ticks.map(({ flightsAfter }) => flightsAfter))).toBeLessThanOrEqual(16);
  });
});
