import { haltonColumn } from './halton.ts';
import { lhsColumn } from './lhs.ts';
import { MOST_DIMENSIONS, sobolColumn } from './sobol.ts';
import { streamKey, uniformAt } from './threefry.ts';

export type SamplingMethod = 'random' | 'lhs' | 'sobol' | 'halton';

/** The settings of the points of a sample, besides its method. */
export interface Sampling {
  /** Number of points, at most 2^24. */
  points: number;
  seed: number;
  /** Whether the seed randomizes sobol and halton. It always randomizes random and lhs. */
  scramble: boolean;
  /**
   * The names of the inputs, all different. In sobol and halton, the position of an input is its dimension, and there
   * are at most {@link MOST_INPUTS} inputs.
   */
  names: readonly string[];
}

/** The most inputs of sobol and halton. */
export const MOST_INPUTS = MOST_DIMENSIONS;

/** Returns the coordinate of one input, in [0, 1), for the index of a point. Indices start at 0. */
export type Column = (index: number) => number;

/**
 * Points of the unit cube, with one coordinate for each name. The same arguments give the same points on every machine.
 *
 * The random numbers of an input come from the method, the seed and the name of the input, so another name at the end
 * changes no other coordinate. With random, sobol and halton, n points are the first n of any larger sample. With lhs,
 * another number of points gives a different sample.
 */
export function* unitPoints(method: SamplingMethod, sampling: Sampling): Generator<readonly number[]> {
  const columns = unitColumns(method, sampling);
  for (let index = 0; index < sampling.points; index += 1) yield columns.map((column) => column(index));
}

/** The points of {@link unitPoints} input by input. Each point can be computed without the earlier ones. */
export function unitColumns(method: SamplingMethod, sampling: Sampling): Column[] {
  const { names, seed, scramble, points } = sampling;
  return names.map((name, dimension) => {
    const key = streamKey(`foray ${method}`, seed, name);
    switch (method) {
      case 'random':
        return (index) => uniformAt(key, index, 0);
      case 'lhs':
        return lhsColumn(points, key);
      case 'sobol':
        return sobolColumn(dimension, scramble ? key : null);
      case 'halton':
        return haltonColumn(dimension, scramble ? key : null);
    }
  });
}
