import { permutation } from './permutation.ts';
import { type Key, streamKey, uniformAt } from './threefry.ts';

export interface MorrisDesign {
  inputs: readonly { name: string }[];
  trajectories: number;
  /** How many levels each input has, from 0 to 1 at equal distances: an even number. */
  levels: number;
  seed: number;
}

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
 * 161-174, section 3. Trajectories are independent of each other. If those were chosen that are farthest from each
 * other, the inputs would be at their outer levels too often, and the mean effects would be wrong. The first n
 * trajectories of a larger design are those of a design with n trajectories.
 */
export function* morrisRows(design: MorrisDesign): Generator<MorrisRow> {
  const { trajectories, levels } = design;
  const trajectoryAt = trajectoriesOf(design);
  for (let trajectory = 0; trajectory < trajectories; trajectory += 1) {
    const drawn = trajectoryAt(trajectory);
    for (const [at, row] of rowsOf(drawn).entries()) {
      const changed = at === 0 ? null : drawn.order[at - 1]!;
      yield {
        trajectory,
        changed,
        step: changed === null ? 0 : drawn.steps[changed]! / (levels - 1),
        unit: row.map((level) => level / (levels - 1)),
      };
    }
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

// the second part of a counter, after the number of the trajectory: it separates random numbers of different purposes
const LEVEL = 0;
const DIRECTION = 1;

/** Returns a function that makes a random trajectory from its number. Numbers start at 0. */
function trajectoriesOf({ inputs, levels, seed }: MorrisDesign): (number: number) => Trajectory {
  const half = levels / 2;
  const keys = inputs.map(({ name }): Key => streamKey('foray morris', seed, name));
  const orderKey = streamKey('foray morris order', seed, '');
  return (number) => {
    // each input moves once between a level in the lower half and the level that is `half` levels above it
    const lower = keys.map((key) => Math.floor(uniformAt(key, number, LEVEL) * half));
    const goesUp = keys.map((key) => uniformAt(key, number, DIRECTION) < 0.5);
    return {
      start: lower.map((level, at) => (goesUp[at] ? level : level + half)),
      order: permutation(inputs.length, (index) => uniformAt(orderKey, number, index)),
      steps: goesUp.map((isUp) => (isUp ? half : -half)),
    };
  };
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
