import { hasSeed } from '../../campaign/seeds.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Statistic } from '../../campaign/measures.ts';
import { CONFIDENCE } from '../../statistics/sample.ts';
import {
  areEqual,
  chanceVariance,
  hidesChance,
  squaredJumpOf,
  leastVariance,
  othersOf,
  type Spread,
  SURE,
} from '../../statistics/chance.ts';
import { wilsonInterval } from '../../statistics/share.ts';
import { studentQuantile } from '../../statistics/student.ts';

/** A mean, share or quantile with the ends of its confidence interval. The ends are null if there is no interval. */
export interface MeanInterval {
  mean: number;
  low: number | null;
  high: number | null;
}

type Ends = Pick<MeanInterval, 'low' | 'high'>;

const NO_INTERVAL: Ends = { low: null, high: null };

/**
 * How chance changes the results of several points. `common`: replications of different points share seeds. A part of
 * their error is then common and does not average out, so a mean over points has no interval. `none`: the model has no
 * chance, so no mean and no share has an interval.
 */
export type ChanceOfPoints = 'none' | 'common' | 'independent';

export function chanceOfPoints({
  base,
  commonRandomNumbers,
}: Pick<Campaign, 'base' | 'commonRandomNumbers'>): ChanceOfPoints {
  if (!hasSeed(base)) return 'none';
  return commonRandomNumbers ? 'common' : 'independent';
}

/** The confidence of all intervals of a campaign's results. */
export function confidenceOf({ precision }: Pick<Campaign, 'precision'>): number {
  return precision?.confidence ?? CONFIDENCE;
}

/** The estimate of an output at a point: the number of values, their mean, share or quantile, and their variance. */
export interface PointSample extends Spread {
  /** The interval of the point, if it does not follow from the other numbers. */
  low?: number | null;
  high?: number | null;
}

/** In this unit, the sum of as many values as a campaign can have is finite. */
const LARGE = 2 ** 64;

/**
 * The mean over points of the estimate at each point, in bounded memory, and the uncertainty that comes from chance in
 * the replications. The points are given, not sampled, so differences between points are not part of the uncertainty.
 * A point counts as often as the design has it.
 */
export abstract class OverPoints {
  /** The number of different points. */
  count = 0;
  /** The number of points, each as often as the design has it. */
  weight = 0;
  #sum = 0;
  /** The same sum in units of {@link LARGE}, for values whose sum is beyond the largest number. */
  #large = 0;
  /** The interval of the last point, if its sample has one. */
  #given: Ends | undefined;

  /**
   * @param point - has at least one value
   * @param draws - how often the design has the point
   */
  add({ mean, low, high }: PointSample, draws = 1): void {
    this.count += 1;
    this.weight += draws;
    this.#sum += draws * mean!;
    this.#large += draws * (mean! / LARGE);
    this.#given = low === undefined || high === undefined ? undefined : { low, high };
  }

  /** Adds all points of another object of this class. */
  join(other: OverPoints): void {
    this.count += other.count;
    this.weight += other.weight;
    this.#sum += other.#sum;
    this.#large += other.#large;
    this.#given = other.#given;
  }

  get mean(): number {
    return Number.isFinite(this.#sum) ? this.#sum / this.weight : (this.#large / this.weight) * LARGE;
  }

  interval(confidence: number, chance: ChanceOfPoints): MeanInterval {
    const isOne = this.count === 1;
    const hasInterval = chance === 'independent' || (chance === 'common' && isOne);
    const given = isOne ? this.#given : undefined;
    const { low, high } = hasInterval ? (given ?? this.ends(confidence)) : NO_INTERVAL;
    return { mean: this.mean, low, high };
  }

  /** The ends of the interval if chance is independent. */
  protected abstract ends(confidence: number): Ends;
}

/** The mean over points of a statistic at each point. */
export function overPoints(statistic: Statistic): OverPoints {
  switch (statistic) {
    case 'mean':
      return new MeanOfPoints();
    case 'share':
      return new ShareOfPoints();
    case 'quantile':
      return new QuantileOfPoints();
  }
}

/** The mean over points of their means over replications. */
export class MeanOfPoints extends OverPoints {
  /** The sum of the variances of the points' means, times draws². */
  #variance = 0;
  /** The sum over points of the square of such a product, divided by the degrees of freedom. */
  #squares = 0;
  /** The smallest number of degrees of freedom of a point. */
  #least = Infinity;
  /** The sum of the degrees of freedom of all points. */
  #freedom = 0;
  /** The sums of the squared jumps, and of the numbers of values that jump, over points with different values. */
  #jumps = 0;
  #jumping = 0;
  /** Like `#variance` and `#squares`, for points whose values are all equal, if a jump is 1. */
  #equal = 0;
  #equalSquares = 0;
  /** Whether chance may hide rare values at a point. */
  #hides = false;

