import { parseArgs } from 'node:util';
import { draw, seeded } from '../../test/support/durations.ts';
import { foray, loop, type Measured } from './drivers.ts';
import { fairness } from './fairness.ts';
import { type Capacity, listScheduling } from './service.ts';

type Goals = Partial<Record<'makespan' | 'polls' | 'events' | 'outstanding' | 'lag', number>>;

/** The cells that are measured by default: numbers of executors, each with mean durations in seconds. */
const CELLS: [executors: number, means: number[]][] = [
  [50, [2, 20, 120, 1_800]],
  [2, [3, 20, 60]],
  [4, [3, 60]],
  [8, [0.2, 20]],
];

/**
 * The cells of campaigns with a number as `concurrency`. The service has as many executors, so that the campaign has no
 * queue at the service.
 */
const FIXED_CELLS: typeof CELLS = [
  [1, [20, 600]],
  [4, [20, 600]],
  [20, [20, 600]],
  [100, [20, 600]],
];

/**
 * Below this number of executors, few runs finish in a tick (one round of requests and polls). Then outstanding runs
 * and lag have no goals.
 */
const FEW = 10;
const MANY_GOALS: Goals = { makespan: 1.03, polls: 3, events: 1, outstanding: 2.5, lag: 1 };
const FEW_GOALS: Goals = { makespan: 1.03, polls: 3, events: 3 };
/** The goals on few executors for mean durations below 20 s. */
const FEW_AND_SHORT_GOALS: Goals = { makespan: 1.03, polls: 4, events: 4 };

/** Without a queue, an executor is idle from the end of a run until a poll finds the end. */
const FIXED_GOALS: Goals = { makespan: 1.12, polls: 10 };

/** The least fairness. Two equal campaigns must reach it within two time windows after the second of them starts. */
const FAIR = 0.95;
/** A time window lasts 10 mean durations, or longer if the executors cannot finish this number of runs in that time. */
const FAIR_RUNS = 500;
/** Below this mean duration, s, runs are shorter than the shortest tick. Then fairness has no goal. */
const SHORTEST_FAIR = 1;

interface Cell {
  executors: number;
  mean: number;
  cv: number | 'bimodal';
  /** Whether the campaign has a number as `concurrency`, which is the number of executors. */
  isFixed: boolean;
  /** Whether the capacity halves after 30% of the ideal makespan, and recovers after 80%. */
  halves: boolean;
}

interface Row {
  way: string;
  /** The makespan, divided by the makespan of list scheduling. */
  makespan: number;
  /** The number of polls per run. */
  polls: number;
  events?: number;
  /** The mean number of outstanding runs, divided by the capacity. */
  outstanding: number;
  /** The mean time from the end of a run until a poll finds it, divided by max(2 s, 0.75 of the mean duration). */
  lag: number;
}

interface Result extends Cell {
  rows: Row[];
  /** Null for a campaign with a number as `concurrency`, because such a campaign does not adapt to other campaigns. */
  fair: number | null;
  goals: Goals;
  isMet: boolean;
}

/**
 * Compares the scheduler in virtual time with loops that poll at an interval, and with list scheduling in the same
 * order. Each figure of a cell is the worst figure of all seeds. A cell must meet all its goals at once.
 */
