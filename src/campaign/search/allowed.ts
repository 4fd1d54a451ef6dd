import { Stream } from '../sampling/stream.ts';
import type { Dimension } from './dimension.ts';

/** A region of the unit box. */
export interface Region {
  dimensions: readonly Dimension[];
  isAllowed: (x: readonly number[]) => boolean;
  /** How far a point is from the region; 0 within it. */
  lackOf: (x: readonly number[]) => number;
  /** All allowed points, if the box has few enough points to list; undefined otherwise. */
  list: () => readonly (readonly number[])[] | undefined;
}

/** The first points of a region. */
interface Found {
  points: number[][];
  tried: number;
  isNarrow: boolean;
}

/** The number of points that are drawn from the whole box. */
const DRAWS = 2_000;
/** The most points that are looked at until some are found. */
const MOST_TRIED = 22_000;
/** With fewer allowed draws, the region is narrow, and points are found by walks through it. */
const LEAST_DRAWN = 40;
/** The number of points that descents look for in a narrow region. */
const WANTED = 8;
/** A descent begins at the best of this number of draws. */
const STARTS = 20;
/** The step of a descent, as a share of the box: it grows after a better point, and shrinks after another one. */
const STEP = { first: 0.3, least: 1e-9, most: 0.5, growth: 1.5, shrinkage: 0.9 };
/** The least share of the coordinates that a step of a descent changes. */
const LEAST_CHANGED = 0.3;
/** The number of points that walks begin with. */
const POOL = 64;
/** The most questions for one step of a walk. */
const MOST_SHRINKS = 40;

/**
 * Points of a region that may be a tiny part of the box. It is a function of the region and the seed, and the work of
 * each method has a bound. So a log of proposals that were made with it can be repeated.
 *
 * First points: draws from the box; then a list of all points, if there are few; then descents on how far a point is from
 * the region (an evolution strategy with the 1/5 rule). Further points: hit-and-run with shrinking chords (R. L. Smith,
 * "Efficient Monte Carlo procedures for generating points uniformly distributed over bounded regions", Operations
 * Research 32 (1984) 1296-1308), also along the differences of known points, which follow a thin region.
 */
export class AllowedPoints {
  readonly #region: Region;
  readonly #seed: number;
  #found: Found | undefined;
  #pool: number[][] | undefined;

  constructor(region: Region, seed: number) {
    this.#region = region;
    this.#seed = seed;
  }

  /** Whether draws from the box rarely hit the region. */
  get isNarrow(): boolean {
    return this.#first().isNarrow;
  }

  /** The number of points that were looked at until the first ones were found. */
  get tried(): number {
    return this.#first().tried;
  }

  get isEmpty(): boolean {
    return this.#first().points.length === 0;
  }

  /** Up to 64 points that are spread over the region; none if none was found. */
  pool(): readonly (readonly number[])[] {
    return this.#pool ?? toTheEnd(this.findPool());
  }

  /** Like {@link pool}. It yields after each question, so that a caller can let other work go on. */
  *findPool(): Generator<undefined, readonly (readonly number[])[]> {
    this.#found ??= yield* this.#find();
    return (this.#pool ??= yield* this.#spread(this.#found));
  }

  /** All points of the region, if the box has few enough points to list; undefined otherwise. */
  list(): readonly (readonly number[])[] | undefined {
    return this.#region.list();
  }

  /**
   * A walk through the region.
   *
   * @param from - a point of the region
   * @param reach - the longest step, as a share of the way to the edge of the box
   */
  walk(from: readonly number[], steps: number, stream: Stream, reach = 1): number[] {
    const pool = this.pool();
    let x = [...from];
    for (let step = 0; step < steps; step += 1) x = this.#step(x, pool, stream, reach);
    return x;
  }

  /** Points of walks from all over the region; none if the region has no known point. */
  draws(count: number, steps: number, stream: Stream): number[][] {
    const pool = this.pool();
    if (pool.length === 0) return [];
    let x: readonly number[] = pool[0]!;
    return Array.from({ length: count }, (_, at) => {
      // several points of one walk, then the next walk
      if (at % Math.ceil(count / pool.length) === 0) x = pool[stream.below(pool.length)]!;
      const next = this.walk(x, steps, stream);
      x = next;
      return next;
    });
  }

  #first(): Found {
    return (this.#found ??= toTheEnd(this.#find()));
  }

  *#find(): Generator<undefined, Found> {
    const { dimensions, isAllowed } = this.#region;
    const stream = new Stream(this.#seed, 'allowed points');
    const points: number[][] = [];
    for (let tried = 1; tried <= DRAWS; tried += 1) {
      const x = dimensions.map(() => stream.uniform());
      if (isAllowed(x)) points.push(x);
      if (points.length === LEAST_DRAWN) return { points, tried, isNarrow: false };
      yield undefined;
    }
    const list = this.#region.list();
    if (list) return { points: someOf(list), tried: DRAWS + list.length, isNarrow: true };
    let tried = DRAWS;
    while (points.length < WANTED && tried < MOST_TRIED)
      tried += yield* this.#descend(stream, MOST_TRIED - tried, points);
    return { points, tried, isNarrow: true };
  }

  /** One descent. Its end goes to `found` if it is allowed. @returns the number of questions, from 1 to `most` */
  *#descend(stream: Stream, most: number, found: number[][]): Generator<undefined, number> {
    const { dimensions, lackOf } = this.#region;
    let asked = 0;
    let [x, lack]: [number[], number] = [[], Infinity];
    while (asked < Math.min(STARTS, most)) {
      const drawn = dimensions.map(() => stream.uniform());
      const lackOfDrawn = lackOf(drawn);
      asked += 1;
      yield undefined;
      if (lackOfDrawn < lack || x.length === 0) [x, lack] = [drawn, lackOfDrawn];
    }
    let size = STEP.first;
    const chance = Math.max(LEAST_CHANGED, 1 / dimensions.length);
    while (lack > 0 && size > STEP.least && asked < most) {
      const moved = x.map((value, at) => {
        if (stream.uniform() >= chance) return value;
        if (dimensions[at]!.kind === 'choice') return stream.uniform();
        return Math.min(1, Math.max(0, value + size * stream.normal()));
      });
      const lackOfMoved = lackOf(moved);
      asked += 1;
      yield undefined;
      if (lackOfMoved < lack) {
        [x, lack] = [moved, lackOfMoved];
        size = Math.min(STEP.most, size * STEP.growth);
      } else size *= STEP.shrinkage;
    }
    if (lack === 0) found.push(x);
    return asked;
  }

