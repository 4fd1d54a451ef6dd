const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Chooses the runs about which a plan asks the service: all runs, or a sample of about `most` runs. The chosen runs are
 * spread evenly over all runs. The questions may stop early, so the order is such that the first few are spread evenly
 * too.
 *
 * @returns the numbers of the runs, from 0, in the order of the questions
 */
export function sampledRuns(runs: number, most: number): Set<number> {
  // multiples of the golden ratio do not follow the pattern of a grid
  const placeOf = (n: number): number => (n * GOLDEN) % 1;
  if (runs <= most) {
    const all = Array.from({ length: runs }, (_, run) => run);
    return new Set(all.toSorted((a, b) => placeOf(a) - placeOf(b)));
  }
  const spread = Array.from({ length: most }, (_, at) => Math.floor(placeOf(at) * runs));
  // a mistake in a range is often visible at its ends
  return new Set(most > 1 ? [0, runs - 1, ...spread.slice(2)] : spread);
}
