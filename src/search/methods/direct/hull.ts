/** The best cell of a size. */
interface BestOfSize {
  /** The size of the cell. */
  size: number;
  value: number;
}

/** A cell must be able to improve the least value by this share (epsilon in section 4 of the source). */
const LEAST_GAIN = 1e-4;

/**
 * The candidates that may be divided. For each of them, there is a Lipschitz constant with which it could have the
 * least value of all cells, and could improve the least value so far by more than a tiny share. D. R. Jones, C. D.
 * Perttunen and B. E. Stuckman, "Lipschitzian optimization without the Lipschitz constant", Journal of Optimization
 * Theory and Applications 79 (1993) 157-181, definition 4.1.
 */
export function potentiallyOptimal<T extends BestOfSize>(candidates: readonly T[]): T[] {
  const least = Math.min(...candidates.map(({ value }) => value));
  const aim = least - LEAST_GAIN * Math.abs(least);
  return candidates.filter(({ size, value }) => {
    const slopes = (others: readonly T[]): number[] =>
      others.map((other) => (other.value - value) / (other.size - size));
    const steepestBelow = Math.max(0, ...slopes(candidates.filter((other) => other.size < size)));
    const flattestAbove = Math.min(Infinity, ...slopes(candidates.filter((other) => other.size > size)));
    if (flattestAbove <= 0 || steepestBelow > flattestAbove) return false;
    return flattestAbove === Infinity || value - flattestAbove * size <= aim;
  });
}
