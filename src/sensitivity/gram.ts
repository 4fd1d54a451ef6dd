/** The numbers of one column of a table. */
type Numbers = Float64Array | Uint32Array;

/** Sums of columns and sums of their products, for each group of rows. */
export interface Gram {
  /** The number of columns. */
  size: number;
  /**
   * For each group: the number of rows, then the sum of each column, then the sum of products for each pair of columns
   * (the lower triangle, row by row).
   */
  groups: Float64Array[];
}

/**
 * Sums over the rows of each group, in one pass. The mean of each column is subtracted first, so that sums of products
 * lose fewer digits.
 *
 * @param groupOf - the group of each row
 */
export function gramOf(columns: readonly Numbers[], groupOf: Uint16Array, groups: number): Gram {
  const size = columns.length;
  const means = columns.map((column) => {
    let sum = 0;
    for (let row = 0; row < column.length; row += 1) sum += column[row]!;
    return sum / column.length;
  });
  const found = Array.from({ length: groups }, () => new Float64Array(1 + size + (size * (size + 1)) / 2));
  const values = new Float64Array(size);
  for (let row = 0; row < groupOf.length; row += 1) {
    const sums = found[groupOf[row]!]!;
    sums[0]! += 1;
    let place = 1 + size;
    for (let i = 0; i < size; i += 1) {
      const value = columns[i]![row]! - means[i]!;
      values[i] = value;
      sums[1 + i]! += value;
      for (let j = 0; j <= i; j += 1) {
        sums[place]! += value * values[j]!;
        place += 1;
      }
    }
  }
  return { size, groups: found };
}

/** The sums of all groups together. */
export function total({ groups }: Gram): Float64Array {
  const sums = new Float64Array(groups[0]!.length);
  for (const group of groups) for (let at = 0; at < sums.length; at += 1) sums[at]! += group[at]!;
  return sums;
}

/** The sums of all groups except one. */
export function without(all: Float64Array, group: Float64Array): Float64Array {
  return all.map((sum, at) => sum - group[at]!);
}

/** The matrix of the covariances (divided by n) of the chosen columns. */
export function covariances(sums: Float64Array, size: number, chosen: readonly number[]): Float64Array[] {
  const n = sums[0]!;
  return chosen.map((a) =>
    Float64Array.from(chosen, (b) => {
      const [high, low] = a > b ? [a, b] : [b, a];
      const product = sums[1 + size + (high * (high + 1)) / 2 + low]!;
      return product / n - (sums[1 + a]! / n) * (sums[1 + b]! / n);
    }),
  );
}
