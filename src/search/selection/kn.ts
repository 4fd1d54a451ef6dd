import {
  areEqual,
  chanceVariance,
  hidesChance,
  isLower,
  largestSquaredJump,
  SpreadSample,
} from '../../statistics/chance.ts';
import { meanOf } from '../../statistics/sample.ts';

/**
 * The procedure KN: S.-H. Kim and B. L. Nelson, "A fully sequential procedure for indifference-zone selection in
 * simulation", ACM TOMACS 11 (2001) 251-273, with c = 1. It chooses the system with the lowest mean. The chance that
 * another system is better by more than the indifference is at most 1 minus the confidence. Common random numbers help
 * automatically, because the procedure uses variances of differences.
 *
 * The procedure assumes normal values. It takes the variance of the first replications, which is useless if rare values
 * are missing among them. So foray takes the variance of all replications so far, as in S.-H. Kim and B. L. Nelson, "On
 * the asymptotic validity of fully sequential selection procedures for steady-state simulation", Operations Research 54
 * (2006) 475-488. It is at least as large as chance allows (`statistics/chance`).
 */

/** The values to compare. Lower is better. */
export interface KnInput {
  /** The values of each system, in the order of the replications; null if a replication failed. */
  values: readonly (readonly (number | null)[])[];
  /** Whether the values are zeros and ones, or zeros and minus ones. */
  isShare: boolean;
  /** Replications of each system before the first comparison: at least 2. */
  first: number;
  /** Smaller differences of means do not matter. */
  indifference: number;
  /** The confidence that no other system is better by more than the indifference, such as 0.95. */
  confidence: number;
  /** The maximum number of replications of a system. */
  most: number;
}

/**
 * `reached`: false if the comparison ended because a system had the maximum number of replications. Systems are given
 * by their indices.
 */
export type KnDecision =
  | { decided: true; best: number; reached: boolean }
  /** `replications`: the new total of each surviving system. */
  | { decided: false; surviving: number[]; replications: number };

/** The numbers for comparing two systems. */
interface Rule {
  first: number;
  indifference: number;
  /** h² of the procedure. */
  h2: number;
  isShare: boolean;
  /** The mean square of the largest jump of the systems so far; null while the values of each system are equal. */
  squaredJump: number | null;
}

/**
 * A round takes the time of a run, so it has several replications. foray predicts after how many replications the next
 * system is left out. A round adds only this part of the replications until then, because the system may be left out
 * earlier. With rounds, a comparison needs about 5 % more runs.
 */
const PART_OF_WAY = 0.5;
/** A round adds at most this share of the existing replications, rounded up. */
export const MOST_GROWTH = 0.5;
/** A round adds at least this share of the existing replications, rounded up. */
const LEAST_GROWTH = 0.05;

/**
 * Chooses the best system, or decides how many more replications the remaining systems need. The choice is the same as
 * with one replication at a time, whatever the rounds are. A failed replication is compared with no other. Two systems are
 * compared only when they have `first` common replications.
 */
