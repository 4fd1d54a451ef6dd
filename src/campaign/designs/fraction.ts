/**
 * Regular fractions of two-level factorials. A column is a number that describes a factor: it has a bit for each basic
 * factor in the product that gives the level of the factor (G. E. P. Box and J. S. Hunter, "The 2^(k-p) fractional
 * factorial designs", Technometrics 3 (1961) 311-351). A word of the defining relation is a set of columns that cancel
 * each other out. The resolution is the length of the shortest word.
 */

/** The choice of a fraction ignores words that are longer than the resolution by more than this. */
const FURTHER_LENGTHS = 4;
/** The search for a better fraction ends after this number of steps, well within a second. */
const MOST_STEPS = 3_000_000;

/**
 * The columns of a fraction with this number of factors, the basic factors first. The fraction has at least this
 * resolution and the fewest runs. Among such fractions it has the fewest of the shortest words, and then the fewest of
 * the next longer words (minimum aberration: A. Fries and W. G. Hunter, "Minimum aberration 2^(k-p) designs",
 * Technometrics 22 (1980) 601-608). The search has a limit of steps. It certainly finds the fewest runs for up to 22
 * factors, and minimum aberration of resolutions 3 and 4 for up to 16 factors.
 *
 * @param resolution at least 3
 * @returns undefined if only the full factorial has this resolution
 */
export function fractionOf(factors: number, resolution: number): number[] | undefined {
  for (let basic = 2; basic < factors; basic += 1) {
    if (!mayHold(factors, basic, resolution)) continue;
    let found: number[] | undefined;
    // the same number of runs may allow a higher resolution
    for (let higher = resolution; ; higher += 1) {
      const better = new FractionSearch(factors, basic, higher).run();
      if (!better) break;
      found = better;
    }
    if (found) return found;
  }
  return undefined;
}

/** How many words of each length the defining relation has, from length 0 to `longest`. */
export function wordLengths(columns: readonly number[], basic: number, longest: number): number[] {
  const none = WordCounts.none(basic, longest);
  return [...columns.reduce((counts, column) => counts.with(column), none).lengths];
}

/**
 * Whether the sets of up to resolution / 2 factors can all have different products (the bound of Hamming and Rao). For
 * an even resolution, the function uses the bound for one factor less, one basic factor less, and the next lower
 * resolution.
 */
function mayHold(factors: number, basic: number, resolution: number): boolean {
  const even = resolution % 2 === 0 ? 1 : 0;
  const half = (resolution - even - 1) / 2;
  let sets = 1;
  for (let size = 1, choices = 1; size <= half; size += 1) {
    choices *= (factors - even - size + 1) / size;
    sets += choices;
  }
  return sets <= 2 ** (basic - even);
}

/** The number of sets of columns, by size and then by product, and the number of words, by length. */
class WordCounts {
  readonly sets: readonly Int32Array[];
  readonly lengths: Float64Array;

  private constructor(sets: Int32Array[], lengths: Float64Array) {
    this.sets = sets;
    this.lengths = lengths;
  }

  /** The counts for a fraction without columns. */
  static none(basic: number, longest: number): WordCounts {
    const sets = Array.from({ length: longest }, () => new Int32Array(2 ** basic));
    sets[0]![0] = 1;
    return new WordCounts(sets, new Float64Array(longest + 1));
  }

  /** The number of words of each length with one column more. */
  lengthsWith(column: number): Float64Array {
    const lengths = this.lengths.slice();
    for (const [size, counts] of this.sets.entries()) lengths[size + 1]! += counts[column]!;
    return lengths;
  }

  with(column: number): WordCounts {
    const sets = this.sets.map((counts, size) => {
      const fewer = this.sets[size - 1];
      const sum = counts.slice();
      if (fewer) for (let at = 0; at < sum.length; at += 1) sum[at]! += fewer[at ^ column]!;
      return sum;
    });
    return new WordCounts(sets, this.lengthsWith(column));
  }
}

/**
 * Searches for the generated columns, depth first, and skips branches that cannot be better than the best fraction so
 * far.
 */
class FractionSearch {
  readonly #factors: number;
  readonly #basic: number;
  readonly #resolution: number;
  #best: { columns: number[]; lengths: Float64Array } | undefined;
  #steps = 0;

  constructor(factors: number, basic: number, resolution: number) {
    this.#factors = factors;
    this.#basic = basic;
    this.#resolution = resolution;
  }

  run(): number[] | undefined {
    const longest = Math.min(this.#factors, this.#resolution + FURTHER_LENGTHS);
    const columns = Array.from({ length: this.#basic }, (_, at) => 2 ** at);
    const counts = columns.reduce((all, column) => all.with(column), WordCounts.none(this.#basic, longest));
    const all = Array.from({ length: 2 ** this.#basic }, (_, column) => column);
    this.#greedy(columns, counts, all);
    this.#search(columns, counts, all);
    return this.#best?.columns;
  }

  /** Finds a good first fraction: adds the column with the fewest new short words each time. */
  #greedy(columns: number[], counts: WordCounts, candidates: number[]): void {
    const allowed = this.#allowed(candidates, counts);
    const [first, ...others] = allowed;
    if (first === undefined) return;
    const fewest = others.reduce(
      (best, column) => (hasFewerNew(counts, column, best) ? column : best),
      first,
    );
    if (columns.length + 1 === this.#factors) this.#keep([...columns, fewest], counts.lengthsWith(fewest));
    else this.#greedy([...columns, fewest], counts.with(fewest), allowed);
  }

  #search(columns: number[], counts: WordCounts, candidates: number[]): void {
    const missing = this.#factors - columns.length;
    const allowed = this.#allowed(candidates, counts);
    this.#steps += candidates.length;
    for (let at = 0; at <= allowed.length - missing; at += 1) {
      if (this.#steps > MOST_STEPS) return;
      const column = allowed[at]!;
      const lengths = counts.lengthsWith(column);
      this.#steps += lengths.length;
      // further columns only add words
      if (this.#best && !isLess(lengths, this.#best.lengths)) continue;
      if (missing === 1) {
        this.#keep([...columns, column], lengths);
        continue;
      }
      this.#steps += lengths.length * 2 ** this.#basic;
      this.#search([...columns, column], counts.with(column), allowed.slice(at + 1));
    }
  }

  /** The candidates that make no word shorter than the resolution. */
  #allowed(candidates: readonly number[], { sets }: WordCounts): number[] {
    const short = sets.slice(0, this.#resolution - 1);
    return candidates.filter((column) => short.every((counts) => counts[column] === 0));
  }

  #keep(columns: number[], lengths: Float64Array): void {
    if (!this.#best || isLess(lengths, this.#best.lengths)) this.#best = { columns, lengths };
  }
}

function hasFewerNew({ sets }: WordCounts, one: number, other: number): boolean {
  const differing = sets.find((counts) => counts[one] !== counts[other]);
  return differing !== undefined && differing[one]! < differing[other]!;
}

function isLess(one: Float64Array, other: Float64Array): boolean {
  const at = one.findIndex((count, length) => count !== other[length]);
  return at >= 0 && one[at]! < other[at]!;
}
