/** What theory says about the stochastic form of the epidemic, without a simulation. */
import { integrate } from '../../../models/epidemic/dormand-prince.ts';
import type { Parameters } from '../../../models/epidemic/sir.ts';

const TOLERANCE = { relative: 1e-9, absolute: 1e-12 };

/** The probability of each number of infected at a time, from the master equation. Only for small populations. */
export function chancesOfInfected(
  { population, initiallyInfected, contactRate, recoveryRate }: Parameters,
  time: number,
): number[] {
  const width = population + 1;
  const start = new Array<number>(width * width).fill(0);
  start[(population - initiallyInfected) * width + initiallyInfected] = 1;
  const derivative = (_t: number, chances: readonly number[]): number[] => {
    const change = new Array<number>(chances.length).fill(0);
    for (let s = 0; s <= population; s++) {
      for (let i = 1; s + i <= population; i++) {
        const here = s * width + i;
        const infection = (chances[here]! * contactRate * s * i) / population;
        const recovery = chances[here]! * recoveryRate * i;
        change[here]! -= infection + recovery;
        change[here - 1]! += recovery;
        if (s > 0) change[here - width + 1]! += infection;
      }
    }
    return change;
  };
  const last = [...integrate(derivative, 0, time, start, TOLERANCE)].at(-1)!.at(time);
  return Array.from({ length: width }, (_, i) =>
    last.filter((_, at) => at % width === i).reduce((sum, chance) => sum + chance, 0),
  );
}

/**
 * For a large population at a time: how far the mean numbers of persons differ from the deterministic form, and the
 * variances around the means. Both come from an expansion in the size of the population. The omitted terms are smaller
 * by a factor of about this size.
 *
 * N. G. van Kampen, "Stochastic Processes in Physics and Chemistry", 3rd edition (2007), chapter X.
 */
export function expansion(
  { population: n, initiallyInfected, contactRate: b, recoveryRate: g }: Parameters,
  time: number,
): Record<'infected' | 'recovered', { bias: number; variance: number }> {
  // y has the shares s and i, their covariances times N, and the differences of the means in persons
  const derivative = (_t: number, y: readonly number[]): number[] => {
    const [s, i, ss, si, ii, ds, di] = y as [number, number, number, number, number, number, number];
    const [infections, recoveries] = [b * s * i, g * i];
    const [toS, toI] = [b * i, b * s];
    return [
      -infections,
      infections - recoveries,
      2 * (-toS * ss - toI * si) + infections,
      -toS * si - toI * ii + toS * ss + (toI - g) * si - infections,
      2 * (toS * si + (toI - g) * ii) + infections + recoveries,
      -toS * ds - toI * di - b * si,
      toS * ds + (toI - g) * di + b * si,
    ];
  };
  const start = [1 - initiallyInfected / n, initiallyInfected / n, 0, 0, 0, 0, 0];
  const last = [...integrate(derivative, 0, time, start, TOLERANCE)].at(-1)!.at(time);
  const [, , ss, si, ii, ds, di] = last as [number, number, number, number, number, number, number];
  return {
    infected: { bias: di, variance: n * ii },
    recovered: { bias: -ds - di, variance: n * (ss + 2 * si + ii) },
  };
}

/**
 * The number of persons who are ever infected in the deterministic form if the run never ends. It includes the persons
 * who are infected at the start, and it is the solution of the final-size equation.
 */
export function finalSize({
  population,
  initiallyInfected,
  contactRate,
  recoveryRate,
}: Omit<Parameters, 'days'>): number {
  const susceptible = population - initiallyInfected;
  const ratio = contactRate / recoveryRate;
  let size = population;
  // iterates S∞ = S0 exp(-R0 (N - S∞) / N) from the largest possible size, so the size falls to the largest root
  for (let step = 0; step < 10_000; step++) {
    size = population - susceptible * Math.exp((-ratio * size) / population);
  }
  return size;
}
