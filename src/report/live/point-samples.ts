import { type Counts, type Majority, MOST_DIFFERENT } from '../../statistics/chance.ts';
import { OutputSample } from '../summary/points.ts';

/** The number of points, and of different values, for which the first arrays have room. */
const FIRST_ROOM = 1_024;
/** The number of numbers of a sample. */
const NUMBERS = 5;

/**
 * The samples of an output at very many points, in typed arrays. Values come in any order. A point needs 44 bytes, and 16
 * bytes for each different value. A point with too many different values needs no bytes for values.
 */
export class PointSamples {
  #numbers = new Float64Array(NUMBERS * FIRST_ROOM);
  readonly #counts = new PointCounts();
  /** This sample becomes the sample of one point after the other. */
  readonly #sample = new SampleOfArrays(this.#counts);

  /** @param ordinal - the ordinal of the point */
  add(ordinal: number, value: number): void {
    if (NUMBERS * ordinal >= this.#numbers.length)
      this.#numbers = enlarged(this.#numbers, new Float64Array(NUMBERS * roomFor(ordinal)));
    this.#counts.ordinal = ordinal;
    this.#sample.read(this.#numbers, NUMBERS * ordinal);
    this.#sample.add(value);
    this.#sample.write(this.#numbers, NUMBERS * ordinal);
  }

  /** The sample of a point. It does not know the least and the greatest value, and takes no more values. */
  at(ordinal: number): OutputSample {
    let majority: Majority | null = null;
    const sample = new SampleOfArrays({ add: () => undefined, majorityOf: () => majority });
    if (NUMBERS * ordinal < this.#numbers.length) sample.read(this.#numbers, NUMBERS * ordinal);
    this.#counts.ordinal = ordinal;
    majority = this.#counts.majorityOf(sample.count);
    return sample;
  }
}

/** A sample whose numbers come from an array. */
class SampleOfArrays extends OutputSample {
  constructor(counts: Counts) {
    super();
    this.counts = counts;
  }

  read(numbers: Float64Array, at: number): void {
    this.count = numbers[at]!;
    this.average = numbers[at + 1]!;
    this.squares = numbers[at + 2]!;
    this.whole = numbers[at + 3]!;
    this.cubes = numbers[at + 4]!;
  }

  write(numbers: Float64Array, at: number): void {
    numbers[at] = this.count;
    numbers[at + 1] = this.average;
    numbers[at + 2] = this.squares;
    numbers[at + 3] = this.whole;
    numbers[at + 4] = this.cubes;
  }
}

/** The first place of a point without values. */
const NONE = 0;
/** The first place of a point with too many different values. */
const TOO_MANY = -1;

/** Counts how often each different value of a point comes, like `ValueCounts`. The values of a point form a list of places. */
class PointCounts implements Counts {
  /** The point whose values are counted. */
  ordinal = 0;
  /** The first place of each point. */
  #first = new Int32Array(FIRST_ROOM);
  #values = new Float64Array(FIRST_ROOM);
  /** How often each value came. */
  #times = new Uint32Array(FIRST_ROOM);
  /** The next place of the same point, or of the free places. */
  #next = new Int32Array(FIRST_ROOM);
  /** The first place that was never used. */
  #unused = NONE + 1;
  /** The first of the places that a point has given back. */
  #free = NONE;

  add(value: number): void {
    if (this.ordinal >= this.#first.length)
      this.#first = enlarged(this.#first, new Int32Array(roomFor(this.ordinal)));
    const first = this.#first[this.ordinal]!;
    if (first === TOO_MANY) return;
    let different = 0;
    let last = NONE;
    for (let place = first; place !== NONE; place = this.#next[place]!) {
      if (this.#values[place] === value) {
        this.#times[place]! += 1;
        return;
      }
      different += 1;
      last = place;
    }
    if (different < MOST_DIFFERENT) this.#first[this.ordinal] = this.#placeFor(value, first);
    else {
      // the point gives its places back
      this.#next[last] = this.#free;
      this.#free = first;
      this.#first[this.ordinal] = TOO_MANY;
    }
  }

  majorityOf(all: number): Majority | null {
    for (let place = this.#first[this.ordinal] ?? NONE; place > NONE; place = this.#next[place]!) {
      const count = this.#times[place]!;
      if (2 * count > all) return { value: this.#values[place]!, count };
    }
    return null;
  }

  #placeFor(value: number, next: number): number {
    let place = this.#free;
    if (place !== NONE) this.#free = this.#next[place]!;
    else {
      place = this.#unused++;
      if (place >= this.#values.length) {
        this.#values = enlarged(this.#values, new Float64Array(roomFor(place)));
        this.#times = enlarged(this.#times, new Uint32Array(roomFor(place)));
        this.#next = enlarged(this.#next, new Int32Array(roomFor(place)));
      }
    }
    this.#values[place] = value;
    this.#times[place] = 1;
    this.#next[place] = next;
    return place;
  }
}

function roomFor(index: number): number {
  return 2 ** Math.ceil(Math.log2(index + 1));
}

function enlarged<Numbers extends Float64Array | Uint32Array | Int32Array>(
  from: Numbers,
  to: Numbers,
): Numbers {
  to.set(from);
  return to;
}
