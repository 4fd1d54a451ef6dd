import { numberIn } from '../api/index.ts';
import { estimateOf } from '../campaign/precision.ts';
import type { Campaign } from '../campaign/types.ts';
import { Sample } from '../statistics/sample.ts';
import type { ResultRow } from '../store/index.ts';

/**
 * Counts the points that are as precise as a campaign wants them, and those that are not although they have as many
 * replications as they may have. Rows come point by point, failed ones included.
 */
export class PrecisePoints {
  readonly #precision: Campaign['precision'];
  #precise = 0;
  #imprecise = 0;
  #point = '';
  #replications = 0;
  #samples: Sample[] = [];

  constructor({ precision }: Pick<Campaign, 'precision'>) {
    this.#precision = precision;
  }

  add({ point, outputs }: ResultRow): void {
    if (!this.#precision) return;
    if (point !== this.#point) {
      this.#judge();
      this.#point = point;
      this.#replications = 0;
      this.#samples = this.#precision.outputs.map(() => new Sample());
    }
    this.#replications += 1;
    for (const [at, name] of this.#precision.outputs.entries()) {
      const value = numberIn(outputs[name]);
      if (value !== undefined) this.#samples[at]!.add(value);
    }
  }

  /** To be asked when all rows have been added. */
  result(): { precise: number; imprecise: number } {
    this.#judge();
    this.#replications = 0;
    return { precise: this.#precise, imprecise: this.#imprecise };
  }

  #judge(): void {
    if (!this.#precision || this.#replications === 0) return;
    const precision = this.#precision;
    if (this.#samples.every((sample) => estimateOf(sample, precision).reached)) this.#precise += 1;
    else if (this.#replications >= precision.max) this.#imprecise += 1;
  }
}
