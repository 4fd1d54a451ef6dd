import { type Measure, measureOf } from '../../campaign/measures.ts';
import type { Campaign, Goal } from '../../campaign/types.ts';
import { namedValues } from '../../campaign/designs/input-types.ts';
import type { BestPoint } from '../../search/summary.ts';
import type { ResultRow } from '../../store/index.ts';
import {
  areEqual,
  areSame,
  chanceVariance,
  chosenVariance,
  confidenceAmong,
  isLower,
} from '../../statistics/chance.ts';
import { halfWidth } from '../../statistics/sample.ts';
import { Lowest } from './best.ts';
import { confidenceOf } from './mean.ts';
import { estimateAt, type Estimated, type PointResult, pointsOf, valueOf } from './points.ts';

/** How the best point was chosen. */
export interface Choice {
  /** The number of points from which it was chosen. */
  among: number;
  /** The number of other points with the same value. */
  tied: number;
  /** The lowest and the highest value of all points. */
  range: [number, number];
}

/** The number of best points that are kept. */
const BEST_POINTS = 10;

/**
 * Chooses the best points of a design by their values, the best one first. Of points with equal values, the first one of
 * the design comes first. Report, page, status and results choose in this way.
 */
export class BestPoints {
  readonly #sign: 1 | -1;
  readonly #best = new Lowest<PointResult>(BEST_POINTS);
  #lowest = Infinity;
  #range: [number, number] = [Infinity, -Infinity];
  #among = 0;
  #tied = 0;

  constructor(wants: Goal['wants']) {
    this.#sign = wants === 'highest' ? -1 : 1;
  }

  add(point: PointResult, value: number): void {
    const score = this.#sign * value;
    this.#best.add(point, score);
    this.#among += 1;
    this.#range = [Math.min(this.#range[0], value), Math.max(this.#range[1], value)];
    if (isLower(score, this.#lowest)) {
      this.#lowest = score;
      this.#tied = 0;
    } else if (areSame(score, this.#lowest)) this.#tied += 1;
  }

  get points(): PointResult[] {
    return this.#best.items;
  }

  get choice(): Choice {
    return { among: this.#among, tied: this.#tied, range: this.#range };
  }
}

/**
 * The best point of a design by the goal of the campaign, from one pass over its rows.
 *
 * @param rows - in design order
 * @returns null if no point has a value, and without a goal
 */
export async function bestOfDesign(
  campaign: Campaign,
  rows: AsyncIterable<ResultRow>,
): Promise<BestPoint | null> {
  const { goal, outputs, varied } = campaign;
  if (!goal) return null;
  const measure = measureOf(outputs, goal.output);
  const found = new BestPoints(goal.wants);
  for await (const point of pointsOf(rows, [measure])) {
    const value = valueOf(point, measure);
    if (value !== undefined) found.add(point, value);
  }
  const [best] = found.points;
  if (!best) return null;
  const { among, tied } = found.choice;
  const sample = best.samples[measure.name]!;
  const value = valueOf(best, measure)!;
  return {
    key: best.key,
    inputs: namedValues(varied, best.values),
    value,
    interval: chosenInterval(campaign, measure, found.points, among),
    among,
    tied,
    runs: sample.count,
    seen: value,
    failed: best.runs + best.failed - sample.count,
    isEqual: areEqual(sample),
    required: [],
    choice: 'alone',
  };
}

/**
 * The interval of the best point of a design. The point was chosen by its value, so the interval is one of intervals that
 * hold together for all points (`confidenceAmong`). The variance of a mean is at least that of the next points
 * (`chosenVariance`). A mean has no interval (null) if it is of one value or of equal values, and while chance may hide
 * rare values.
 *
 * @param best - the best points, the chosen one first
 * @param among - the number of points from which it was chosen
 */
export function chosenInterval(
  campaign: Estimated,
  measure: Pick<Measure, 'name' | 'statistic' | 'probability'>,
  best: readonly Pick<PointResult, 'samples'>[],
  among: number,
): [number, number] | null {
  const [sample, ...next] = best.map(({ samples }) => samples[measure.name]!);
  const confidence = confidenceAmong(among, confidenceOf(campaign));
  if (measure.statistic !== 'mean' || among === 1) {
    const { low, high } = estimateAt(campaign, measure, sample!, confidence);
    return low === null || high === null ? null : [low, high];
  }
  const own = chanceVariance(sample!);
  if (!own) return null;
  const { count, mean } = sample!;
  const variance = chosenVariance(
    own,
    next.map((other) => chanceVariance(other)),
  );
  const half = halfWidth(count, Math.sqrt(variance), confidence);
  return [mean! - half, mean! + half];
}
