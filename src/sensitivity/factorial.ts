import {
  cancelsChance,
  chanceOfEqual,
  leastOfEqualRuns,
  leastVariance,
  ROUNDING,
} from '../statistics/chance.ts';
import { fisherTail } from '../statistics/tests.ts';
import { type SumOfSquares, varianceShare } from '../statistics/variance-share.ts';
import type { Found, InputIndices, Interval, PairIndices } from './analysis.ts';
import { MOST_CHANCE } from './chance.ts';
import { type Certainty, certainty, certaintyOf } from './contrast.ts';
import {
  commonReplications,
  type ErrorVariance,
  errorVariance,
  type Replicate,
  valuesAt,
} from './replicates.ts';
import { commonTest } from './exchange.ts';
import { areEqual, momentsOf } from './moments.ts';
import { pairsOf } from './sobol-indices.ts';
import type { PointValues } from './point-values.ts';

/** The points of a factorial design, by the levels of their inputs. */
export interface LevelPoints {
  inputs: readonly string[];
  /** The number of levels of each input. */
  levels: readonly number[];
  /** The value at each level of each input, and whether it is a number. */
  values: readonly { names: readonly string[]; areNumbers: boolean }[];
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
 * design without chance, total indices are exact for its points. The tests of significance take their error from the
 * variance of replications. If each point of a full design has one run and chance is possible, they take it from the
 * interactions of three and more inputs (section 6.5), or of both inputs if there are two. With an error, shares are without
 * the part that it adds to each sum of squares, and they have intervals (`varianceShare`). They are left out if nearly all
 * variance is error.
 *
 * If points of a full design have no value, each effect comes from the largest part of the design that is still
 * balanced for it (`compared`). So the effects of other inputs cannot pass for an effect of this input, whatever the
 * function is. A fraction without some of its points has no such parts: its effects cannot be separated.
 */
export function factorialIndices(design: LevelPoints, values: PointValues, confidence: number): Found {
  const { inputs, levels, codes } = design;
  const points = [...values.means.keys()].filter((point) => !Number.isNaN(values.means[point]!));
  const y = (point: number): number => values.means[point]!;
  const moments = momentsOf(points.map(y));
  if (areEqual(moments)) return { indices: [], warnings: [] };
  const squares = moments.variance * (points.length - 1);
  const largest = Math.max(...points.map((point) => Math.abs(y(point))));
  /** Equal means have an effect of 0 only apart from rounding. */
  const exact = (effect: number): number => (Math.abs(effect) <= ROUNDING * largest ? 0 : effect);
  const replicates =
    values.replicates &&
    Array.from(values.means, (mean, point) => (Number.isNaN(mean) ? [] : values.replicates!(point)));
  const error = replicates && errorOf(points.map((point) => replicates[point]!));
  const isWhole = points.length === values.means.length;
  /**
   * The least p-value of a share and of equal runs with common random numbers. Only the replications are independent, and the
   * results of a few are often equal, so no p-value is below that of a sign test of them.
   */
  const leastP =
    replicates && values.isPaired && (values.isShare || error?.isUnseen)
      ? chanceOfEqual(1, commonReplications(points.map((point) => replicates[point]!)).length - 1)
      : 0;
  function errorOf(runs: readonly (readonly Replicate[])[]): ErrorVariance | undefined {
    const found = errorVariance(runs, values.isPaired);
    if (!found) return undefined;
    const count = runs.reduce((sum, { length }) => sum + length, 0);
    const common = values.isPaired ? commonReplications(runs) : [];
    // with common random numbers, a rare value is missing at all points together
    const independent = values.isPaired ? common.length : count;
    if (values.isShare)
      return { ...found, variance: Math.max(found.variance, leastVariance(independent, 0)) };
    if (found.variance > (ROUNDING * largest) ** 2) return found;
    const isSure = values.isPaired && cancelsChance(runs.map((own) => valuesAt(own, common)));
    if (isSure) return { ...found, variance: 0 };
    return { ...found, variance: leastOfEqualRuns(independent, moments.variance), isUnseen: true };
  }

  /** The number of levels of each input at which some point has a value. */
  const present = codes.map((own) => new Set(points.map((point) => own[point]!)).size);

  /**
   * The points from which the effect of one or two inputs (`own`) comes. If a point has no value, these are only the
   * points in complete blocks. All points of a block have the same values of the other inputs. A block is complete if
   * each combination of levels of `own` has a value. Levels at which no point has a value do not count.
   */
  function compared(own: readonly number[]): number[] {
    if (isWhole) return points;
    if (own.some((at) => present[at]! < 2)) return [];
    const size = own.reduce((product, at) => product * present[at]!, 1);
    const block = blockOf(own);
    const blocks = Map.groupBy(points, block);
    return points.filter((point) => blocks.get(block(point))!.length === size);
  }

  /** The number of the combination of all other inputs that a point has. */
  function blockOf(own: readonly number[]): (point: number) => number {
    const others = inputs.map((_, input) => input).filter((input) => !own.includes(input));
    return (point) => others.reduce((block, input) => block * levels[input]! + codes[input]![point]!, 0);
  }

  /** The variance of the error in the mean of a point. */
  const meanError = replicates && error ? ofMean(error) : (values.error ?? ofInteractions());
  const noise = meanError?.variance ?? 0;
  const isHidden = noise * (points.length - 1) > MOST_CHANCE * squares;

  function ofMean({ variance, freedom }: ErrorVariance): ErrorVariance {
    return { variance: variance / repeatsOf(points), freedom };
  }

  /** The harmonic mean of the numbers of replications of points. */
  function repeatsOf(own: readonly number[]): number {
    return own.length / own.reduce((sum, point) => sum + 1 / replicates![point]!.length, 0);
  }

  /** The error from the interactions that are not tested. */
  function ofInteractions(): ErrorVariance | undefined {
    if (!values.hasUnknownChance || inputs.length < 2) return undefined;
    const found = untested(inputs.length > 2);
    return found && { variance: found.squares / found.freedom, freedom: found.freedom };
  }

  /**
   * The sum of squares of the interactions of three and more inputs of a full design; without `hasPairs`, of two and more
   * inputs. Undefined if there are none, or if points have no value.
   */
  function untested(hasPairs: boolean): SumOfSquares | undefined {
    if (!design.isFull || !isWhole) return undefined;
    const tested = [...inputs.map((_, at) => [at]), ...(hasPairs ? pairsOf(inputs.length) : [])];
    const freedom = tested.reduce(
      (left, own) => left - own.reduce((product, at) => product * (levels[at]! - 1), 1),
      points.length - 1,
    );
    const rest = tested.reduce(
      (left, own) =>
        left - (own.length === 1 ? mainPart(own[0]!, points) : pairPart(own[0]!, own[1]!, points)),
      squares,
    );
    return freedom > 0 ? { squares: Math.max(0, rest), freedom } : undefined;
  }

  /**
   * A sum of squares without its error, as a share of the variance between all points without error, and its interval. If
   * some points have no value, the compared points may have a larger variance than all points; then it is a share of that
   * variance.
   */
  function shareOf(part: number, freedom: number, own: readonly number[]): [number, Interval?] {
    const scale = own.length / points.length;
    const ofAll = { squares: scale * squares, freedom: scale * (points.length - 1) };
    const ofOwn = { squares: momentsOf(own.map(y)).variance * (own.length - 1), freedom: own.length - 1 };
    const withoutError = (one: typeof ofAll): number => one.squares - noise * one.freedom;
    const all = withoutError(ofAll) > withoutError(ofOwn) ? ofAll : ofOwn;
    const rest = { squares: Math.max(0, all.squares - part), freedom: Math.max(0, all.freedom - freedom) };
    if (!meanError || noise === 0) return [Math.min(1, part / all.squares)];
    const found = varianceShare({ squares: part, freedom }, rest, meanError, confidence);
    return [Math.min(1, found.share), found.interval];
  }

  /**
   * The interval and the p-value of a weighted sum of points. The change of a share is from -1 to 1. Its error is that
   * of all points also with common random numbers, because the sums of a few replications are often equal by chance.
   */
  function certain(
    value: number,
    own: readonly number[],
    weights: readonly number[],
    level = confidence,
  ): Certainty | undefined {
    if (!Number.isFinite(value)) return undefined;
    if (!replicates || !error) {
      const inverse = weights.reduce((sum, weight) => sum + weight ** 2, 0);
      return meanError && certainty(value, meanError.variance * inverse, meanError.freedom, level);
    }
    const terms = own.map((point, at) => ({ weight: weights[at]!, replicates: replicates[point]! }));
    const isPaired = values.isPaired && !values.isShare;
    const found = certaintyOf(value, terms, level, { isPaired, error });
    if (!found?.interval || !values.isShare) return found;
    const [low, high] = found.interval;
    return { interval: [Math.max(-1, low), Math.min(1, high)], p: Math.max(found.p, leastP) };
  }

  /**
   * With common random numbers: the p-value of one or two inputs, by replication. In each replication, the numbers are the
   * means of levels, or those cells of the interaction from which all others follow.
   */
  function pByReplication(inputs: readonly number[], own: readonly number[]): number | undefined {
    const runs = own.map((point) => replicates![point]!);
    const common = commonReplications(runs);
    const table = runs.map((one) => valuesAt(one, common));
    /** In each replication, the mean of the points at these levels. */
    const meansAt = (at: readonly number[], where: readonly number[]): number[] => {
      const rows = table.filter((_, row) => at.every((input, i) => codes[input]![own[row]!] === where[i]));
      return common.map((_, column) => momentsOf(rows.map((row) => row[column]!)).mean);
    };
    const [ofA, ofB] = inputs.map((at) =>
      [...new Set(own.map((point) => codes[at]![point]!))].sort((a, b) => a - b),
    ) as [number[], number[] | undefined];
    const cells = ofB
      ? ofA.slice(1).flatMap((a) =>
          ofB.slice(1).map((b) => {
            const [both, onlyA, onlyB, neither] = [
              [a, b],
              [a, ofB[0]!],
              [ofA[0]!, b],
              [ofA[0]!, ofB[0]!],
            ].map((where) => meansAt(inputs, where)) as [number[], number[], number[], number[]];
            return both.map((value, at) => value - onlyA[at]! - onlyB[at]! + neither[at]!);
          }),
        )
      : ofA.map((level) => meansAt(inputs, [level]));
    const all = ofB ? [common.map(() => 0), ...cells] : cells;
    const steps = all.slice(1).map((_, at) => ({ from: ofB ? 0 : at, to: at + 1, length: 1 }));
    const replicatesOf = (cell: number): Replicate[] =>
      all[cell]!.map((value, at) => ({ replication: common[at]!, value }));
    return commonTest(steps, replicatesOf, values.isShare ?? false);
  }

  /** The p-value: the probability that chance alone gives at least this part of the sum of squares. */
  function pOf(
    at: readonly number[],
    sum: number,
    own: readonly number[],
    freedom: number,
  ): number | undefined {
    if (values.isPaired && replicates && error && !error.isUnseen) return pByReplication(at, own);
    const used = replicates && error ? error : meanError;
    if (!used) return undefined;
    // with common random numbers the error may be as small as the rounding errors of a sum that is 0
    const part = sum > ROUNDING ** 2 * own.reduce((all, point) => all + y(point) ** 2, 0) ? sum : 0;
    if (used.variance === 0) return Number(part <= ROUNDING * squares);
    const repeats = used === error ? repeatsOf(own) : 1;
    return Math.max(leastP, fisherTail((part * repeats) / freedom / used.variance, freedom, used.freedom));
  }

  /** The mean at each level of an input, minus the mean of all these points. */
  function deviations(input: number, own: readonly number[], mean: number): Float64Array {
    const sums = new Float64Array(levels[input]!);
    const counts = new Float64Array(levels[input]!);
    for (const point of own) {
      sums[codes[input]![point]!]! += y(point);
      counts[codes[input]![point]!]! += 1;
    }
    return sums.map((sum, level) => (counts[level]! > 0 ? sum / counts[level]! : NaN) - mean);
  }

  /** The sum of squares between the levels of an input. */
  function mainPart(at: number, own: readonly number[]): number {
    const alone = deviations(at, own, momentsOf(own.map(y)).mean);
    return own.reduce((sum, point) => sum + alone[codes[at]![point]!]! ** 2, 0);
  }

  /**
   * The two levels whose means an effect compares: the first and the last level. For values that are not numbers, and
   * if the output does not always rise or always fall, these are the levels with the lowest and the highest mean.
   */
  function endsOf(at: number, alone: Float64Array): { low: number; high: number; isChosen: boolean } {
    const known = [...alone.keys()].filter((level) => !Number.isNaN(alone[level]!));
    const sorted = known.toSorted((a, b) => alone[a]! - alone[b]!);
    const isOrdered = [sorted, sorted.toReversed()].some((one) => one.join() === known.join());
    if (design.values[at]!.areNumbers && (isOrdered || known.length < levels[at]!))
      return { low: 0, high: levels[at]! - 1, isChosen: false };
    return { low: sorted[0]!, high: sorted.at(-1)!, isChosen: true };
  }

  function mainEffect(input: string, at: number): InputIndices {
    const own = compared([at]);
    if (own.length === 0) return { input };
    const { mean } = momentsOf(own.map(y));
    const alone = deviations(at, own, mean);
    const { low, high, isChosen } = endsOf(at, alone);
    const countOf = (level: number): number => own.filter((point) => codes[at]![point] === level).length;
    const counts = { low: countOf(low), high: countOf(high) };
    const weights = own.map((point) => {
      const level = codes[at]![point]!;
      return level === high ? 1 / counts.high : level === low ? -1 / counts.low : 0;
    });
    const part = mainPart(at, own);
    const freedom = present[at]! - 1;
    const effect = exact(alone[high]! - alone[low]!);
    // the outputs choose two of the values, so the interval holds for each pair of values (Bonferroni)
    const choices = isChosen ? (present[at]! * freedom) / 2 : 1;
    const known = certain(effect, own, weights, 1 - (1 - confidence) / choices);
    const p = levels[at] === 2 ? known?.p : pOf([at], part, own, freedom);
    const aliases = design.aliases([at]);
    const names = design.values[at]!.names;
    const [first, firstInterval] = shareOf(part, freedom, own);
    const [total, totalInterval] = totalIndex(at, own);
    return {
      input,
      ...(!isHidden && { first, ...(firstInterval && { firstInterval }) }),
      // a total index includes all interactions of the input, and the error if it comes from interactions
      ...(design.isFull &&
        !isHidden &&
        !values.hasUnknownChance &&
        pairs.every(({ pair, found }) => found || !pair.includes(at)) && {
          total,
          ...(totalInterval && { totalInterval }),
        }),
      ...(Number.isFinite(effect) && { low: alone[low]! + mean, high: alone[high]! + mean, effect }),
      ...(isChosen && { lowAt: names[low]!, highAt: names[high]! }),
      ...(known?.interval && { effectInterval: known.interval }),
      ...(p !== undefined && { p }),
      ...(aliases.length > 0 && { aliases }),
    };
  }

  /** The variance that remains if all other inputs are known, as a share of the whole. */
  function totalIndex(at: number, own: readonly number[]): [number, Interval?] {
    const rest = new Map<number, { sum: number; count: number }>();
    const cellOf = blockOf([at]);
    for (const point of own) {
      const cell = rest.get(cellOf(point)) ?? { sum: 0, count: 0 };
      cell.sum += y(point);
      cell.count += 1;
      rest.set(cellOf(point), cell);
    }
    const within = own.reduce((sum, point) => {
      const cell = rest.get(cellOf(point))!;
      return sum + (y(point) - cell.sum / cell.count) ** 2;
    }, 0);
    return shareOf(within, own.length - rest.size, own);
  }

  /** The sum of squares of the interaction of two inputs. */
  function pairPart(a: number, b: number, own: readonly number[]): number {
    const { mean } = momentsOf(own.map(y));
    const [ofA, ofB] = [deviations(a, own, mean), deviations(b, own, mean)];
    const wide = levels[b]!;
    const sums = new Float64Array(levels[a]! * wide);
    const counts = new Float64Array(sums.length);
    for (const point of own) {
      const cell = codes[a]![point]! * wide + codes[b]![point]!;
      sums[cell]! += y(point);
      counts[cell]! += 1;
    }
    let part = 0;
    for (let cell = 0; cell < sums.length; cell += 1) {
      if (counts[cell] === 0) continue;
      const alone = ofA[Math.floor(cell / wide)]! + ofB[cell % wide]!;
      part += counts[cell]! * (sums[cell]! / counts[cell]! - mean - alone) ** 2;
    }
    return part;
  }

  function interaction([a, b]: [number, number]): PairIndices | undefined {
    const own = compared([a, b]);
    if (own.length === 0) return undefined;
    const part = pairPart(a, b, own);
    const freedom = (present[a]! - 1) * (present[b]! - 1);
    const aliases = design.aliases([a, b]);
    // the only interaction of two inputs is their error if each point has one run
    const isTested = (replicates && error) || values.error || inputs.length > 2;
    const [value, interval] = shareOf(part, freedom, own);
    return {
      inputs: [inputs[a]!, inputs[b]!],
      ...(!isHidden && { value, ...(interval && { interval }) }),
      ...(!isTested
        ? {}
        : levels[a] === 2 && levels[b] === 2
          ? ofTwoLevels(a, b, own)
          : withP(pOf([a, b], part, own, freedom))),
      ...(aliases.length > 0 && { aliases }),
    };
  }

  function ofTwoLevels(
    a: number,
    b: number,
    own: readonly number[],
  ): Pick<PairIndices, 'effect' | 'effectInterval' | 'p'> {
    const isEqual = (point: number): boolean => codes[a]![point] === codes[b]![point];
    const equal = own.filter(isEqual).length;
    const weights = own.map((point) => (isEqual(point) ? 1 / equal : -1 / (own.length - equal)));
    const effect = exact(own.reduce((sum, point, at) => sum + weights[at]! * y(point), 0));
    const known = certain(effect, own, weights);
    return {
      ...(Number.isFinite(effect) && { effect }),
      ...(known?.interval && { effectInterval: known.interval }),
      ...(known && { p: known.p }),
    };
  }

  const pairs = pairsOf(inputs.length).map((pair) => ({ pair, found: interaction(pair) }));
  const indices = inputs.map(mainEffect);
  const isKnown = inputs.map((_, at) => compared([at]).length > 0);
  const unknown = [
    ...inputs.filter((_, at) => !isKnown[at]),
    ...pairs
      .filter(({ pair, found }) => !found && pair.every((at) => isKnown[at]))
      .map(({ pair }) => pair.map((at) => inputs[at]!).join(' × ')),
  ];
  const warnings = [
    ...(replicates && error
      ? []
      : !meanError
        ? [
            'Without several values at a point there is no estimate of the error, so effects have neither intervals nor tests.',
          ]
        : values.error
          ? []
          : [
              `Each point has one value, so ${inputs.length > 2 ? 'interactions of three and more inputs count' : 'the interaction of both inputs counts'} as error in intervals and tests.`,
            ]),
    ...(isWhole
      ? []
      : [
          `${values.means.length - points.length} of ${values.means.length} points have no value, so the factorial is not balanced: the effect of an input comes only from those combinations of the other inputs for which every value of this input has a result. The same is true for interactions.`,
        ]),
    ...(unknown.length > 0 ? [`${unknown.join(', ')}: unknown, because there is no such combination.`] : []),
  ];
  const higher = isHidden || values.hasUnknownChance ? undefined : untested(true);
  const [higherOrder, higherOrderInterval] = higher ? shareOf(higher.squares, higher.freedom, points) : [];
  // nothing is known if no input has an effect that can be separated
  return {
    indices: isKnown.includes(true) ? indices : [],
    secondOrder: pairs.flatMap(({ found }) => found ?? []),
    ...(higherOrder !== undefined && { higherOrder }),
    ...(higherOrderInterval && { higherOrderInterval }),
    warnings,
  };
}

function withP(p: number | undefined): { p?: number } {
  return p === undefined ? {} : { p };
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
