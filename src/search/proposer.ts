import { setImmediate as breath } from 'node:timers/promises';
import type { Ask, KnownPoint, PointValue } from '../campaign/search/log.ts';
import type { AllowedPoints } from '../campaign/search/allowed.ts';
import { type Space, spaceOf } from '../campaign/search/space.ts';
import type { Search } from '../campaign/search/search.ts';
import type { BaseInput } from '../campaign/designs/input-types.ts';
import type { Goal } from '../campaign/types.ts';
import { makers } from './methods/index.ts';
import type { Method } from './methods/method.ts';
import { Stream } from '../campaign/sampling/stream.ts';
import { Optimiser } from './outside/optimiser.ts';

/** The settings on which the proposals of a search depend, besides its log. */
export interface ProposerSettings {
  id: string;
  search: Search;
  goal: Goal;
  base: readonly BaseInput[];
  seed: number;
  isNoisy: boolean;
  /** The first ask of this method. For the method, earlier asks are points that it did not propose. */
  from: number;
  /** Points that the method is told before its first ask. */
  known: readonly KnownPoint[];
}

/** `by` of the first point in a search that begins with the points of another campaign. */
export const KNOWN = 'best known point';
/** `by` of a point that the method has recommended at the end. */
export const RECOMMENDED = 'recommended';

/** `by` of a point that no method proposed: the method only repeated points, or had none. */
const LEFT = 'what the method left out';
/** In a space with too many points to list, this many allowed points are drawn to find a new one. */
const LEFT_TRIES = 64;

/** A proposal of the method as canonical values. `gain`: the improvement that the method expects; null if unknown. */
export interface ProposedPoint {
  values: string[];
  by: string;
  gain: number | null;
  isAllowed: boolean;
}

/**
 * Connects a method with a log: tells the method the values of asks in their order, and asks the method for the next
 * point. The state of the method can be rebuilt from the log.
 */
export class Proposer {
  #told = 0;
  /** How many asks the method has proposed. */
  #proposed = 0;
  readonly #method: Method | Optimiser;
  readonly #space: Space;
  readonly #from: number;
  readonly #seed: number;
  /** A source of allowed points; undefined if all points are allowed. */
  readonly #allowed: AllowedPoints | undefined;
  /** The index of the first listed point that may not have been asked for. */
  #firstLeft = 0;
  /**
   * Every ask. `x` is undefined outside the bounds. `number` is the number of the proposal; null for a point that the
   * method did not propose.
   */
  readonly #noted: { x: number[] | undefined; number: number | null }[] = [];

  constructor({ id, search, from, goal, base, seed, isNoisy, known }: ProposerSettings) {
    const space = spaceOf(search, base);
    const { method, require, parallel, where, derive } = search;
    this.#space = space;
    this.#seed = seed;
    this.#allowed = where === null && !derive ? undefined : space.allowed(seed);
    this.#from = from;
    this.#method =
      typeof method === 'object'
        ? new Optimiser({ id, method, search, goal, space, seed })
        : makers[method]({
            dimensions: space.dimensions,
            isAllowed: (x) => space.isAllowed(space.valuesAt(x)),
            lackOf: (x) => space.lackOf(space.valuesAt(x)),
            ...(this.#allowed && { allowed: this.#allowed }),
            requirements: require.length,
            parallel,
            isNoisy,
            seed,
          });
    for (const { values, told } of known) {
      const { value, variance, runs, excess } = told;
      const x = space.coordinatesOf(values);
      if (x) this.#method.tell({ ask: null, x, value, variance, runs, excess });
    }
  }

  /** Whether the next proposal is already known: an outside optimiser gives several proposals at a time. */
  get hasMore(): boolean {
    return 'hasMore' in this.#method && this.#method.hasMore;
  }

  /** How many points the method must be told before its next proposal; 0 if the method does not say. */
  get lacks(): number {
    return 'lacks' in this.#method ? (this.#method.lacks ?? 0) : 0;
  }

  /** Repeats the asks and told values of a log. Other work gets a turn after each ask. */
  async catchUp(asks: readonly Ask[]): Promise<void> {
    for (const [at, ask] of asks.entries()) {
      while (this.#told < ask.seen) this.tell(asks[this.#told]!.told!);
      const isProposed = at >= this.#from && ![RECOMMENDED, KNOWN, LEFT].includes(ask.by);
      // only the state of the method needs this ask: the log already has the answer. An outside optimiser is told the
      // points of the log when they are noted.
      if (isProposed && !('named' in this.#method)) this.#method.ask();
      await breath();
      this.note(ask.values, isProposed);
    }
    while (this.#told < asks.length && asks[this.#told]!.told) this.tell(asks[this.#told]!.told!);
  }

  /** Tells the method the value of the next ask, unless the point lies outside the bounds. */
  tell({ value, variance, runs, excess }: PointValue): void {
    const { x, number } = this.#noted[this.#told]!;
    if (x) this.#method.tell({ ask: number, x, value, variance, runs, excess });
    this.#told += 1;
  }

  /** The next point, which the caller notes if it asks for it; null if the method needs more values first. */
  async next(): Promise<ProposedPoint | null | 'exhausted'> {
    const proposal = await this.#method.ask();
    if (proposal === null || proposal === 'exhausted') return proposal;
    const values = this.#space.valuesAt(proposal.x);
    const { by, gain = null } = proposal;
    return { values, by, gain, isAllowed: this.#space.isAllowed(values) };
  }

  /**
   * A point that was not asked for; undefined if there is none, or if none was found in a space with too many points to
   * list. It depends only on the seed and the asks.
   */
  left(isNew: (values: readonly string[]) => boolean): ProposedPoint | undefined {
    const space = this.#space;
    const allowed = this.#allowed;
    const point = (values: string[]): ProposedPoint => ({ values, by: LEFT, gain: null, isAllowed: true });
    const list = space.list();
    for (; list && this.#firstLeft < list.length; this.#firstLeft += 1) {
      const values = space.valuesAt(list[this.#firstLeft]!);
      if (isNew(values)) return point(values);
    }
    if (list || !allowed) return undefined;
    const stream = new Stream(this.#seed, `left at ask ${this.#noted.length}`);
    const drawn = allowed.draws(LEFT_TRIES, 2 * space.dimensions.length, stream);
    const found = drawn.map((x) => space.valuesAt(x)).find(isNew);
    return found && point(found);
  }

  /** Whether all points were asked for. Unknown, and therefore false, in a space with too many points to list. */
  isAll(isNew: (values: readonly string[]) => boolean): boolean {
    return this.#space.list() !== undefined && this.left(isNew) === undefined;
  }

  /** The values of the point that the method believes to be the best. */
  async recommend(): Promise<string[] | null> {
    const best = await this.#method.recommend();
    return best && this.#space.valuesAt(best.x);
  }

  /** Moves the values of a point onto steps and levels; undefined for a point outside the bounds. */
  moved(values: readonly string[]): string[] | undefined {
    const x = this.#space.coordinatesOf(values);
    return x && this.#space.valuesAt(x);
  }

  isAllowed(values: readonly string[]): boolean {
    return this.#space.isAllowed(values);
  }

  /** Notes the next ask. */
  note(values: readonly string[], isProposed: boolean): void {
    const x = this.#space.coordinatesOf(values);
    this.#noted.push({ x, number: isProposed ? this.#proposed : null });
    if (!isProposed) return;
    this.#proposed += 1;
    if (x && 'named' in this.#method) this.#method.named(x);
  }

  /** Ends the process of an outside optimiser. */
  close(): void {
    if ('close' in this.#method) this.#method.close();
  }
}
