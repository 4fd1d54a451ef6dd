import { parseArgs } from 'node:util';
import { draw, seeded } from './durations.ts';
import { foray, loop, type Measured } from './drivers.ts';
import { fairness } from './fairness.ts';
import { type Capacity, listScheduling } from './service.ts';

/**
 * Compares the scheduler in virtual time with loops that poll at an interval, and with list scheduling in the same
 * order. Each cell shows the worst of its seeds, and must meet all goals at once.
 */
const goals = { makespan: 1.03, polls: 3, events: 1, outstanding: 2.5, lag: 1 };
/**
 * Fairness in windows of 10 mean durations. It must be reached within 20 mean durations after the second of two equal
 * campaigns starts.
 */
const FAIR = 0.95;

interface Cell {
  mean: number;
  cv: number | 'bimodal';
  /** Whether the capacity halves after 30% of the ideal makespan, and recovers after 80%. */
  halves: boolean;
}

interface Row {
  way: string;
  /** Divided by the makespan of list scheduling. */
  makespan: number;
  /** Per run. */
  polls: number;
  events?: number;
  /** Divided by the capacity. */
  outstanding: number;
  /** Divided by max(2 s, 0.75 of the mean duration). */
  lag: number;
}

export function run(args: string[]): boolean {
  const { values } = parseArgs({
    args,
    options: {
      mean: { type: 'string', multiple: true },
      cv: { type: 'string', multiple: true },
      seed: { type: 'string', multiple: true },
      runs: { type: 'string', default: '2000' },
      capacity: { type: 'string', default: '50' },
      json: { type: 'boolean', default: false },
    },
  });
  const [runs, capacity] = [Number(values.runs), Number(values.capacity)];
  const seeds = (values.seed ?? ['1', '2', '3', '4', '5']).map(Number);
  const means = (values.mean ?? ['2', '20', '120', '1800']).map(Number);
  const cvs = (values.cv ?? ['0.3', '1.0', 'bimodal']).map((cv) =>
    cv === 'bimodal' ? ('bimodal' as const) : Number(cv),
  );
  const cells: Cell[] = means.flatMap((mean) => [
    ...cvs.map((cv) => ({ mean, cv, halves: false })),
    ...(values.cv ? [] : [{ mean, cv: 1, halves: true }]),
  ]);

  const results = cells.map((cell) => {
    const rows = worstRows(cell, runs, capacity, seeds);
    const fair = worstFairness(cell, runs, capacity, seeds);
    return { ...cell, rows, fair, isMet: isMet(rows[0]!) && fair >= FAIR };
  });
  if (values.json)
    console.log(
      JSON.stringify(
        { runs, capacity, seeds, goals: { ...goals, fair: FAIR }, cells: results },
        undefined,
        2,
      ),
    );
  else print(results, runs, capacity, seeds);
  return results.every((result) => result.isMet);
}

function worstRows({ mean, cv, halves }: Cell, runs: number, executors: number, seeds: number[]): Row[] {
  const ideal = (runs / executors) * mean * 1_000;
  const capacity: Capacity = halves
    ? [
        { from: 0, executors },
        { from: 0.3 * ideal, executors: Math.ceil(executors / 2) },
        { from: 0.8 * ideal, executors },
      ]
    : [{ from: 0, executors }];
  const worst = new Map<string, Row>();
  for (const seed of seeds) {
    const random = seeded(seed);
    const durations = draw(runs, mean, cv, random);
    const best = listScheduling(durations, capacity);
    const ways: [string, Measured][] = [
      ['foray', foray(durations, capacity, random)],
      ['loop, 1 s', loop(durations, capacity, 1_000)],
      ['loop, 5 s', loop(durations, capacity, 5_000)],
    ];
    for (const [way, measured] of ways) {
      const row: Row = {
        way,
        makespan: measured.makespan / best,
        polls: measured.polls / runs,
        outstanding: measured.outstanding,
        lag: measured.lag / 1_000 / Math.max(2, 0.75 * mean),
        ...(measured.events !== undefined && { events: measured.events / runs }),
      };
      worst.set(way, worse(worst.get(way), row));
    }
  }
  return [...worst.values()];
}

/**
 * The smaller one of Jain's indices in two cases: two campaigns that start together, and one that starts 15 mean
 * durations after the other.
 */
function worstFairness({ mean, cv }: Cell, runs: number, executors: number, seeds: number[]): number {
  const window = 10_000 * mean;
  const indices = seeds.flatMap((seed) =>
    [0, 15_000 * mean].map((late) => {
      const random = seeded(seed);
      // enough runs to keep both busy until the end of the last window
      const durations = draw(Math.max(runs, 45 * executors), mean, cv, random);
      const capacity = [{ from: 0, executors }];
      return Math.max(...fairness(durations, capacity, [0, late], { window, windows: 2 }, random));
    }),
  );
  return Math.min(...indices);
}

function worse(a: Row | undefined, b: Row): Row {
  if (!a) return b;
  return {
    way: a.way,
    makespan: Math.max(a.makespan, b.makespan),
    polls: Math.max(a.polls, b.polls),
    outstanding: Math.max(a.outstanding, b.outstanding),
    lag: Math.max(a.lag, b.lag),
    ...(a.events !== undefined && { events: Math.max(a.events, b.events!) }),
  };
}

function isMet(row: Row): boolean {
  return (Object.keys(goals) as (keyof typeof goals)[]).every((name) => (row[name] ?? 0) <= goals[name]);
}

function print(
  results: (Cell & { rows: Row[]; fair: number; isMet: boolean })[],
  runs: number,
  capacity: number,
  seeds: number[],
): void {
  console.log(
    `${runs} runs on ${capacity} executors, the worst of ${seeds.length} seeds; lag over max(2 s, 0.75 of the mean)`,
  );
  console.log('mean s  durations  way         makespan  polls  events  outstanding   lag    fair');
  for (const { mean, cv, halves, rows, fair, isMet: met } of results) {
    for (const [at, { way, makespan, polls, events, outstanding, lag }] of rows.entries()) {
      const kind = halves ? 'halving' : cv === 'bimodal' ? cv : `cv ${cv}`;
      console.log(
        [
          (at === 0 ? String(mean) : '').padStart(6),
          (at === 0 ? kind : '').padEnd(9),
          way.padEnd(10),
          makespan.toFixed(4).padStart(8),
          polls.toFixed(2).padStart(7),
          (events?.toFixed(2) ?? '').padStart(6),
          outstanding.toFixed(2).padStart(11),
          lag.toFixed(2).padStart(6),
          (at > 0 ? '' : fair.toFixed(3)).padStart(5),
          at > 0 ? '' : met ? 'met' : 'MISSED',
        ].join('  '),
      );
    }
  }
}
