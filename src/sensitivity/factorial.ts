import { fisherTail } from '../statistics/tests.ts';
import type { Found, InputIndices, PairIndices } from './analysis.ts';
import { type Certainty, certaintyOf } from './contrast.ts';
import { type ErrorVariance, errorVariance } from './replicates.ts';
import { areEqual, momentsOf } from './moments.ts';
import { pairsOf } from './sobol-indices.ts';
import type { PointValues } from './point-values.ts';

/** The points of a factorial design, by the levels of their inputs. */
export interface LevelPoints {
  inputs: readonly string[];
  /** The number of levels of each input. */
  levels: readonly number[];
  /**
   * For each input, the level of each point. Levels count from 0. The levels of a number are in ascending order. Other
   * levels are in the order of the definition.
   */
  codes: readonly Uint16Array[];
  /** Whether the points are all combinations of levels, each once. */
  isFull: boolean;
  /**
   * The effects that the design cannot distinguish from an effect of one or two inputs. The inputs are given by their
   * indices. A full design has no such effects.
   */
  aliases: (inputs: readonly number[]) => string[];
}

/**
 * Main effects and interactions of two inputs, as shares of the variance between the points (analysis of variance): D.
 * C. Montgomery, "Design and Analysis of Experiments", 8th edition, Wiley 2013, sections 5.3, 6.2 and 8.2. In a full
 * design in which each point has a value, total indices are exact for its points. The tests of significance take their
 * error from the variance of replications. Without replications there are no such tests.
 */
export function factorialIndices(design: LevelPoints, values: PointValues, confidence: number): Found {
  const { inputs, levels, codes } = design;
  const points = [...values.means.keys()].filter((point) => !Number.isNaN(values.means[point]!));
  const y = (point: number): number => values.means[point]!;
  const moments = momentsOf(points.map(y));
  if (areEqual(moments)) return { indices: [], warnings: [] };
  const { mean } = moments;
  const squares = moments.variance * (points.length - 1);
  const replicates = values.replicates && points.map(values.replicates);
  const error = replicates && errorVariance(replicates, values.isPaired);
  // the harmonic mean of the numbers of replications of the points
  const repeats = replicates
    ? replicates.length / replicates.reduce((sum, one) => sum + 1 / one.length, 0)
    : 1;
  const isWhole = points.length === values.means.length;

  /** The interval and the p-value of a weighted sum of all points. */
  const certain = (value: number, weights: readonly number[]): Certainty | undefined =>
    replicates && error
      ? certaintyOf(
          value,
          replicates.map((own, at) => ({ weight: weights[at]!, replicates: own })),
          confidence,
          { isPaired: values.isPaired, error },
        )
      : undefined;
  const pOf = (part: number, freedom: number): number | undefined =>
    error && fisherTest({ part: part * repeats, freedom }, error);
  const deviations = inputs.map((_, input) => levelMeans(input).map((one) => one - mean));

  function levelMeans(input: number): Float64Array {
    const sums = new Float64Array(levels[input]!);
    const counts = new Float64Array(levels[input]!);
    for (const point of points) {
      sums[codes[input]![point]!]! += y(point);
      counts[codes[input]![point]!]! += 1;
    }
    return sums.map((sum, level) => (counts[level]! > 0 ? sum / counts[level]! : NaN));
  }

  function mainEffect(input: string, at: number): InputIndices {
    const last = levels[at]! - 1;
    const counts = [0, last].map((level) => points.filter((point) => codes[at]![point] === level).length);
    const weights = points.map((point) => {
      const level = codes[at]![point]!;
      return level === last ? 1 / counts[1]! : level === 0 ? -1 / counts[0]! : 0;
    });
    const part = points.reduce((sum, point) => sum + deviations[at]![codes[at]![point]!]! ** 2, 0);
    const effect = deviations[at]![last]! - deviations[at]![0]!;
    const known = certain(effect, weights);
    const p = levels[at] === 2 ? known?.p : pOf(part, last);
    const aliases = design.aliases([at]);
    return {
      input,
      first: part / squares,
      ...(design.isFull && isWhole && { total: totalIndex(at) }),
      ...(Number.isFinite(effect) && {
        low: deviations[at]![0]! + mean,
        high: deviations[at]![last]! + mean,
        effect,
      }),
      ...(known && { effectInterval: known.interval }),
      ...(p !== undefined && { p }),
      ...(aliases.length > 0 && { aliases }),
    };
  }

  /** The variance that remains if all other inputs are known, as a share of the whole. */
  function totalIndex(at: number): number {
    const rest = new Map<number, { sum: number; count: number }>();
    const others = inputs.map((_, input) => input).filter((input) => input !== at);
    const cellOf = (point: number): number =>
      others.reduce((cell, input) => cell * levels[input]! + codes[input]![point]!, 0);
    for (const point of points) {
      const cell = rest.get(cellOf(point)) ?? { sum: 0, count: 0 };
      cell.sum += y(point);
      cell.count += 1;
      rest.set(cellOf(point), cell);
    }
    const within = points.reduce((sum, point) => {
      const cell = rest.get(cellOf(point))!;
      return sum + (y(point) - cell.sum / cell.count) ** 2;
    }, 0);
    return within / squares;
  }

  function interaction([a, b]: [number, number]): PairIndices {
    const wide = levels[b]!;
    const sums = new Float64Array(levels[a]! * wide);
    const counts = new Float64Array(sums.length);
    for (const point of points) {
      const cell = codes[a]![point]! * wide + codes[b]![point]!;
      sums[cell]! += y(point);
      counts[cell]! += 1;
    }
    let part = 0;
    for (let cell = 0; cell < sums.length; cell += 1) {
      if (counts[cell] === 0) continue;
      const alone = deviations[a]![Math.floor(cell / wide)]! + deviations[b]![cell % wide]!;
      part += counts[cell]! * (sums[cell]! / counts[cell]! - mean - alone) ** 2;
    }
    const aliases = design.aliases([a, b]);
    return {
      inputs: [inputs[a]!, inputs[b]!],
      value: part / squares,
      ...(levels[a] === 2 && levels[b] === 2
        ? ofTwoLevels(a, b)
        : withP(pOf(part, (levels[a]! - 1) * (wide - 1)))),
      ...(aliases.length > 0 && { aliases }),
    };
  }

  function ofTwoLevels(a: number, b: number): Pick<PairIndices, 'effect' | 'effectInterval' | 'p'> {
    const isEqual = (point: number): boolean => codes[a]![point] === codes[b]![point];
    const equal = points.filter(isEqual).length;
    const weights = points.map((point) => (isEqual(point) ? 1 / equal : -1 / (points.length - equal)));
    const effect = points.reduce((sum, point, at) => sum + weights[at]! * y(point), 0);
    const known = certain(effect, weights);
    return {
      ...(Number.isFinite(effect) && { effect }),
      ...(known && { effectInterval: known.interval, p: known.p }),
    };
  }

  const warnings = [
    ...(error
      ? []
      : [
          'Without replications there is no estimate of the error, so effects have neither intervals nor tests.',
        ]),
    ...(isWhole
      ? []
      : [
          `${values.means.length - points.length} of ${values.means.length} points have no value: the effects come from the other points, and are no longer independent of each other.`,
        ]),
  ];
  return { indices: inputs.map(mainEffect), secondOrder: pairsOf(inputs.length).map(interaction), warnings };
}

