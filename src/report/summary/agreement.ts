import type { Measure } from '../../campaign/measures.ts';
import type { Estimate } from '../../campaign/precision.ts';
import { estimateAt, type Estimated, type PointResult } from './points.ts';
import type { Reference, ReferenceRow } from './reference.ts';

/** A result of a campaign, and the known value to compare it with. */
export interface ComparedResult {
  /** Canonical values of the varied inputs. */
  values: readonly string[];
  output: Measure;
  known: number;
  estimate: Estimate;
  /** Whether the interval contains the known value; null if there is no interval. */
  isWithin: boolean | null;
}

/**
 * Compares points with the reference values at the same inputs. The memory depends only on the size of the reference.
 */
export class Agreement {
  /** The comparisons so far, in the order of the points. */
  readonly comparisons: ComparedResult[] = [];
  readonly #known: ReadonlyMap<string, ReferenceRow>;
  readonly #measures: ReadonlyMap<string, Measure>;
  readonly #campaign: Estimated;

  constructor(campaign: Estimated, reference: Reference, measures: readonly Measure[]) {
    this.#measures = new Map(measures.map((measure) => [measure.name, measure]));
    this.#campaign = campaign;
    this.#known = new Map(reference.rows.map((row) => [row.values.join('\n'), row]));
  }

  add({ values, samples }: Pick<PointResult, 'values' | 'samples'>): void {
    const row = this.#known.get(values.join('\n'));
    for (const [name, known] of row?.numbers ?? []) {
      const output = this.#measures.get(name)!;
      const sample = samples[name];
      if (!sample || sample.count === 0) continue;
      const estimate = estimateAt(this.#campaign, output, sample);
      const { low, high } = estimate;
      const isWithin = low === null || high === null ? null : low <= known && known <= high;
      this.comparisons.push({ values, output, known, estimate, isWithin });
    }
  }
}
