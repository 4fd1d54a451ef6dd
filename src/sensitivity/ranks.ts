/**
 * Twice the rank of each value. Ranks count from 1. Equal values have their mean rank, so twice the rank is always a
 * whole number. The ranks are a typed array, because millions of rows must fit into memory.
 *
 * @param sorted - an array of the same length for sorting
 */
export function doubledRanks(values: Float64Array, sorted = new Float64Array(values.length)): Uint32Array {
  sorted.set(values);
  sorted.sort();
  const ranks = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row]!;
    const below = countUpTo(sorted, value, false);
    // most values are unique, and then the second search is not needed
    const notAbove = sorted[below + 1] === value ? countUpTo(sorted, value, true) : below + 1;
    ranks[row] = below + notAbove + 1;
  }
  return ranks;
}

function countUpTo(sorted: Float64Array, value: number, withEqual: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle]!;
    if (other < value || (withEqual && other === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