  *#spread({ points }: Found): Generator<undefined, number[][]> {
    const pool = points.slice(0, POOL);
    if (pool.length === 0) return [];
    const stream = new Stream(this.#seed, 'spread points');
    const steps = 2 * this.#region.dimensions.length;
    // few points have few directions, so the first walks are longer
    while (pool.length < POOL) {
      let x = pool[stream.below(pool.length)]!;
      const length = pool.length < 2 * WANTED ? 4 * steps : steps;
      for (let step = 0; step < length; step += 1) {
        x = this.#step(x, pool, stream, 1);
        yield undefined;
      }
      pool.push(x);
    }
    // the found points lie where descents end, so each of them moves on
    for (const [at, from] of points.slice(0, POOL).entries()) {
      let x: number[] = from;
      for (let step = 0; step < steps; step += 1) {
        x = this.#step(x, pool, stream, 1);
        yield undefined;
      }
      pool[at] = x;
    }
    return pool;
  }

  /** One step of a walk: to a random allowed point of a line through the point. It stays if it finds none. */
  #step(x: number[], pool: readonly (readonly number[])[], stream: Stream, reach: number): number[] {
    const { dimensions, isAllowed } = this.#region;
    const way = this.#direction(pool, stream);
    let [low, high] = [-Infinity, Infinity];
    for (const [at, by] of way.entries()) {
      if (by === 0) continue;
      const ends = [-x[at]! / by, (1 - x[at]!) / by];
      low = Math.max(low, Math.min(...ends));
      high = Math.min(high, Math.max(...ends));
    }
    // two points of the pool may be the same
    if (!(low < high) || low === -Infinity) return x;
    [low, high] = [low * reach, high * reach];
    for (let tries = 0; tries < MOST_SHRINKS; tries += 1) {
      const to = low + stream.uniform() * (high - low);
      const next = x.map((value, at) =>
        way[at] === 0 || dimensions[at]!.kind !== 'choice'
          ? Math.min(1, Math.max(0, value + to * way[at]!))
          : stream.uniform(),
      );
      if (isAllowed(next)) return next;
      if (to < 0) low = to;
      else high = to;
    }
    return x;
  }

  /** The direction of a coordinate, a random one, or the difference of two points of the pool. */
  #direction(pool: readonly (readonly number[])[], stream: Stream): number[] {
    const { dimensions } = this.#region;
    const kind = stream.uniform();
    if (kind < 0.4 || pool.length < 4) {
      const only = stream.below(dimensions.length);
      return dimensions.map((_, at) => Number(at === only));
    }
    if (kind < 0.6) return dimensions.map(() => stream.normal());
    const [one, other] = [pool[stream.below(pool.length)]!, pool[stream.below(pool.length)]!];
    return one.map((value, at) => value - other[at]!);
  }
}

/** Up to `POOL` points of a list, spread evenly over it. */
function someOf(list: readonly (readonly number[])[]): number[][] {
  const count = Math.min(POOL, list.length);
  return Array.from({ length: count }, (_, at) => [...list[Math.floor((at * list.length) / count)]!]);
}

function toTheEnd<T>(computation: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}
