import { Sample } from '../../statistics/sample.ts';

/**
 * The procedure KN: S.-H. Kim and B. L. Nelson, "A fully sequential procedure for indifference-zone selection in simulation", ACM TOMACS
 * 11 (2001) 251-273, with c = 1. It chooses the system with the lowest mean, and is wrong by more than the indifference at most as often
 * as the confidence allows. Common random numbers help by themselves, as variances are those of differences.
 */

/** What is compared. The lower a value the better. */
export interface KnInput {
  /** By system, then by replication, in the order of replications; null where a replication failed. */
  values: readonly (readonly (number | null)[])[];
  /** Replications of each system before the first comparison, from 2. */
  first: number;
  /** A difference that does not matter. */
  indifference: number;
  /** That the chosen system is not worse than another by more than that, as 0.95. */
  confidence: number;
  /** Replications that a system may have at most. */
  most: number;
}

/** `reached`: the comparison was not ended by the most replications. Systems are told by their indices. */
export type KnDecision =
  | { decided: true; best: number; reached: boolean }
  /** `replications`: how many each surviving system is to have in all. */
  | { decided: false; surviving: number[]; replications: number };

/** By what two systems are compared. */
interface Rule {
  first: number;
  indifference: number;
  h2: number;
}

/** Systems that are compared two at a time. */
interface Pair {
  /** Of the first differences. Infinite where there are too few. */
  variance: number;
  /** How many differences the first r replications have, and their sum, by r. */
  counts: number[];
  sums: number[];
}

/**
 * Each round takes the time of a run, so a round is not a single replication. It goes a part of the way to where the next system is expected
 * to be left out, as many are left out before, and adds neither more nor less than a share of what there is. That costs about a
 * twentieth more runs.
 */
const PART_OF_WAY = 0.5;
const MOST_GROWTH = 0.5;
const LEAST_GROWTH = 0.05;

/**
 * Chooses the best of some systems, or says which of them need how many more replications. The decision is that of one replication at a
 * time, whatever the rounds.
 *
 * A replication that failed counts for no pair. Where two systems have fewer than `first` replications in common, they are not compared
 * before they have more.
 */
export function nextOfKn({ values, first, indifference, confidence, most }: KnInput): KnDecision {
  const made = Math.min(...values.map(({ length }) => length));
  const all = values.map((_, at) => at);
  if (values.length === 1) return { decided: true, best: 0, reached: true };
  const rule = { first, indifference, h2: squareOfH(values.length, first, confidence) };
  const pairs = values.map((own, at) =>
    values.map((other, of) => (at === of ? null : pairOf(own, other, first))),
  );
  let surviving = all;
  for (let r = first; r <= mostOf(values) && surviving.length > 1; r += 1) {
    const before = surviving.filter((at) => values[at]!.length >= r);
    if (before.length < surviving.length) break;
    surviving = before.filter((at) => !before.some((of) => of !== at && isWorse(pairs[at]![of]!, r, rule)));
    // equal systems are never worse than each other, but rounding may have it so
    if (surviving.length === 0) surviving = [before[0]!];
  }
  if (surviving.length === 1) return { decided: true, best: surviving[0]!, reached: true };
  const now = Math.min(...surviving.map((at) => values[at]!.length));
  if (now >= most) return { decided: true, best: lowestMean(values, surviving), reached: false };
  if (made < first) return { decided: false, surviving, replications: first };
  const expected = surviving.map((at) =>
    Math.min(...surviving.map((of) => (of === at ? Infinity : endOf(pairs[at]![of]!, rule)))),
  );
  const part = Math.min(PART_OF_WAY * (Math.min(...expected) - now), MOST_GROWTH * now);
  const added = Math.max(1, Math.ceil(Math.max(part, LEAST_GROWTH * now)));
  return { decided: false, surviving, replications: Math.min(most, now + added) };
}

/** h² of the procedure. */
function squareOfH(systems: number, first: number, confidence: number): number {
  const eta = 0.5 * (((2 * (1 - confidence)) / (systems - 1)) ** (-2 / (first - 1)) - 1);
  return 2 * eta * (first - 1);
}

function pairOf(own: readonly (number | null)[], other: readonly (number | null)[], first: number): Pair {
  const [counts, sums] = [[0], [0]];
  const initial = new Sample();
  for (let r = 1; r <= Math.min(own.length, other.length); r += 1) {
    const [value, rival] = [own[r - 1]!, other[r - 1]!];
    const isCommon = value !== null && rival !== null;
    if (isCommon && initial.count < first) initial.add(value - rival);
    counts.push(counts[r - 1]! + (isCommon ? 1 : 0));
    sums.push(sums[r - 1]! + (isCommon ? value - rival : 0));
  }
  return { variance: initial.count < first ? Infinity : initial.variance!, counts, sums };
}

/** Whether a system is left out after r replications, as another one is better. It does not depend on later ones. */
function isWorse({ variance, counts, sums }: Pair, r: number, { first, indifference, h2 }: Rule): boolean {
  const at = Math.min(r, counts.length - 1);
  const n = counts[at]!;
  if (n < first) return false;
  const mean = sums[at]! / n;
  const allowed = Math.max(0, (indifference / (2 * n)) * ((h2 * variance) / indifference ** 2 - n));
  return mean > 0 && mean > allowed;
}

/** After how many replications one of two systems is left out, if their difference stays as it is. */
function endOf({ variance, counts, sums }: Pair, { indifference, h2 }: Rule): number {
  if (variance === Infinity) return Infinity;
  const difference = Math.abs(sums.at(-1)! / counts.at(-1)!);
  return Math.ceil((h2 * variance) / indifference / (2 * difference + indifference));
}

function mostOf(values: KnInput['values']): number {
  return Math.max(...values.map(({ length }) => length));
}

function lowestMean(values: KnInput['values'], systems: readonly number[]): number {
  const meanOf = (at: number): number => {
    const known = values[at]!.filter((value) => value !== null);
    return known.length === 0 ? Infinity : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  return systems.reduce((best, at) => (meanOf(at) < meanOf(best) ? at : best));
}
