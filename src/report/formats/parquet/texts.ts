import { parsed } from '../../../campaign/curves.ts';
import { type Bounds, ColumnValues, type Encoded } from './column-values.ts';

const encoder = new TextEncoder();
/**
 * The longest text that is kept as a bound, in bytes of UTF-8. The bounds of all row groups stay in memory until the end
 * of the file, and a row group may consist of a few texts of many megabytes.
 */
const LONGEST_BOUND = 1_000;

/**
 * Texts in UTF-8. They are written with a dictionary, which has each text once, if this needs at most half the bytes of
 * the texts.
 */
export class Texts extends ColumnValues {
  readonly #places: Uint32Array;
  readonly #placeOf = new Map<string, number>();
  #last: string | undefined;
  #lastPlace = 0;

  constructor(most: number) {
    super(most);
    this.#places = new Uint32Array(most);
  }

  override clear(): void {
    super.clear();
    this.#placeOf.clear();
    this.#last = undefined;
  }

  encoded(): Encoded {
    const texts = Array.from(this.#placeOf.keys(), (text) => encoder.encode(text));
    const places = this.#places.subarray(0, this.count);
    const bounds = boundsOf(texts);
    // in bytes; each text has its length in 4 bytes before it
    let [dictionarySize, plainSize] = [0, 0];
    for (const { length } of texts) dictionarySize += 4 + length;
    for (const place of places) plainSize += 4 + texts[place]!.length;
    const placesSize = (places.length * Math.ceil(Math.log2(texts.length))) / 8;
    if (texts.length > 0 && 2 * (dictionarySize + placesSize) <= plainSize)
      return { values: plainOf(texts, dictionarySize), count: texts.length, places, bounds };
    const all = Array.from(places, (place) => texts[place]!);
    return { values: plainOf(all, plainSize), count: all.length, bounds };
  }

  protected put(cell: string): boolean {
    // neighbouring rows often have the same text, so the map is not read for each row
    if (cell !== this.#last) {
      let place = this.#placeOf.get(cell);
      if (place === undefined) this.#placeOf.set(cell, (place = this.#placeOf.size));
      this.#last = cell;
      this.#lastPlace = place;
    }
    this.#places[this.count] = this.#lastPlace;
    return true;
  }
}

export class JsonTexts extends Texts {
  /** JSON texts have no bounds, because readers do not filter rows by JSON. */
  override encoded(): Encoded {
    return { ...super.encoded(), bounds: undefined };
  }

  protected override put(cell: string): boolean {
    return super.put(parsed(cell) === undefined ? JSON.stringify(cell) : cell);
  }
}

/** Joins byte arrays, each with its length before it. */
function plainOf(texts: Iterable<Uint8Array>, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const text of texts) {
    view.setUint32(at, text.length, true);
    bytes.set(text, at + 4);
    at += 4 + text.length;
  }
  return bytes;
}

/** The first and the last text when texts are sorted by their bytes; none if one of the two is very long. */
function boundsOf(texts: readonly Uint8Array[]): Bounds {
  let [min, max] = [texts[0], texts[0]];
  if (!min || !max) return {};
  for (const text of texts) {
    if (Buffer.compare(text, min) < 0) min = text;
    if (Buffer.compare(text, max) > 0) max = text;
  }
  if (Math.max(min.length, max.length) > LONGEST_BOUND) return {};
  return { min_value: min, max_value: max };
}
