import { studentQuantile } from './student.ts';

/** A sum of squares of values with chance, and its degrees of freedom. */
export interface SumOfSquares {
  squares: number;
  freedom: number;
}

/** The variance of chance in a value, with the degrees of freedom of its estimate. */
interface ChanceVariance {
  /** Above 0. */
  variance: number;
  freedom: number;
}

/** A sum of squares of means, and the chance in one of these means. */
export interface WithChance extends SumOfSquares {
  chance: ChanceVariance;
  /**
   * What chance adds to the sum of squares on average.
   *
   * @default the degrees of freedom times the variance of chance
   */
  added?: number;
}

/** A share of the variance without chance. */
export interface VarianceShare {
  /** Chance may bring it below 0 or above 1. */
  share: number;
  /** From 0 to 1, apart from ends that have to reach the share. */
  interval: [low: number, high: number];
}

/**
 * The share of a part in the sum of two independent parts of a variance, without the part of chance.
 *
 * The estimate subtracts from each sum of squares what chance adds to it, as ε² does (T. L. Kelley, "An unbiased
 * correlation ratio measure", Proceedings of the National Academy of Sciences 21 (1935) 554-559). Each part has limits of
 * its own, from the noncentral F distribution. The limits of the share follow from them by the method of variance
 * estimates recovery, which needs no symmetric distribution: G. Y. Zou and A. Donner, "Construction of confidence limits
 * about effect measures: a general approach", Statistics in Medicine 27 (2008) 1693-1702.
 *
 * @param confidence - between 0 and 1, such as 0.95
 */
export function varianceShare(part: WithChance, rest: WithChance, confidence: number): VarianceShare {
  const [own, other] = [limits(part, confidence), limits(rest, confidence)];
  const all = own.plain + other.plain;
  // chance may be more than the whole
  const share = all > 0 ? own.plain / all : Number(own.plain > 0);
  // the share is at least c if this is at least 0
  const excess = (c: number): number => (1 - c) * own.value - c * other.value;
  // how far chance may lower and raise the excess
  const down = (c: number): number =>
    Math.hypot((1 - c) * (own.value - own.low), c * (other.high - other.value));
  const up = (c: number): number =>
    Math.hypot((1 - c) * (own.high - own.value), c * (other.value - other.low));
  // a part that may be 0 has a share that may be 0, if there is a rest
  const low = own.low === 0 && rest.freedom > 0 ? 0 : lastAbove((c) => excess(c) - down(c));
  const high = lastAbove((c) => excess(c) + up(c));
  return { share, interval: [Math.min(low, share), Math.max(high, share)] };
}

/** A part of a sum of squares that does not come from chance. */
interface Limited {
  /** The estimate without a bias; chance may bring it below 0. */
  plain: number;
  /** The estimate within its limits. */
  value: number;
  low: number;
  high: number;
}

function limits(
  { squares, freedom, chance, added = freedom * chance.variance }: WithChance,
  confidence: number,
): Limited {
  const { variance } = chance;
  const plain = squares - added;
  if (freedom === 0) return { plain: 0, value: 0, low: 0, high: 0 };
  const ratio = squares / freedom / variance;
  const t = studentQuantile((1 + confidence) / 2, chance.freedom);
  // the largest noncentrality at which f still has a higher score than this one, times the variance
  const limitAt = (score: number, f: number): number => {
    const isAbove = (size: number): boolean => noncentralScore(f, freedom, chance.freedom, size) > score;
    if (!isAbove(0)) return 0;
    let [below, above] = [0, 1 + 2 * f * freedom];
    while (isAbove(above)) [below, above] = [above, 2 * above];
    return variance * lastWhere(isAbove, below, above);
  };
  const low = limitAt(t, ratio);
  // a sum of squares that is smaller than chance alone makes it tells no more than one as large as chance makes it
  const high = limitAt(-t, Math.max(1, ratio));
  return { plain, value: Math.min(high, Math.max(low, plain)), low, high };
}

/** The last place from 0 to 1 at which a falling function is above 0. */
function lastAbove(falling: (at: number) => number): number {
  return falling(1) >= 0 ? 1 : lastWhere((at) => falling(at) > 0, 0, 1);
}

/** The last place at which a condition holds. It holds from `from` to this place, and does not hold at `to`. */
function lastWhere(holds: (at: number) => boolean, from: number, to: number): number {
  let [below, above] = [from, to];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (below + above) / 2;
    if (holds(middle)) below = middle;
    else above = middle;
  }
  return below;
}

/** So many halvings leave no error that a reader could see. */
const HALVINGS = 50;

/**
 * The score of a normal distribution that is as unlikely as a value of the noncentral F distribution: 26.6.27 of M.
 * Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *
 * @param above - the degrees of freedom of the numerator; `below` are those of the denominator
 * @param size - the noncentrality
 */
function noncentralScore(f: number, above: number, below: number, size: number): number {
  const root = Math.cbrt((above * f) / (above + size));
  const spread = ((2 / 9) * (above + 2 * size)) / (above + size) ** 2;
  const ofChance = ((2 / 9) * (above / (above + size)) ** 2) / below;
  return (root * (1 - ofChance) - (1 - spread)) / Math.sqrt(spread + ofChance * root ** 2);
}
