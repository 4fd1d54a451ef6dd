import { ROUNDING } from '../statistics/sample.ts';
import type { Found, InputIndices, PairIndices } from './analysis.ts';
import { FactorialError } from './factorial-error.ts';
import { FactorialTable, type LevelPoints } from './factorial-table.ts';
import { areEqual } from './moments.ts';
import type { PointValues } from './point-values.ts';
import { pairsOf } from './sobol-indices.ts';
import { partHas } from '../text/part-of.ts';

/**
 * Main effects and interactions of two inputs, as shares of the variance between the points (analysis of variance): D.
 * C. Montgomery, "Design and Analysis of Experiments", 8th edition, Wiley 2013, sections 5.3, 6.2 and 8.2. In a full
 * design without chance, total indices are exact for its points. The tests of significance take their error from the
 * variance of replications. If each point of a full design has one run and chance is possible, they take it from the
 * interactions of three and more inputs (section 6.5), or of both inputs if there are two. With an error, shares are
 * without the part that it adds to each sum of squares, and they have intervals (`varianceShare`). They are left out if
 * nearly all variance is error.
 *
 * If points of a full design have no value, each effect comes from the largest part of the design that is still
 * balanced for it (`comparedFor`). So the effects of other inputs cannot pass for an effect of this input, whatever the
 * function is. A fraction without some of its points has no such parts: its effects cannot be separated.
 */
export function factorialIndices(design: LevelPoints, values: PointValues, confidence: number): Found {
  const table = new FactorialTable(design, values.means);
  if (areEqual(table.momentsOf(table.points))) return { indices: [], warnings: [] };
  return new FactorialAnalysis(design, table, values, confidence).found();
}

class FactorialAnalysis {
  readonly #design: LevelPoints;
  readonly #table: FactorialTable;
  readonly #values: PointValues;
  readonly #confidence: number;
  readonly #error: FactorialError;

  constructor(design: LevelPoints, table: FactorialTable, values: PointValues, confidence: number) {
    this.#design = design;
    this.#table = table;
    this.#values = values;
    this.#confidence = confidence;
    this.#error = new FactorialError(table, values, confidence);
  }

