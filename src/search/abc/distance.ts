import { curveOf, valueAt } from '../../campaign/curves.ts';
import { measureOf } from '../../campaign/measures.ts';
import type { Observed } from '../../campaign/search/calibration.ts';
import type { CampaignOutput } from '../../campaign/types.ts';
import { deviationOf } from './population.ts';

/** The values of a run for each observed output: one number, or the values of its curve at the observed places. */
export type Simulated = readonly (readonly number[])[];

/** Reads the values of one observed output from the outputs of a run; null if they are not all there. */
type OutputReader = (outputs: Readonly<Record<string, string>>) => number[] | null;

/** Reads the observed outputs of runs, and computes their distance from the observations. */
export class Distances {
  readonly #observed: readonly Observed[];
  readonly #readers: OutputReader[];

  constructor(observed: readonly Observed[], outputs: readonly CampaignOutput[]) {
    this.#observed = observed;
    this.#readers = observed.map((one) => readerOf(one, outputs));
  }

  /** Reads the outputs of a run. Null if an output has no number, or if a curve does not reach all observed points. */
  read(outputs: Readonly<Record<string, string>>): Simulated | null {
    const values = this.#readers.map((read) => read(outputs));
    return values.includes(null) ? null : (values as number[][]);
  }

  /**
   * The scale of each output: the spread of the output over points of the prior. The distance of an output is divided
   * by its scale: D. Prangle, "Adapting the ABC distance function", Bayesian Analysis 12 (2017) 289-309, section 2.2.
   * The spread of a curve is the root mean square of the spreads at its points. The scale is 1 if there is only one
   * output, if no run has outputs, and if the output is the same in all runs.
   */
  scalesOf(all: readonly Simulated[]): number[] {
    if (this.#observed.length === 1 || all.length === 0) return this.#observed.map(() => 1);
    return this.#observed.map((_observed, output) => {
      const spreads = all[0]![output]!.map((_value, at) => deviationOf(all.map((one) => one[output]![at]!)));
      return rootMeanSquare(spreads) || 1;
    });
  }

  /**
   * The Euclidean distance over the outputs. The difference of each output is divided by its scale and multiplied by
   * its weight. The difference of a curve is the root mean square of the differences at its points.
   */
  distanceOf(simulated: Simulated, scales: readonly number[]): number {
    const distances = this.#observed.map((one, output) => {
      const observations = one.kind === 'number' ? [one.value] : one.y;
      const difference = rootMeanSquare(simulated[output]!.map((value, at) => value - observations[at]!));
      return (one.weight * difference) / scales[output]!;
    });
    return Math.hypot(...distances);
  }
}

function readerOf(one: Observed, outputs: readonly CampaignOutput[]): OutputReader {
  if (one.kind === 'number') {
    const { read } = measureOf(outputs, one.output);
    return (values) => {
      const value = read(values);
      return value !== undefined && Number.isFinite(value) ? [value] : null;
    };
  }
  return (values) => {
    const curve = curveOf(values[one.output]);
    const found = curve && one.x.map((x) => valueAt(curve, x));
    return found?.every((value) => value !== undefined) ? found : null;
  };
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}
