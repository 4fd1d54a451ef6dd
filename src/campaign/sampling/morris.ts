import { permutation } from './permutation.ts';
import { type Key, streamKey, uniformAt } from './threefry.ts';

/** What the trajectories of a Morris design depend on. */
export interface MorrisDesign {
  inputs: readonly { name: string }[];
  trajectories: number;
  /** How many levels each input has, from 0 to 1 at equal distances: an even number. */
  levels: number;
  /** A whole number. */
  seed: number;
}

/** A row of a Morris design. */
export interface MorrisRow {
  /** From 0. */
  trajectory: number;
  /** The place of the input that this row changes; null at the start of a trajectory. */
  changed: number | null;
  /** The change of that input in unit coordinates; 0 at the start of a trajectory. */
  step: number;
  /** A coordinate for each input, from 0 to 1, both included. */
  unit: number[];
}

/**
 * The rows of a Morris design before the distributions of its inputs, trajectory after trajectory. A trajectory starts
 * at random levels; then each input, in a random order, goes up or down once by levels / (2 (levels - 1)).
 *
 * M. D. Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33 (1991) 161-174,
 * section 3. The trajectories come from a pool of up to 500 random ones, the most spread ones first: F. Campolongo,
 * J. Cariboni and A. Saltelli, "An effective screening design for sensitivity analysis of large models",
 * Environmental Modelling & Software 22 (2007) 1509-1518, section 3, by the stepwise choice of M. V. Ruano, J. Ribes,
 * A. Seco and J. Ferrer, the same journal 37 (2012) 103-109, from one trajectory on. So n trajectories are the first n
 * of more.
 */
export function* morrisLevels(design: MorrisDesign): Generator<MorrisRow> {
  const { trajectories, levels } = design;
  const candidate = candidates(design);
  let trajectory = 0;
  for (const number of chosen(candidate, design.inputs.length, trajectories)) {
    const { start, order, steps } = candidate(number);
    const at = [...start];
    const row = (changed: number | null, step: number): MorrisRow => ({
      trajectory,
      changed,
      step: step / (levels - 1),
      unit: at.map((level) => level / (levels - 1)),
    });
    yield row(null, 0);
    for (const input of order) {
      at[input]! += steps[input]!;
      yield row(input, steps[input]!);
    }
    trajectory += 1;
  }
}

/** A trajectory in whole levels from 0. */
interface Trajectory {
  start: number[];
  /** The inputs in the order in which they change. */
  order: Uint32Array;
  /** By how many levels each input changes, with a sign. */
  steps: number[];
}

/** Random trajectories by their number from 0. */
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

// what a counter is used for
const LEVEL = 0;
const DIRECTION = 1;

const MOST_CANDIDATES = 500;
/** Of many inputs fewer candidates: the work grows with the square of both. */
const MOST_ROWS = 10_000;

/** The numbers of the trajectories to take: those of the pool, each the farthest from those before it, then further ones as they come. */
function* chosen(
  candidate: (number: number) => Trajectory,
  inputs: number,
  trajectories: number,
): Generator<number> {
  const size = Math.max(1, Math.min(MOST_CANDIDATES, Math.floor(MOST_ROWS / (inputs + 1))));
  const pool = Array.from({ length: size }, (_, number) => pathOf(candidate(number)));
  // the sum of the squared distances to those that were taken; of one that was taken, nothing
  const sums = new Float64Array(size);
  let next = 0;
  for (let count = 0; count < trajectories; count += 1) {
    if (count >= size) {
      yield count;
      continue;
    }
    yield next;
    const taken = next;
    sums[taken] = Number.NEGATIVE_INFINITY;
    for (const [at, path] of pool.entries()) {
      if (sums[at]! >= 0) sums[at]! += distance(pool[taken]!, path, inputs) ** 2;
      if (sums[at]! > sums[next]!) next = at;
    }
  }
}

/** The levels of a trajectory, row after row. */
function pathOf({ start, order, steps }: Trajectory): Float64Array {
  const inputs = start.length;
  const path = new Float64Array((inputs + 1) * inputs);
  path.set(start);
  for (const [at, input] of order.entries()) {
    path.copyWithin((at + 1) * inputs, at * inputs, (at + 1) * inputs);
    path[(at + 1) * inputs + input]! += steps[input]!;
  }
  return path;
}

/** The sum of the distances between each row of one trajectory and each of another, in levels. */
function distance(one: Float64Array, other: Float64Array, inputs: number): number {
  let sum = 0;
  for (let a = 0; a < one.length; a += inputs) {
    for (let b = 0; b < other.length; b += inputs) {
      let squares = 0;
      for (let at = 0; at < inputs; at += 1) squares += (one[a + at]! - other[b + at]!) ** 2;
      sum += Math.sqrt(squares);
    }
  }
  return sum;
}