  found(): Found {
    const { inputs } = this.#design;
    const pairs = pairsOf(inputs.length).map((pair) => ({ pair, found: this.#interaction(pair) }));
    // a total index includes all interactions of the input, so they must be known, and not be taken for error
    const hasTotal = (input: number): boolean =>
      this.#design.isFull &&
      !this.#error.hidesShares &&
      !this.#values.hasUnknownChance &&
      pairs.every(({ pair, found }) => found || !pair.includes(input));
    const isKnown = inputs.map((_, input) => this.#table.comparedFor([input]).length > 0);
    const unknown = [
      ...inputs.filter((_, input) => !isKnown[input]),
      ...pairs
        .filter(({ pair, found }) => !found && pair.every((input) => isKnown[input]))
        .map(({ pair }) => pair.map((input) => inputs[input]!).join(' × ')),
    ];
    // nothing is known if no input has an effect that can be separated
    const indices = isKnown.includes(true)
      ? inputs.map((_, input) => this.#mainEffect(input, hasTotal(input)))
      : [];
    return {
      indices,
      secondOrder: pairs.flatMap(({ found }) => found ?? []),
      ...this.#higherOrder(),
      warnings: this.#warnings(unknown),
    };
  }

  #mainEffect(at: number, hasTotal: boolean): InputIndices {
    const input = this.#design.inputs[at]!;
    const own = this.#table.comparedFor([at]);
    if (own.length === 0) return { input };
    const alone = this.#table.deviations(at, own);
    const { low, high, isChosen } = this.#endsOf(at, alone);
    const weights = this.#weightsOf(at, low, high, own);
    const partIn = (table: FactorialTable) => table.part([at], own);
    const part = partIn(this.#table);
    const effect = this.#withoutRounding(alone[high]! - alone[low]!);
    // the outputs choose two of the values, so the interval holds for each pair of values (Bonferroni)
    const choices = isChosen ? (this.#table.present[at]! * part.freedom) / 2 : 1;
    const known = this.#error.certaintyOf(effect, own, weights, 1 - (1 - this.#confidence) / choices);
    const p = this.#design.levels[at] === 2 ? known?.p : this.#error.pOf(partIn, own);
    const aliases = this.#design.aliases([at]);
    const { names } = this.#design.values[at]!;
    const { mean } = this.#table.momentsOf(own);
    const [first, firstInterval] = this.#error.shareOf(partIn, own, p);
    const [total, totalInterval] = this.#error.shareOf((table) => table.within(at, own), own);
    return {
      input,
      ...(!this.#error.hidesShares && { first, ...(firstInterval && { firstInterval }) }),
      ...(hasTotal && { total, ...(totalInterval && { totalInterval }) }),
      ...(Number.isFinite(effect) && { low: alone[low]! + mean, high: alone[high]! + mean, effect }),
      ...(isChosen && { lowAt: names[low]!, highAt: names[high]! }),
      ...(known?.interval && { effectInterval: known.interval }),
      ...(p !== undefined && { p }),
      ...(aliases.length > 0 && { aliases }),
    };
  }

  /** The weights of points in the mean at the level `high` minus the mean at the level `low`. */
  #weightsOf(at: number, low: number, high: number, own: readonly number[]): number[] {
    const countOf = (level: number): number =>
      own.filter((point) => this.#table.level(at, point) === level).length;
    const counts = { low: countOf(low), high: countOf(high) };
    return own.map((point) => {
      const level = this.#table.level(at, point);
      return level === high ? 1 / counts.high : level === low ? -1 / counts.low : 0;
    });
  }

  /**
   * The two levels whose means an effect compares: the first and the last level. For values that are not numbers, and
   * if the output does not always rise or always fall, these are the levels with the lowest and the highest mean, which
   * the output has chosen (`isChosen`).
   */
  #endsOf(at: number, alone: Float64Array): { low: number; high: number; isChosen: boolean } {
    const { length } = alone;
    const known = [...alone.keys()].filter((level) => !Number.isNaN(alone[level]!));
    const sorted = known.toSorted((a, b) => alone[a]! - alone[b]!);
    const isOrdered = [sorted, sorted.toReversed()].some((one) => one.join() === known.join());
    if (this.#design.values[at]!.areNumbers && (isOrdered || known.length < length))
      return { low: 0, high: length - 1, isChosen: false };
    return { low: sorted[0]!, high: sorted.at(-1)!, isChosen: true };
  }

  #interaction([a, b]: [number, number]): PairIndices | undefined {
    const { inputs, levels } = this.#design;
    const own = this.#table.comparedFor([a, b]);
    if (own.length === 0) return undefined;
    const partIn = (table: FactorialTable) => table.part([a, b], own);
    const aliases = this.#design.aliases([a, b]);
    // the only interaction of two inputs is their error if each point has one run
    const { source } = this.#error;
    const isTested = source === 'replications' || source === 'measured' || inputs.length > 2;
    const test = !isTested
      ? {}
      : levels[a] === 2 && levels[b] === 2
        ? this.#testOfTwoLevels(a, b, own)
        : withP(this.#error.pOf(partIn, own));
    const [value, interval] = this.#error.shareOf(partIn, own, test.p);
    return {
      inputs: [inputs[a]!, inputs[b]!],
      ...(!this.#error.hidesShares && { value, ...(interval && { interval }) }),
      ...test,
      ...(aliases.length > 0 && { aliases }),
    };
  }

  #testOfTwoLevels(
    a: number,
    b: number,
    own: readonly number[],
  ): Pick<PairIndices, 'effect' | 'effectInterval' | 'p'> {
    const isEqual = (point: number): boolean => this.#table.level(a, point) === this.#table.level(b, point);
    const equal = own.filter(isEqual).length;
    const weights = own.map((point) => (isEqual(point) ? 1 / equal : -1 / (own.length - equal)));
    const sum = own.reduce((all, point, at) => all + weights[at]! * this.#table.at(point), 0);
    const effect = this.#withoutRounding(sum);
    const known = this.#error.certaintyOf(effect, own, weights);
    return {
      ...(Number.isFinite(effect) && { effect }),
      ...(known?.interval && { effectInterval: known.interval }),
      ...(known && { p: known.p }),
    };
  }

  /** Equal means have an effect of 0 only apart from rounding. */
  #withoutRounding(effect: number): number {
    return Math.abs(effect) <= ROUNDING * this.#table.largest ? 0 : effect;
  }

  #higherOrder(): Pick<Found, 'higherOrder' | 'higherOrderInterval'> {
    if (this.#error.hidesShares || this.#values.hasUnknownChance) return {};
    if (!this.#table.untested(true)) return {};
    const [higherOrder, higherOrderInterval] = this.#error.shareOf(
      (table) => table.untested(true)!,
      this.#table.points,
    );
    return { higherOrder, ...(higherOrderInterval && { higherOrderInterval }) };
  }

  /** @param unknown - the names of effects that cannot be separated from others */
  #warnings(unknown: readonly string[]): string[] {
    const warnings: string[] = [];
    if (this.#error.source === undefined)
      warnings.push(
        'Without several values at a point there is no estimate of the error, so effects have neither intervals nor tests.',
      );
    if (this.#error.source === 'interactions') {
      const what =
        this.#design.inputs.length > 2
          ? 'interactions of three and more inputs count'
          : 'the interaction of both inputs counts';
      warnings.push(`Each point has one value, so ${what} as error in intervals and tests.`);
    }
    const all = this.#values.means.length;
    if (!this.#table.isWhole)
      warnings.push(
        `${partHas(all - this.#table.points.length, all, 'points')} no value, so the factorial is not balanced: the effect of an input comes only from those combinations of the other inputs for which every value of this input has a result. The same is true for interactions.`,
      );
    if (unknown.length > 0)
      warnings.push(`${unknown.join(', ')}: unknown, because there is no such combination.`);
    return warnings;
  }
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