function withP(p: number | undefined): { p?: number } {
  return p === undefined ? {} : { p };
}

/** The p-value: the probability that chance alone gives at least this part of the sum of squares. */
function fisherTest({ part, freedom }: { part: number; freedom: number }, error: ErrorVariance): number {
  if (error.variance === 0) return Number(part === 0);
  return fisherTail(part / freedom / error.variance, freedom, error.freedom);
}

/** For each input of a fraction: the inputs whose product it is, with a sign; null for a basic input. */
export type Generators = readonly ({ of: readonly number[]; sign: 1 | -1 } | null)[];

/**
 * The effects of one or two inputs that a fraction with two levels cannot distinguish, because they are the same
 * product of basic inputs (Montgomery, section 8.2). "−" stands before an effect with the opposite sign.
 */
export function aliasesOf(inputs: readonly string[], generators: Generators): LevelPoints['aliases'] {
  // an input as a product of basic inputs, with one bit each
  const words = generators.map((one, at) =>
    one
      ? { mask: one.of.reduce((mask, other) => mask ^ (1n << BigInt(other)), 0n), sign: one.sign }
      : { mask: 1n << BigInt(at), sign: 1 },
  );
  const wordOf = (places: readonly number[]): { mask: bigint; sign: number } =>
    places.reduce(({ mask, sign }, at) => ({ mask: mask ^ words[at]!.mask, sign: sign * words[at]!.sign }), {
      mask: 0n,
      sign: 1,
    });
  const all = [...inputs.map((_, at) => [at]), ...pairsOf(inputs.length)].map((places) => ({
    places,
    ...wordOf(places),
    name: places.map((at) => inputs[at]!).join(' × '),
  }));
  const byMask = Map.groupBy(all, ({ mask }) => mask);
  return (places) => {
    const own = wordOf(places);
    return byMask
      .get(own.mask)!
      .filter((one) => one.places.join() !== places.join())
      .map(({ name, sign }) => (sign === own.sign ? name : `−${name}`));
  };
}
