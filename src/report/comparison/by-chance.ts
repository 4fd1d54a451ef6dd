import type { Measure } from '../../campaign/measures.ts';
import { Stream } from '../../campaign/sampling/stream.ts';
import { spreadOf } from '../../statistics/chance.ts';
import { differenceApart, differenceInPairs, differs, pairsOf, present } from './differences.ts';

/**
 * How often the values of each of the first points are drawn again. Those of a later point are drawn once, because the sum
 * over many points is precise enough then.
 */
const TIMES = 20;
const FIRST_POINTS = 100;

type Values = readonly number[];

/**
 * How likely the interval of a difference excludes 0 at a point where the two campaigns do not differ. An interval of a
 * mean of normal values does so as often as its confidence says. The intervals of shares, of quantiles and of rare values
 * are wider, so both campaigns are drawn again from the values of both together, and their interval is computed again (a
 * bootstrap: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979) 1-26). What is
 * drawn varies more than the values themselves, so it is drawn once more, which shows the bias (chapter 10.6 of B. Efron
 * and R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall 1993).
 */
export class ByChance {
  readonly #confidence: number;
  readonly #stream = new Stream(1, 'differences by chance');
  /** How many points of each measure were estimated. */
  readonly #points = new Map<Measure, number>();

  /** @param confidence - of the intervals */
  constructor(confidence: number) {
    this.#confidence = confidence;
  }

  /**
   * The estimate of this probability at a point. It may be below 0, because only the sum over points tells something.
   *
   * @param a - the values by replication; NaN for a replication without a value. The same holds for `b`
   * @param isPaired - whether replication n of both is compared
   */
  of(measure: Measure, a: Values, b: Values, isPaired: boolean): number {
    const confidence = this.#confidence;
    const given = isPaired ? pairsOf(a, b) : ([present(a), present(b)] as const);
    const compared = isPaired ? [given[0].map((value, at) => given[1][at]! - value)] : given;
    const isRare = compared.some((values) => spreadOf(values).majority !== null);
    if (measure.statistic === 'mean' && !isRare) return 1 - confidence;
    const difference = isPaired ? differenceInPairs : differenceApart;
    const draw = isPaired ? this.#drawPairs : this.#drawApart;
    const excludes = (drawn: readonly [Values, Values]): number =>
      differs(difference(measure, ...drawn, confidence)) === true ? 1 : 0;
    const pointsBefore = this.#points.get(measure) ?? 0;
    this.#points.set(measure, pointsBefore + 1);
    const times = pointsBefore < FIRST_POINTS ? TIMES : 1;
    let sum = 0;
    for (let time = 0; time < times; time += 1) {
      const drawn = draw(...given);
      sum += 2 * excludes(drawn) - excludes(draw(...drawn));
    }
    return sum / times;
  }

  /** Draws pairs. Which of the two values belongs to A is also drawn. */
  readonly #drawPairs = (a: Values, b: Values): [Values, Values] => {
    const drawn: [number[], number[]] = [[], []];
    for (let n = 0; n < a.length; n += 1) {
      const at = this.#stream.below(a.length);
      const isSwapped = this.#stream.uniform() < 0.5;
      drawn[0].push(isSwapped ? b[at]! : a[at]!);
      drawn[1].push(isSwapped ? a[at]! : b[at]!);
    }
    return drawn;
  };

  /** Draws both from the values of both together. */
  readonly #drawApart = (a: Values, b: Values): [Values, Values] => {
    const all = [...a, ...b];
    const draw = (): number => all[this.#stream.below(all.length)]!;
    return [a.map(draw), b.map(draw)];
  };
}
