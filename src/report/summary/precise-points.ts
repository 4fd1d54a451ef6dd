import { type Drawing, limitsAt } from '../../campaign/draws.ts';
import { type Measure, measureOf } from '../../campaign/measures.ts';
import { estimateOf, hasAll, type Precision } from '../../campaign/precision.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { OutputSample } from './points.ts';

/** The part of a campaign that decides how precise its points must be. */
type PreciseCampaign = Drawing & Pick<Campaign, 'outputs'>;

export interface PreciseCounts {
  precise: number;
  /** The points that are not precise enough and get no more replications. */
  imprecise: number;
  /** Those of the imprecise points that have no value of an output. */
  withoutValue: number;
}

/**
 * Counts the points that are precise enough, and the points that are not precise enough and get no more replications.
 * Rows must come point by point, including rows of failed runs.
 */
export class PrecisePoints {
  readonly #campaign: PreciseCampaign;
  readonly #measures: readonly Measure[];
  readonly #counts: PreciseCounts = { precise: 0, imprecise: 0, withoutValue: 0 };
  #point = '';
  #draws = 1;
  #replications = 0;
  #samples: OutputSample[] = [];

  constructor(campaign: PreciseCampaign) {
    this.#campaign = campaign;
    this.#measures = preciseMeasures(campaign);
  }

  add({ point, draws = 1, outputs }: ResultRow): void {
    if (!this.#campaign.precision) return;
    if (point !== this.#point) {
      this.#closePoint();
      this.#point = point;
      this.#draws = draws;
      this.#samples = this.#measures.map(() => new OutputSample());
    }
    this.#replications += 1;
    for (const [at, { read }] of this.#measures.entries()) {
      const value = read(outputs);
      if (value !== undefined) this.#samples[at]!.add(value);
    }
  }

  /** The counts, after all rows have been added. */
  result(): PreciseCounts {
    this.#closePoint();
    return this.#counts;
  }

  /** Counts the point whose rows have been added, once. */
  #closePoint(): void {
    const { precision } = this.#campaign;
    if (!precision || this.#replications === 0) return;
    const limits = limitsAt(this.#campaign, precision, this.#draws);
    const judged = judge(limits, this.#measures, this.#replications, this.#samples);
    countPoint(this.#counts, judged, this.#samples);
    this.#replications = 0;
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
  const isReached = ({ statistic }: Measure, at: number): boolean =>
    estimateOf(samples[at]!, precision, statistic === 'share' ? 'share' : 'mean').reached;
  if (measures.every(isReached)) return 'precise';
  const fewestValues = Math.min(...samples.map(({ count }) => count));
  return hasAll(precision, replications, fewestValues) ? 'imprecise' : 'open';
}

export function countPoint(
  counts: PreciseCounts,
  judged: ReturnType<typeof judge>,
  samples: readonly Pick<OutputSample, 'count'>[],
): void {
  if (judged === 'open') return;
  counts[judged] += 1;
  if (judged === 'imprecise' && samples.some(({ count }) => count === 0)) counts.withoutValue += 1;
}
