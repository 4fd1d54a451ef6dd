import { sobolColumn } from './sobol.ts';
import { streamKey } from './threefry.ts';

export interface SaltelliDesign {
  /** The inputs, at most half as many as the Sobol sequence has dimensions. */
  inputs: readonly { name: string }[];
  /** The number of base points of each scramble. */
  points: number;
  /** The number of Sobol sequences, which are scrambled independently of each other. */
  scrambles: number;
  secondOrder: boolean;
  seed: number;
}

export interface SaltelliRow {
  /** The number of the base point in its scramble, starting at 0. */
  index: number;
  /** The number of the scramble, starting at 0. */
  scramble: number;
  /** A and B are the two halves of a base point. AB is A with one coordinate of B, BA is B with one coordinate of A. */
  role: 'A' | 'B' | 'AB' | 'BA';
  /** The place of the input whose coordinate comes from the other half; null for A and B. */
  input: number | null;
  /** A coordinate for each input, above 0 and below 1. */
  unit: number[];
}

/**
 * The rows of the points for Sobol' indices, in unit coordinates. For each base point, in each scramble: A, then AB for
 * each input, then with `secondOrder` BA for each input, then B. A larger number of points only appends rows.
 *
 * A. Saltelli, P. Annoni, I. Azzini, F. Campolongo, M. Ratto and S. Tarantola, "Variance based sensitivity analysis
 * of model output", Computer Physics Communications 181 (2010) 259-270, sections 3 and 4: A and B are the two halves of
 * a Sobol sequence in twice as many dimensions as there are inputs.
 */
export function* saltelliRows(design: SaltelliDesign): Generator<SaltelliRow> {
  const { inputs, points, scrambles, secondOrder, seed } = design;
  const columns = Array.from({ length: scrambles }, (_, scramble) => {
    const half = (base: 'A' | 'B', offset: number): ((index: number) => number)[] =>
      inputs.map(({ name }, at) =>
        sobolColumn(offset + at, streamKey(`foray saltelli ${base} ${scramble}`, seed, name)),
      );
    return { a: half('A', 0), b: half('B', inputs.length) };
  });
  for (let index = 0; index < points; index += 1) {
    for (const [scramble, { a, b }] of columns.entries()) {
      const one = a.map((column) => column(index));
      const other = b.map((column) => column(index));
      yield { index, scramble, role: 'A', input: null, unit: one };
      for (const input of inputs.keys())
        yield { index, scramble, role: 'AB', input, unit: one.with(input, other[input]!) };
      for (const input of secondOrder ? inputs.keys() : [])
        yield { index, scramble, role: 'BA', input, unit: other.with(input, one[input]!) };
      yield { index, scramble, role: 'B', input: null, unit: other };
    }
  }
}
