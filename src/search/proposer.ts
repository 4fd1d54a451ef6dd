import { setImmediate as breath } from 'node:timers/promises';
import type { Ask, PointValue } from '../campaign/search/log.ts';
import { type Space, spaceOf } from '../campaign/search/space.ts';
import type { Search } from '../campaign/search/search.ts';
import type { BaseInput } from '../campaign/types.ts';
import { makers } from './methods/index.ts';
import type { Method } from './methods/method.ts';

/** What the proposals of a search depend on, beside its log. */
export interface ProposerSettings {
  search: Search;
  base: readonly BaseInput[];
  seed: number;
  isNoisy: boolean;
}

/** What is said of a point that was asked because the method recommended it at the end. */
export const RECOMMENDED = 'recommended';

/** A proposal of the method as canonical values. `gain`: the improvement that it expects; null where it has none. */
export interface ProposedPoint {
  values: string[];
  by: string;
  gain: number | null;
  isAllowed: boolean;
}

/**
 * A method that is kept in step with a log: it is told of asks in their order, and asked for the next one. All that it holds can be
 * made again from the log.
 */
export class Proposer {
  private told = 0;
  /** How many asks the method has proposed. */
  private proposed = 0;
  private readonly method: Method;
  private readonly space: Space;
  /** Every ask, with its number among those that the method has proposed. */
  private readonly noted: { x: number[]; number: number | null }[] = [];

  constructor({ search, base, seed, isNoisy }: ProposerSettings) {
    const space = spaceOf(search, base);
    this.space = space;
    this.method = makers[search.method]({
      dimensions: space.dimensions,
      isAllowed: (x) => space.isAllowed(space.valuesAt(x)),
      requirements: search.require.length,
      parallel: search.parallel,
      isNoisy,
      seed,
    });
  }

  /** Goes through a log as the method went through it when the log was written. Others get their turn after each ask. */
  async catchUp(asks: readonly Ask[]): Promise<void> {
    for (const ask of asks) {
      while (this.told < ask.seen) this.tell(asks[this.told]!.told!);
      // what it says now counts for nothing: the log has what it said
      this.method.ask();
      await breath();
      this.note(ask.values, ask.by !== RECOMMENDED);
    }
    while (this.told < asks.length && asks[this.told]!.told) this.tell(asks[this.told]!.told!);
  }

  /** Tells it of the next ask in their order. */
  tell({ value, variance, runs, excess }: PointValue): void {
    const { x, number } = this.noted[this.told]!;
    this.method.tell({ ask: number, x, value, variance, runs, excess });
    this.told += 1;
  }

  /** The next point; null when the method has to be told of more first. */
  next(): ProposedPoint | null | 'exhausted' {
    const proposal = this.method.ask();
    if (proposal === null || proposal === 'exhausted') return proposal;
    const values = this.space.valuesAt(proposal.x);
    this.note(values, true);
    const { by, gain = null } = proposal;
    return { values, by, gain, isAllowed: this.space.isAllowed(values) };
  }

  /** The values of the point that the method believes to be the best. */
  recommend(): string[] | null {
    const best = this.method.recommend();
    return best && this.space.valuesAt(best.x);
  }

  isAllowed(values: readonly string[]): boolean {
    return this.space.isAllowed(values);
  }

  /** Notes the next ask. */
  note(values: readonly string[], isProposed: boolean): void {
    this.noted.push({ x: this.space.coordinatesOf(values)!, number: isProposed ? this.proposed : null });
    if (isProposed) this.proposed += 1;
  }
}
