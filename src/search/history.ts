import type { Ask, PointValue } from '../campaign/search/log.ts';
import { isLower } from '../statistics/chance.ts';
import { isFeasible } from './point-value.ts';

/**
 * The asks of a search, which are the points that its method has proposed. The object also has the numbers for stopping
 * rules and races (`nextOfRace`). These numbers are updated with each ask, so that a long search stays fast.
 */
export class History {
  readonly asks: Ask[] = [];
  /** The number of asks whose values the method knows. These are always the first asks. */
  told = 0;
  /** How many of the last asks in a row gave no new point: they repeat a point, or are not run. */
  inVain = 0;
  /** How many different points were asked for, without the points that are not run. */
  points = 0;
  /** The number of runs of the points whose values were told. */
  #runsTold = 0;
  #pointsTold = 0;
  #hasValue = false;
  /**
   * For each n: the index of the best among the first n told asks; null if none of them is feasible and inside the
   * bounds.
   */
  readonly #best: (number | null)[] = [null];
  /** The first ask of each point, by its values. */
  readonly #first = new Map<string, number>();

  constructor(asks: readonly Ask[]) {
    for (const ask of asks) this.add({ ...ask, told: null }, ask.ordinal !== null);
    for (const { told } of asks) {
      if (!told) break;
      this.tell(told);
    }
  }

  /** @param isPoint - whether the point of the ask is run */
  add(ask: Ask, isPoint: boolean): void {
    const key = JSON.stringify(ask.values);
    const isNew = isPoint && !this.#first.has(key);
    this.inVain = isNew ? 0 : this.inVain + 1;
    if (isNew) this.points += 1;
    if (!this.#first.has(key)) this.#first.set(key, this.asks.length);
    this.asks.push(ask);
  }

  /** The first asks of the points that may be the best one. */
  candidates(): ToldAsk[] {
    return this.asks.filter((ask, at): ask is ToldAsk => mayBeBest(ask) && this.firstOf(ask.values) === at);
  }

  /** Sets the value of the next ask. Asks get their values in their order. */
  tell(told: PointValue): void {
    const at = this.told;
    const ask = this.asks[at]!;
    ask.told = told;
    this.told += 1;
    if (this.firstOf(ask.values) === at && told.runs > 0) {
      this.#runsTold += told.runs + (told.failed ?? 0);
      this.#pointsTold += 1;
    }
    if (told.value !== null) this.#hasValue = true;
    const best = this.#best[at]!;
    const isBetter =
      mayBeBest(ask) && (best === null || isLower(ask.told.value!, this.asks[best]!.told!.value!));
    this.#best.push(isBetter ? at : best);
  }

  /** The first ask of these values; undefined if there is none. */
  firstOf(values: readonly string[]): number | undefined {
    return this.#first.get(JSON.stringify(values));
  }

  /** The best feasible ask among the first `count` told asks; undefined if there is none. */
  bestOf(count = this.told): Ask | undefined {
    const at = this.#best[count] ?? null;
    return at === null ? undefined : this.asks[at];
  }

  /** How many asks were told after the best ask; 0 while there is no best ask. */
  get sinceBest(): number {
    const at = this.#best[this.told] ?? null;
    return at === null ? 0 : this.told - 1 - at;
  }

  /** Whether at least `least` asks were told, and none of them has a value. */
  hasOnlyFailures(least: number): boolean {
    return this.told >= least && !this.#hasValue;
  }

  /**
   * The approximate number of requested runs. A point counts with `replications` runs until its value was told, and
   * afterwards with the number of its runs at that time.
   */
  runs(replications: number): number {
    return this.#runsTold + (this.points - this.#pointsTold) * replications;
  }
}

type ToldAsk = Ask & { told: PointValue };

/** Whether the point of an ask may be the best one: it has a value, meets the requirements and is in bounds. */
function mayBeBest(ask: Ask): ask is ToldAsk {
  return ask.told !== null && ask.told.value !== null && !ask.isOutside && isFeasible(ask.told);
}
