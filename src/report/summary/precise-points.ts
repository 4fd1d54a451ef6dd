import { type Measure, measureOf } from '../../campaign/measures.ts';
import { hasAll, type Precision } from '../../campaign/precision.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { estimateAt, OutputSample } from './points.ts';

/**
 * Counts the points that are precise enough, and the points that are not precise enough and get no more replications.
 * Rows must come point by point, including rows of failed runs.
 */
export class PrecisePoints {
  readonly #precision: Campaign['precision'];
  readonly #measures: readonly Measure[];
  #precise = 0;
  #imprecise = 0;
  #point = '';
  #replications = 0;
  #samples: OutputSample[] = [];

  constructor({ precision, outputs }: Pick<Campaign, 'precision' | 'outputs'>) {
    this.#precision = precision;
    this.#measures = preciseMeasures({ precision, outputs });
  }

  add({ point, outputs }: ResultRow): void {
    if (!this.#precision) return;
    if (point !== this.#point) {
      this.#judge();
      this.#point = point;
      this.#replications = 0;
      this.#samples = this.#measures.map(() => new OutputSample());
    }
    this.#replications += 1;
    for (const [at, { read }] of this.#measures.entries()) {
      const value = read(outputs);
      if (value !== undefined) this.#samples[at]!.add(value);
    }
  }

  /** The counts, after all rows have been added. */
  result(): { precise: number; imprecise: number } {
    this.#judge();
    this.#replications = 0;
    return { precise: this.#precise, imprecise: this.#imprecise };
  }

  #judge(): void {
    if (!this.#precision || this.#replications === 0) return;
    const judged = judge(this.#precision, this.#measures, this.#replications, this.#samples);
    if (judged === 'precise') this.#precise += 1;
    if (judged === 'imprecise') this.#imprecise += 1;
  }
}

/** The measures of the outputs that must be precise. */
export function preciseMeasures({ precision, outputs }: Pick<Campaign, 'precision' | 'outputs'>): Measure[] {
  return (precision?.outputs ?? []).map((name) => measureOf(outputs, name));
}

/**
 * Judges whether a point is precise enough. A point is `imprecise` if it is not precise enough and gets no more
 * replications; it is `open` if it gets more.
 *
 * @param samples - one for each measure
 */
export function judge(
  precision: Precision,
  measures: readonly Measure[],
  replications: number,
  samples: readonly OutputSample[],
): 'precise' | 'imprecise' | 'open' {
  if (measures.every((measure, at) => estimateAt(measure, samples[at]!, precision).reached)) return 'precise';
  return hasAll(precision, replications, Math.min(...samples.map(({ count }) => count)))
    ? 'imprecise'
    : 'open';
}