export function run(args: string[]): boolean {
  const { values } = parseArgs({
    args,
    options: {
      mean: { type: 'string', multiple: true },
      cv: { type: 'string', multiple: true },
      seed: { type: 'string', multiple: true },
      runs: { type: 'string', default: '2000' },
      capacity: { type: 'string', multiple: true },
      fixed: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs);
  const seeds = (values.seed ?? ['1', '2', '3', '4', '5']).map(Number);
  const cvs = (values.cv ?? ['0.3', '1.0', 'bimodal']).map((cv) =>
    cv === 'bimodal' ? ('bimodal' as const) : Number(cv),
  );
  const [capacities, means] = [values.capacity?.map(Number), values.mean?.map(Number)];
  const usual = values.fixed ? [] : chosen(CELLS, capacities, means);
  const fixed = values.fixed || !(capacities || means) ? chosen(FIXED_CELLS, capacities, means) : [];
  const cells: Cell[] = [
    ...usual.flatMap((place) => [
      ...cvs.map((cv) => ({ ...place, cv, isFixed: false, halves: false })),
      ...(values.cv ? [] : [{ ...place, cv: 1, isFixed: false, halves: true }]),
    ]),
    ...fixed.flatMap((place) => cvs.map((cv) => ({ ...place, cv, isFixed: true, halves: false }))),
  ];

  const results = cells.map((cell): Result => {
    const rows = worstRows(cell, runs, seeds);
    const fair = cell.isFixed ? null : worstFairness(cell, runs, seeds);
    const goals = goalsOf(cell);
    const isFair = fair === null || fair >= FAIR || cell.mean < SHORTEST_FAIR;
    return { ...cell, rows, fair, goals, isMet: isMet(rows[0]!, goals) && isFair };
  });
  if (values.json)
    console.log(JSON.stringify({ runs, seeds, leastFair: FAIR, cells: results }, undefined, 2));
  else print(results, runs, seeds);
  return results.every((result) => result.isMet);
}

/**
 * The executors and mean durations of the cells. Flags replace the executors, the means, or both. A missing flag gets
 * the executors or the means of the first cell.
 */
function chosen(
  cells: typeof CELLS,
  capacities?: number[],
  means?: number[],
): { executors: number; mean: number }[] {
  const [[many, usual]] = cells as [[number, number[]]];
  const places =
    capacities || means
      ? (capacities ?? [many]).map((executors) => [executors, means ?? usual] as const)
      : cells;
  return places.flatMap(([executors, all]) => all.map((mean) => ({ executors, mean })));
}

function goalsOf({ executors, mean, isFixed }: Cell): Goals {
  if (isFixed) return FIXED_GOALS;
  if (executors >= FEW) return MANY_GOALS;
  return mean < 20 ? FEW_AND_SHORT_GOALS : FEW_GOALS;
}

function worstRows({ executors, mean, cv, isFixed, halves }: Cell, runs: number, seeds: number[]): Row[] {
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
      ['foray', foray(durations, capacity, random, isFixed ? executors : 'auto')],
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
 * The lowest fairness over all seeds and two cases: two campaigns start together, or one starts one and a half windows
 * after the other. The fairness of a case is the higher one of Jain's indices of its two windows.
 */
function worstFairness({ executors, mean, cv }: Cell, runs: number, seeds: number[]): number {
  const window = 1_000 * mean * Math.max(10, FAIR_RUNS / executors);
  const indices = seeds.flatMap((seed) =>
    [0, 1.5 * window].map((late) => {
      const random = seeded(seed);
      // these are enough runs to keep both campaigns busy until the end of the last window
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

function isMet(row: Row, goals: Goals): boolean {
  return (Object.keys(goals) as (keyof Goals)[]).every((name) => (row[name] ?? 0) <= goals[name]!);
}

function print(results: Result[], runs: number, seeds: number[]): void {
  console.log(
    `${runs} runs, the worst of ${seeds.length} seeds; the lag is divided by max(2 s, 0.75 of the mean)`,
  );
  console.log('executors  mean s  durations  way         makespan  polls  events  outstanding   lag    fair');
  for (const { executors, mean, cv, isFixed, halves, rows, fair, isMet: met } of results) {
    for (const [at, { way, makespan, polls, events, outstanding, lag }] of rows.entries()) {
      const kind = halves ? 'halving' : cv === 'bimodal' ? cv : `cv ${cv}`;
      console.log(
        [
          (at > 0 ? '' : isFixed ? `fixed ${executors}` : String(executors)).padStart(9),
          (at === 0 ? String(mean) : '').padStart(6),
          (at === 0 ? kind : '').padEnd(9),
          way.padEnd(10),
          makespan.toFixed(4).padStart(8),
          polls.toFixed(2).padStart(7),
          (events?.toFixed(2) ?? '').padStart(6),
          outstanding.toFixed(2).padStart(11),
          lag.toFixed(2).padStart(6),
          (at > 0 || fair === null ? '' : fair.toFixed(3)).padStart(5),
          at > 0 ? '' : met ? 'met' : 'MISSED',
        ].join('  '),
      );
    }
  }
}
