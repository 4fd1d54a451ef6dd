import type { Random } from './distributions.ts';

/** Values with weights, such as observed values and their counts. A draw uses inversion, in the order of the values. */
export class Empirical<T> {
  readonly #values: readonly T[];
  /** The cumulative sums of the weights. */
  readonly #sums: Float64Array;

  /** @throws RangeError when a value has no weight, a weight is negative or not finite, or all are zero */
  constructor(values: readonly T[], weights: readonly number[]) {
    if (values.length !== weights.length) {
      throw new RangeError(`${values.length} values cannot have ${weights.length} weights`);
    }
    const bad = weights.find((weight) => !(weight >= 0 && weight < Infinity));
    if (bad !== undefined)
      throw new RangeError(`A weight cannot be ${bad}: it must be finite and not negative`);
    let sum = 0;
    this.#values = values;
    this.#sums = Float64Array.from(weights, (weight) => (sum += weight));
    if (!(sum > 0)) throw new RangeError('At least one weight must be positive');
  }

  draw(random: Random): T {
    const sums = this.#sums;
    const target = random.next() * sums.at(-1)!;
    // search for the first value whose sum is larger than the target
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return this.#values[low]!;
  }
}
