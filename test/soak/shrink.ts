/**
 * Finds a small part of a list that still fails, within a number of tries. It leaves out smaller and smaller pieces
 * of the list. The method is delta debugging (Zeller and Hildebrandt, 2002).
 */
export async function shrink<T>(
  items: readonly T[],
  fails: (part: T[]) => Promise<boolean>,
  mostTries: number,
): Promise<T[]> {
  let failing = [...items];
  let pieces = 2;
  let tries = 0;
  while (failing.length > 1 && pieces <= failing.length) {
    const size = Math.ceil(failing.length / pieces);
    let hasShrunk = false;
    for (let from = 0; from < failing.length && !hasShrunk; from += size) {
      if (tries === mostTries) return failing;
      tries += 1;
      const rest = failing.filter((_, at) => at < from || at >= from + size);
      if (!(await fails(rest))) continue;
      failing = rest;
      pieces = Math.max(2, pieces - 1);
      hasShrunk = true;
    }
    if (hasShrunk) continue;
    if (pieces === failing.length) break;
    pieces = Math.min(failing.length, 2 * pieces);
  }
  return failing;
}
