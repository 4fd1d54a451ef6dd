import { holm } from '../statistics/holm.ts';
import { normalCdf } from '../statistics/normal.ts';
import { exactTailsOfShares } from '../statistics/tests.ts';
import type { PointTable } from './points.ts';
import { doubledRanks } from './ranks.ts';

/**
 * The level of the tests. If missing values do not depend on the inputs, a dependence is found in at most this share of
 * campaigns.
 */
const LEVEL = 0.01;
/** What is said if the tests find nothing. */
export const NO_DEPENDENCE = 'No dependence on the inputs is visible.';

/** With more inputs, only single inputs are tested, because there are very many pairs. */
const MOST_PAIRED = 30;
/** Scores with a smaller variance than this are equal, apart from rounding. */
const LEAST_VARIANCE = 1e-9;

/**
 * The inputs on which missing values depend: "A", or "A × B" for a dependence on two inputs together. If only
 * {@link LackingRuns} shows a dependence, it is "the inputs".
 *
 * If missing values do not depend on the inputs, the shares of missing runs may be exchanged between points. So the
 * tests are permutation tests. Those of numbers are tests of linear scores, with exact means and variances (J. Hájek and
 * Z. Šidák, "Theory of Rank Tests", Academic Press 1967, section II.3). The scores of a number are its rank, and the
 * distance of its rank from the middle. Those of two numbers are the product, the sum and the difference of their centered
 * ranks. The tests of a text are exact ({@link pOfText}). Holm's method allows for the number of tests.
 *
 * @param lacking - for each point, the share of its runs without a value
 * @param runs - the runs without a value
 */
export function dependents(table: PointTable, lacking: Float64Array, runs?: LackingRuns): string[] {
  const names = namedDependents(table, lacking);
  return names.length === 0 && runs?.dependOnPoints() ? ['the inputs'] : names;
}

function namedDependents(table: PointTable, lacking: Float64Array): string[] {
  const points = lacking.length;
  const mean = lacking.reduce((sum, one) => sum + one, 0) / points;
  const spread = lacking.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  if (!(spread > 0)) return [];
  /** The two-sided p-value of scores. */
  const pOf = (scores: Float64Array): number => {
    const middle = scores.reduce((sum, one) => sum + one, 0) / points;
    let [product, squares] = [0, 0];
    for (let at = 0; at < points; at += 1) {
      product += (lacking[at]! - mean) * (scores[at]! - middle);
      squares += (scores[at]! - middle) ** 2;
    }
    if (!(squares > LEAST_VARIANCE * points)) return 1;
    return 2 * normalCdf(-Math.abs(product) / Math.sqrt((spread * squares) / (points - 1)));
  };
  /** The smallest of their p-values, times their number (Bonferroni). */
  const pOfAll = (...all: Float64Array[]): number => Math.min(1, all.length * Math.min(...all.map(pOf)));
  const ranks = table.inputs.map(({ name }, at) => {
    const column = table.column(at);
    return { name, column, isText: table.isText(at), centered: centeredRanks(column) };
  });
  const lacksMany = Array.from(lacking, (share) => share > mean);
  const single = ranks.map(({ name, column, isText, centered }): NamedTest => ({
    name,
    p: isText ? pOfText(column, lacksMany) : pOfAll(centered, centered.map(Math.abs)),
  }));
  const pairOf = (one: Ranked, other: Ranked): NamedTest => ({
    name: `${one.name} × ${other.name}`,
    p: pOfAll(
      one.centered.map((rank, point) => rank * other.centered[point]!),
      one.centered.map((rank, point) => rank + other.centered[point]!),
      one.centered.map((rank, point) => rank - other.centered[point]!),
    ),
  });
  const numbers = ranks.filter(({ isText }) => !isText);
  const pairs =
    numbers.length > MOST_PAIRED
      ? []
      : numbers.flatMap((one, at) => numbers.slice(at + 1).map((other) => pairOf(one, other)));
  const dependentAmong = (tests: readonly NamedTest[]): string[] => {
    const adjusted = holm(tests.map(({ p }) => p));
    // single inputs and pairs share the level
    return tests.filter((_, at) => adjusted[at]! < LEVEL / 2).map(({ name }) => name);
  };
  const alone = dependentAmong(single);
  return alone.length > 0 ? alone : dependentAmong(pairs);
}

/** The test of an input, or of a pair of inputs. */
interface NamedTest {
  name: string;
  p: number;
}

/** A numeric input with the ranks of its values. */
interface Ranked {
  name: string;
  centered: Float64Array;
}

/**
 * The p-value of a text: Fisher's exact test of each of its values against all others, times the number of values. A value
 * may have few points, or even one, so a normal distribution would find a dependence wherever a single run has failed.
 *
 * @param lacksMany - for each point, whether it lacks more runs than the mean of all points
 */
function pOfText(column: Float64Array, lacksMany: readonly boolean[]): number {
  const values = new Map<number, { count: number; n: number }>();
  for (const [point, value] of column.entries()) {
    const { count, n } = values.get(value) ?? { count: 0, n: 0 };
    values.set(value, { count: count + Number(lacksMany[point]), n: n + 1 });
  }
  const all = lacksMany.filter(Boolean).length;
  const least = [...values.values()].reduce((lowest, own) => {
    const others = { count: all - own.count, n: lacksMany.length - own.n };
    return Math.min(lowest, exactTailsOfShares(own, others));
  }, 1);
  return Math.min(1, values.size * least);
}

/**
 * Tests whether runs without a value are at the same points. If they do not depend on the inputs, each replication
 * lacks the values of random points. The number of these points is given, so the test also holds with common random
 * numbers. Replications that lack a and b of n points have a hypergeometric number of these points in common, with the
 * mean ab/n and the variance a(1 − a/n) b(1 − b/n)/(n − 1). The test sums over all pairs of replications. The root of a
 * sum of rare events has a variance of 1/4 (F. J. Anscombe, "The transformation of Poisson, binomial and
 * negative-binomial data", Biometrika 35 (1948) 246-254). Here it is multiplied by the variance and divided by the mean.
 */
export class LackingRuns {
  /** The number of points without a value, by replication. */
  readonly #ofReplication: number[] = [];
  #points = 0;
  #common = 0;

  /** @param replications - the replications of a point that have no value; only those that all points have count */
  addPoint(replications: readonly number[]): void {
    this.#points += 1;
    this.#common += (replications.length * (replications.length - 1)) / 2;
    for (const one of replications) this.#ofReplication[one] = (this.#ofReplication[one] ?? 0) + 1;
  }

  dependOnPoints(): boolean {
    let [sum, squares, spread, spreadSquares] = [0, 0, 0, 0];
    // `filter` leaves out the holes of the list, which are replications without such a run
    for (const count of this.#ofReplication.filter(() => true)) {
      const own = count * (1 - count / this.#points);
      sum += count;
      squares += count ** 2;
      spread += own;
      spreadSquares += own ** 2;
    }
    const expected = (sum ** 2 - squares) / 2 / this.#points;
    const variance = (spread ** 2 - spreadSquares) / 2 / (this.#points - 1);
    if (!(variance > 0)) return false;
    const z = 2 * (Math.sqrt(this.#common) - Math.sqrt(expected)) * Math.sqrt(expected / variance);
    return normalCdf(-z) < LEVEL / 2;
  }
}

/** Ranks from −1 to 1; 0 for a value in the middle. */
function centeredRanks(column: Float64Array): Float64Array {
  return Float64Array.from(doubledRanks(column), (rank) => (rank - 1) / column.length - 1);
}
