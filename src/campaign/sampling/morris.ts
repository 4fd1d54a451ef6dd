import { permutation } from './permutation.ts';
import { type Key, streamKey, uniformAt } from './threefry.ts';

/** The settings of the trajectories of a Morris design. */
export interface MorrisDesign {
  inputs: readonly { name: string }[];
  trajectories: number;
  /** How many levels each input has, from 0 to 1 at equal distances: an even number. */
  levels: number;
  /** The seed, a whole number. */
  seed: number;
}

/** A row of a Morris design. */
export interface MorrisRow {
  /** The number of the trajectory, starting at 0. */
  trajectory: number;
  /** The place of the input that this row changes; null at the start of a trajectory. */
  changed: number | null;
  /** The change of that input in unit coordinates; 0 at the start of a trajectory. */
  step: number;
  /** A coordinate for each input, from 0 to 1, both included. */
  unit: number[];
}

/**
 * The rows of a Morris design in unit coordinates, trajectory after trajectory. A trajectory starts at random levels.
 * Then each input, in a random order, goes up or down once by levels / (2 (levels - 1)).
 *
 * M. D. Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33 (1991)
 * 161-174, section 3. The trajectories come from a pool of up to 500 random ones, the most spread ones first: F.
 * Campolongo, J. Cariboni and A. Saltelli, "An effective screening design for sensitivity analysis of large models",
 * Environmental Modelling & Software 22 (2007) 1509-1518, section 3. They are chosen one by one, as in M. V. Ruano, J.
 * Ribes, A. Seco and J. Ferrer, the same journal 37 (2012) 103-109, starting with one trajectory. So n trajectories are
 * the first n of any larger design.
 */
export function* morrisLevels(design: MorrisDesign): Generator<MorrisRow> {
  const { trajectories, levels } = design;
  const candidate = candidates(design);
  let trajectory = 0;
  for (const number of chosen(candidate, design.inputs.length, trajectories)) {
    const one = candidate(number);
    for (const [at, row] of rowsOf(one).entries()) {
      const changed = at === 0 ? null : one.order[at - 1]!;
      yield {
        trajectory,
        changed,
        step: changed === null ? 0 : one.steps[changed]! / (levels - 1),
        unit: row.map((level) => level / (levels - 1)),
      };
    }
    trajectory += 1;
  }
}

/** A trajectory. Its levels are whole numbers, starting at 0. */
interface Trajectory {
  start: number[];
  /** The inputs in the order in which they change. */
  order: Uint32Array;
  /** The signed number of levels by which each input changes. */
  steps: number[];
}

/** Returns a function that makes a random trajectory from its number. Numbers start at 0. */
function candidates({ inputs, levels, seed }: MorrisDesign): (number: number) => Trajectory {
  const half = levels / 2;
  const keys = inputs.map(({ name }): Key => streamKey('foray morris', seed, name));
  const orderKey = streamKey('foray morris order', seed, '');
  return (number) => {
    const lower = keys.map((key) => Math.floor(uniformAt(key, number, LEVEL) * half));
    const goesUp = keys.map((key) => uniformAt(key, number, DIRECTION) < 0.5);
    return {
      start: lower.map((level, at) => (goesUp[at] ? level : level + half)),
      order: permutation(inputs.length, (from) => uniformAt(orderKey, number, from)),
      steps: goesUp.map((isUp) => (isUp ? half : -half)),
    };
  };
}

// the second number of a counter: it separates random numbers of different purposes
const LEVEL = 0;
const DIRECTION = 1;

const MOST_CANDIDATES = 500;
/** With many inputs there are fewer candidates, because the work grows with the square of their rows. */
const MOST_ROWS = 10_000;

/**
 * The numbers of the chosen trajectories: first the trajectories of the pool, each the farthest from the earlier ones,
 * and then further random ones.
 */
function* chosen(
  candidate: (number: number) => Trajectory,
  inputs: number,
  trajectories: number,
): Generator<number> {
  const size = Math.max(1, Math.min(MOST_CANDIDATES, Math.floor(MOST_ROWS / (inputs + 1))));
  const pool = Array.from({ length: size }, (_, number) => candidate(number));
  // for each trajectory of the pool, the sum of its squared distances to the chosen trajectories
  const sums = new Float64Array(size);
  const left = new Set(pool.keys());
  for (let count = 0; count < trajectories; count += 1) {
    if (count >= size) {
      yield count;
      continue;
    }
    let next = -1;
    for (const number of left) if (next < 0 || sums[number]! > sums[next]!) next = number;
    yield next;
    left.delete(next);
    const rows = rowsOf(pool[next]!);
    for (const number of left) sums[number]! += distance(rows, pool[number]!) ** 2;
  }
}

/** The levels of a trajectory, row after row. */
function rowsOf({ start, order, steps }: Trajectory): number[][] {
  const rows = [start];
  for (const input of order) {
    const last = rows.at(-1)!;
    rows.push(last.with(input, last[input]! + steps[input]!));
  }
  return rows;
}

/** The sum of the distances between each row of one trajectory and each row of another one, in levels. */
function distance(rows: readonly number[][], { start, order, steps }: Trajectory): number {
  let sum = 0;
  for (const row of rows) {
    let squares = 0;
    for (let at = 0; at < row.length; at += 1) squares += (start[at]! - row[at]!) ** 2;
    sum += Math.sqrt(squares);
    // each row of the other trajectory differs from the previous row in one input
    for (let at = 0; at < order.length; at += 1) {
      const input = order[at]!;
      const before = start[input]! - row[input]!;
      squares += steps[input]! * (2 * before + steps[input]!);
      sum += Math.sqrt(squares);
    }
  }
  return sum;
}