export function nextOfKn({ values, isShare, first, indifference, confidence, most }: KnInput): KnDecision {
  if (values.length === 1) return { decided: true, best: 0, reached: true };
  const h2 = squareOfH(values.length, first, confidence);
  const rule: Rule = { first, indifference, h2, isShare, squaredJump: isShare ? 1 : null };
  const systems = values.map(() => new SpreadSample());
  const pairs = values.map((_, at) => values.slice(at + 1).map(() => new SpreadSample()));
  /** The values of the first system of a pair minus those of the second, in the replications that both have. */
  const differencesOf = (a: number, b: number): SpreadSample => pairs[Math.min(a, b)]![Math.abs(a - b) - 1]!;
  const isWorse = (at: number, rival: number): boolean => {
    const differences = differencesOf(at, rival);
    if (differences.count < first) return false;
    const worseBy = at < rival ? differences.mean! : -differences.mean!;
    return worseBy > 0 && worseBy > allowedIn(differences, rule);
  };
  let surviving = values.map((_, at) => at);
  for (let replications = 1; surviving.every((at) => values[at]!.length >= replications); replications += 1) {
    const valueOf = (at: number): number | null => values[at]![replications - 1]!;
    for (const [a, b] of pairsOf(surviving)) {
      const value = valueOf(a);
      const rival = valueOf(b);
      if (value !== null && rival !== null) differencesOf(a, b).add(value - rival);
    }
    for (const at of surviving) {
      const value = valueOf(at);
      if (value !== null) systems[at]!.add(value);
    }
    if (replications < first) continue;
    if (!isShare) rule.squaredJump = largestSquaredJump(systems);
    const before = surviving;
    surviving = before.filter((at) => !before.some((rival) => rival !== at && isWorse(at, rival)));
    // rounding may make each of several equal systems worse than another system
    if (surviving.length === 0) surviving = [before[0]!];
    // one system remains, or no system may be worse any more, so that the remaining ones are equal
    if (pairsOf(surviving).every(([a, b]) => allowedIn(differencesOf(a, b), rule) === 0))
      return { decided: true, best: lowestMean(values, surviving), reached: true };
  }
  const now = Math.min(...surviving.map((at) => values[at]!.length));
  if (now >= most) return { decided: true, best: lowestMean(values, surviving), reached: false };
  if (now < first) return { decided: false, surviving, replications: first };
  const expected = pairsOf(surviving).map(([a, b]) => endOf(differencesOf(a, b), rule));
  const part = Math.min(PART_OF_WAY * (lowestOf(expected) - now), MOST_GROWTH * now);
  const added = Math.max(1, Math.ceil(Math.max(part, LEAST_GROWTH * now)));
  return { decided: false, surviving, replications: Math.min(most, now + added) };
}

function pairsOf(systems: readonly number[]): [number, number][] {
  return systems.flatMap((a, at) => systems.slice(at + 1).map((b): [number, number] => [a, b]));
}

function lowestOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}

/** h² of the procedure. */
function squareOfH(systems: number, first: number, confidence: number): number {
  const eta = 0.5 * (((2 * (1 - confidence)) / (systems - 1)) ** (-2 / (first - 1)) - 1);
  return 2 * eta * (first - 1);
}

/** How much worse a system may be before it is left out. It shrinks to 0 with more replications. */
function allowedIn(differences: SpreadSample, rule: Rule): number {
  const { indifference, h2 } = rule;
  const { count } = differences;
  const variance = varianceOf(differences, rule);
  return Math.max(0, (indifference / (2 * count)) * ((h2 * variance) / indifference ** 2 - count));
}

/**
 * The variance of the differences. It is infinite while it is unknown: in too few replications, and while the rare
 * differences are too few to show how far they jump. Shares jump by 1.
 */
function varianceOf(differences: SpreadSample, { first, isShare, squaredJump }: Rule): number {
  const hides = !isShare && !areEqual(differences) && hidesChance(differences);
  if (differences.count < first || hides) return Infinity;
  return chanceVariance(differences, squaredJump) ?? Infinity;
}

/** The number of replications after which one of two systems is left out, if their difference stays the same. */
function endOf(differences: SpreadSample, rule: Rule): number {
  const variance = varianceOf(differences, rule);
  if (variance === Infinity) return Infinity;
  const { indifference, h2 } = rule;
  return Math.ceil((h2 * variance) / indifference / (2 * Math.abs(differences.mean!) + indifference));
}

function lowestMean(values: KnInput['values'], systems: readonly number[]): number {
  const means = new Map(
    systems.map((at) => {
      const known = values[at]!.filter((value) => value !== null);
      return [at, known.length === 0 ? Infinity : meanOf(known)];
    }),
  );
  return systems.reduce((best, at) => (isLower(means.get(at)!, means.get(best)!) ? at : best));
}
