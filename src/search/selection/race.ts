import { type MeanDifference, pairedDifference, welchDifference } from '../../statistics/difference.ts';
import { largestSquaredJump, spreadOf } from '../../statistics/chance.ts';
import { countTrue, pairCounts, pairedShareDifference, shareDifference } from '../../statistics/share.ts';

/** A point and the best point that it is compared with. Lower values are better; null for a failed replication. */
export interface RaceInput {
  values: readonly (number | null)[];
  /** The values of the best point by replication; null if there is no best point yet. */
  rival: readonly (number | null)[] | null;
  /** Whether replication n of both points has the same seed. */
  isPaired: boolean;
  /** Whether the values are zeros and ones, or zeros and minus ones. */
  isShare: boolean;
  /** The minimum number of replications of a point, at least 2. */
  min: number;
  /** The maximum number of replications of a point. */
  max: number;
  /** The confidence with which a point counts as worse or better. */
  confidence: number;
}

/** A round adds this share of the existing replications, rounded up. */
const GROWTH = 0.5;

/**
 * The number of replications for a point. The point gets more, up to `max`, while it cannot be distinguished from the
 * best point. A clearly worse point gets no more. A clearly better point gets as many replications as the best point
 * has, so that it does not become the best one by luck. Equal values do not end the race: a rare value may be missing by
 * chance.
 */
export function nextOfRace({ values, rival, isPaired, isShare, min, max, confidence }: RaceInput): number {
  const made = values.length;
  if (made < min) return min;
  if (made >= max || !rival) return made;
  const more = Math.min(max, made + Math.max(1, Math.ceil(GROWTH * made)));
  const differ = isShare ? shareDifferenceOf : differenceOf;
  const difference = differ(values, rival, isPaired, confidenceOf(confidence));
  if (!difference) return more;
  if (difference.low > 0) return made;
  if (difference.high < 0) return Math.min(max, Math.max(made, rival.length));
  return more;
}

/** The confidence of the two-sided interval whose ends decide at this confidence in one direction. */
function confidenceOf(oneSided: number): number {
  return 2 * oneSided - 1;
}

/** Computes the interval of the difference of two points, the point minus the best point; undefined with too few values. */
type Differ = (
  values: RaceInput['values'],
  rival: RaceInput['values'],
  isPaired: boolean,
  confidence: number,
) => MeanDifference | undefined;

const differenceOf: Differ = (values, rival, isPaired, confidence) => {
  const [own, other] = [values, rival].map((each) => spreadOf(each.filter((value) => value !== null)));
  if (isPaired) {
    const differences = spreadOf(pairsOf(values, rival).map(([value, rivalValue]) => value - rivalValue));
    return differences.count < 2
      ? undefined
      : pairedDifference(differences, confidence, largestSquaredJump([own!, other!]));
  }
  return own!.count < 2 || other!.count < 2 ? undefined : welchDifference(other!, own!, confidence);
};

/** Student's interval would have no width if all values of a point are equal; Newcombe's has a width. */
const shareDifferenceOf: Differ = (values, rival, isPaired, confidence) => {
  // the values are zeros and ones, or minus ones and zeros
  const shift = [...values, ...rival].includes(-1) ? 1 : 0;
  const ones = (each: readonly number[]): number[] => each.map((value) => value + shift);
  if (isPaired) {
    const pairs = pairsOf(values, rival);
    const [own, other] = [ones(pairs.map(([value]) => value)), ones(pairs.map(([, value]) => value))];
    return pairs.length < 2 ? undefined : pairedShareDifference(pairCounts(other, own), confidence);
  }
  const [own, other] = [values, rival].map((each) => countTrue(ones(each.filter((value) => value !== null))));
  return own!.n < 2 || other!.n < 2 ? undefined : shareDifference(other!, own!, confidence);
};

/** The values of both points in the replications in which both have a value. */
function pairsOf(values: RaceInput['values'], rival: RaceInput['values']): [number, number][] {
  return values.flatMap((value, at): [number, number][] => {
    const other = rival[at];
    return value === null || other === null || other === undefined ? [] : [[value, other]];
  });
}
