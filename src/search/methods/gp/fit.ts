import type { Parameters } from './covariance.ts';
import { likelihood } from './likelihood.ts';
import { minimize } from './minimize.ts';
import type { Dimension } from '../method.ts';
import { STRAIGHT, Warp } from './warp.ts';

/** A value at a point, for fitting a model. */
export interface Observation {
  x: readonly number[];
  value: number;
  /** The known part of the variance of the value about the process; 0 without noise. */
  variance: number;
  runs: number;
}

export interface FitOptions {
  /**
   * Whether the values have noise beyond their known variances. The fit then estimates the variance of this noise for
   * one run. The noise of a value is that variance divided by its number of runs.
   */
  isNoisy: boolean;
  /**
   * Whether the values may be bent. Distances from a requirement may not be bent, because their sign tells whether the
   * requirement is met.
   */
  isWarped: boolean;
  /**
   * Whether the parameters keep their usual values. The model of failures needs this, because its values are only 1 and
   * -1: a fit to these values would make the length scales tiny.
   */
  isFixed?: boolean;
  /** The `logs` of an earlier fit, as an additional starting point of this fit. */
  warm: Float64Array | null;
}

/** The fitted parameters of a model. */
export interface Fit {
  parameters: Parameters;
  /** The fitted variance of the noise of one run, in warped units (warp.ts). */
  noise: number;
  warp: Warp;
  /** The logarithms of the fitted parameters: the length scales, the signal, and the noise and the bend if fitted. */
  logs: Float64Array;
}

/**
 * The variance of the mean of the process. The warped values have a variance of about 1, so this is a weak assumption.
 */
const CONSTANT = 1;
/** A small noise that is always added, so that rounding does not make the matrix singular. */
export const JITTER = 1e-9;

/** The prior of the logarithm of a parameter: a normal distribution about `start`, within limits. */
interface Prior {
  start: number;
  sd: number;
  low: number;
  high: number;
}

/**
 * The parameters with the greatest posterior density (MAP). They are found by the derivatives of the likelihood from up
 * to three starts. The priors are log-normal and weak. The prior of the length scales grows with the root of the number
 * of dimensions: C. Hvarfner, E. O. Hellsten and L. Nardi, "Vanilla Bayesian optimization performs great in high
 * dimensions", ICML (2024), section 4.
 */
export function fit(
  dimensions: readonly Dimension[],
  observations: readonly Observation[],
  options: FitOptions,
): Fit {
  const d = dimensions.length;
  const points = observations.map(({ x }) => x);
  const raw = observations.map(({ value }) => value);
  const { isNoisy, isWarped } = options;
  // the order of the parameters in all arrays: the length scales, the signal, and the noise and the bend if fitted
  const priors: Prior[] = dimensions.map(() => lengthPrior(d));
  priors.push({ start: 0, sd: 1.5, low: Math.log(1e-3), high: Math.log(1e3) });
  if (isNoisy) priors.push({ start: Math.log(1e-2), sd: 2, low: Math.log(1e-8), high: Math.log(10) });
  if (isWarped) priors.push({ start: Math.log(1), sd: 2, low: Math.log(3e-3), high: Math.log(300) });
  const [signalAt, noiseAt, bendAt] = [d, d + 1, priors.length - 1];

  const fitOf = (logs: ArrayLike<number>): Fit => {
    const bend = isWarped ? Math.exp(logs[bendAt]!) : STRAIGHT;
    return {
      parameters: {
        lengths: Array.from({ length: d }, (_, j) => Math.exp(logs[j]!)),
        signal: Math.exp(logs[signalAt]!),
        constant: CONSTANT,
      },
      noise: isNoisy ? Math.exp(logs[noiseAt]!) : 0,
      warp: new Warp(raw, bend),
      logs: Float64Array.from(logs),
    };
  };

  /** The negative logarithm of the posterior density, without a constant. Writes its derivatives into `slope`. */
  const negativeLogDensity = (logs: Float64Array, slope: Float64Array): number => {
    const { parameters, noise, warp } = fitOf(logs);
    const values = Float64Array.from(raw, (value) => warp.warped(value));
    const known = observations.map(({ value, variance }) => (Math.sqrt(variance) * warp.slope(value)) ** 2);
    const noises = Float64Array.from(observations, ({ runs }, i) => known[i]! + noise / runs + JITTER);
    const found = likelihood(dimensions, parameters, points, values, noises);
    if (!found) return Infinity;
    let sum = -found.value;
    slope.set(found.byLength.map((by) => -by));
    slope[signalAt] = -found.bySignal;
    if (isNoisy) {
      slope[noiseAt] = -found.byNoise.reduce((s, by, i) => s + (by * noise) / observations[i]!.runs, 0);
    }
    if (isWarped) {
      const { warped, logSlopes } = warp.byBend(raw);
      slope[bendAt] = -found.byValue.reduce(
        (s, by, i) => s + by * warped[i]! + 2 * found.byNoise[i]! * known[i]! * logSlopes[i]!,
        0,
      );
    }
    priors.forEach(({ start, sd }, j) => {
      const off = (logs[j]! - start) / sd;
      sum += 0.5 * off * off;
      slope[j]! += off / sd;
    });
    return sum;
  };

  const limits = {
    low: priors.map(({ low }) => low),
    high: priors.map(({ high }) => high),
    evaluations: observations.length <= 100 ? 50 : 12,
  };
  const usual = priors.map(({ start }) => start);
  if (options.isFixed) return fitOf(usual);
  const shorter = usual.map((log, j) => (j < d ? log - 1.5 : log));
  // with many observations an evaluation takes long, so there are fewer starts
  const starts = [
    ...(options.warm ? [options.warm] : []),
    ...(observations.length <= 250 || !options.warm ? [usual] : []),
    ...(observations.length <= 100 ? [shorter] : []),
  ];
  const [first, ...others] = starts.map((start) => minimize(negativeLogDensity, start, limits));
  const best = others.reduce((one, other) => (other.value < one.value ? other : one), first!);
  return fitOf(best.x);
}

function lengthPrior(dimensions: number): Prior {
  return { start: Math.log(0.5 * Math.sqrt(dimensions)), sd: 1, low: Math.log(5e-3), high: Math.log(50) };
}