  override add(point: PointSample, draws = 1): void {
    super.add(point, draws);
    const { count } = point;
    this.#least = Math.min(this.#least, count - 1);
    this.#freedom += count - 1;
    if (count < 2) return;
    this.#hides ||= hidesChance(point);
    if (areEqual(point)) {
      if (count >= SURE) return;
      const least = (draws ** 2 * leastVariance(count, 0)) / count;
      this.#equal += least;
      this.#equalSquares += least ** 2 / (count - 1);
      return;
    }
    const others = othersOf(point) ?? count;
    this.#jumps += others * squaredJumpOf(point)!;
    this.#jumping += others;
    const ofMean = (draws ** 2 * (chanceVariance(point, squaredJumpOf(point)) ?? NaN)) / count;
    this.#variance += ofMean;
    this.#squares += ofMean ** 2 / (count - 1);
  }

  override join(other: MeanOfPoints): void {
    super.join(other);
    this.#variance += other.#variance;
    this.#squares += other.#squares;
    this.#least = Math.min(this.#least, other.#least);
    this.#freedom += other.#freedom;
    this.#jumps += other.#jumps;
    this.#jumping += other.#jumping;
    this.#equal += other.#equal;
    this.#equalSquares += other.#equalSquares;
    this.#hides ||= other.#hides;
  }

  /**
   * The interval by Student's t. For one point it is the usual interval. For several points it uses the degrees of
   * freedom of B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
   * involved", Biometrika 34 (1947) 28-35. Points whose values are all equal may have the jumps of the other points.
   * There is no interval if a point has only one replication, if the values of each point are equal, or if the width
   * overflows.
   */
  protected override ends(confidence: number): Ends {
    const { mean } = this;
    if (this.#least < 1 || (this.count === 1 && this.#hides)) return NO_INTERVAL;
    const squaredJump = this.#jumping > 0 ? this.#jumps / this.#jumping : 0;
    const variance = this.#variance + squaredJump * this.#equal;
    if (variance === 0) return NO_INTERVAL;
    const welch = variance ** 2 / (this.#squares + squaredJump ** 2 * this.#equalSquares);
    // rounding or overflow must not give fewer or more degrees of freedom than possible
    const freedom = welch > this.#least ? Math.min(welch, this.#freedom) : this.#least;
    const half = (studentQuantile((1 + confidence) / 2, freedom) * Math.sqrt(variance)) / this.weight;
    return Number.isFinite(half) ? { low: mean - half, high: mean + half } : NO_INTERVAL;
  }
}

/** The mean over points of the shares of their replications. */
export class ShareOfPoints extends OverPoints {
  /** The sum over points of draws² / (number of replications). */
  #inverse = 0;
  /** The sum of the variances of the points' shares, times draws², by Laplace's estimate of each share. */
  #laplace = 0;
  /** The same sum without bias, over points with several runs. */
  #unbiased = 0;
  /** The sum of draws² over points with one run, which does not tell its variance. */
  #single = 0;

  // if all shares are 1, rounding may make their mean slightly larger than 1
  override get mean(): number {
    return Math.min(1, super.mean);
  }

  override add(point: PointSample, draws = 1): void {
    super.add(point, draws);
    const { count } = point;
    const mean = point.mean!;
    this.#inverse += draws ** 2 / count;
    const share = (mean * count + 1) / (count + 2);
    this.#laplace += (draws ** 2 * share * (1 - share)) / count;
    if (count > 1) this.#unbiased += (draws ** 2 * mean * (1 - mean)) / (count - 1);
    else this.#single += draws ** 2;
  }

  override join(other: ShareOfPoints): void {
    super.join(other);
    this.#inverse += other.#inverse;
    this.#laplace += other.#laplace;
    this.#unbiased += other.#unbiased;
    this.#single += other.#single;
  }

  /**
   * Wilson's interval. For one point it is the usual interval. For several points it uses an effective number of runs:
   * the number of runs of a single point that would give the same variance. Points with different shares never give
   * more variance than points with equal shares. So if all points have equally many replications, the effective number
   * is at least the number of all runs. The variance is the larger one of two: Laplace's knows that a share of 0 or 1 in
   * few runs is not certain, but it is too small for shares near one half. Points with one run count as points with equal
   * shares. N. Dean and M. Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys",
   * Journal of Survey Statistics and Methodology 3 (2015) 484-503.
   */
  protected override ends(confidence: number): Ends {
    const { mean, weight } = this;
    const runs = weight ** 2 / this.#inverse;
    // the variance of a single run, if all points have the same share
    const ofRuns = mean * (1 - mean);
    const variance = Math.max(this.#laplace, this.#unbiased + this.#single * ofRuns);
    const effective = (ofRuns * weight ** 2) / variance;
    return wilsonInterval(mean, Math.max(runs, effective), confidence);
  }
}

/** The mean over points of their quantiles. Only a single point has an interval. */
class QuantileOfPoints extends OverPoints {
  protected override ends(): Ends {
    return NO_INTERVAL;
  }
}
