import { normalCdf } from '../../src/statistics/normal.ts';

/**
 * The constant h of the two-stage procedure of Y. Rinott, "On two-stage selection procedures and related
 * probability-inequalities", Communications in Statistics A7 (1978) 799-811. A system whose first replications have the
 * variance S² gets ⌈h²·S²/δ²⌉ replications in all. The procedure then chooses the system with the best mean. With the
 * given confidence, no other system is better than the chosen one by more than δ.
 *
 * The constant solves ∫ [∫ Φ(h / √(ν·(1/x + 1/y))) f(x) dx]^(k-1) f(y) dy = confidence, where f is the density of the
 * χ² distribution with ν = first - 1 degrees of freedom.
 *
 * @param systems - k, from 2
 * @param first - replications of each system in the first stage, from 2
 * @param confidence - between 1/k and 1, such as 0.95
 * @throws RangeError if there is no such constant
 */
export function rinottConstant(systems: number, first: number, confidence: number): number {
  if (!(systems >= 2 && first >= 2)) throw new RangeError(`${systems} systems and ${first} runs are too few`);
  if (!(confidence > 1 / systems && confidence < 1))
    throw new RangeError(`${confidence} is not between ${1 / systems} and 1`);
  const nodes = chiSquareNodes(first - 1);
  const isEnough = (h: number): boolean => chanceOfBest(h, systems, nodes) >= confidence;
  let high = 1;
  while (!isEnough(high)) high *= 2;
  let low = high === 1 ? 0 : high / 2;
  while (high - low > PRECISION * high) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const PRECISION = 1e-7;

/** A value of a distribution, with its weight. All weights sum to 1. */
interface Node {
  /** ν/x, where x has the χ² distribution. */
  inverse: number;
  weight: number;
}

/** The chance that the best of the systems is chosen, if all others are worse by the indifference. */
function chanceOfBest(h: number, systems: number, nodes: readonly Node[]): number {
  return sum(
    nodes.map((best) => {
      const better = sum(
        nodes.map((other) => other.weight * normalCdf(h / Math.sqrt(best.inverse + other.inverse))),
      );
      return best.weight * better ** (systems - 1);
    }),
  );
}

/**
 * The trapezoidal rule in the logarithm of x. There the density is smooth and vanishes at both ends, so the error falls
 * exponentially with the number of nodes (L. N. Trefethen and J. A. C. Weideman, SIAM Review 56 (2014) 385-458). The
 * weights are divided by their sum, because the density is computed without its constant factor.
 */
function chiSquareNodes(freedom: number): Node[] {
  // the logarithm of the density of log(x / ν), which is highest at 0
  const logDensity = (u: number): number => (freedom / 2) * (u - Math.expm1(u));
  const step = STEP / Math.sqrt(freedom);
  const nodes: Node[] = [];
  for (const way of [-1, 1]) {
    for (let n = way < 0 ? 1 : 0, weight = 1; weight > LEAST_WEIGHT; n += 1) {
      const u = way * n * step;
      weight = Math.exp(logDensity(u));
      nodes.push({ inverse: Math.exp(-u), weight });
    }
  }
  const total = sum(nodes.map(({ weight }) => weight));
  return nodes.map(({ inverse, weight }) => ({ inverse, weight: weight / total }));
}

/** The distance between nodes, in units of 1/√ν, which is near the standard deviation of log x. */
const STEP = 0.4;
const LEAST_WEIGHT = 1e-12;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
