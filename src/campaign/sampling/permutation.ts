/**
 * The numbers from 0 to below `count` in a random order (Fisher and Yates).
 *
 * @param random - a number in [0, 1) for each from 1 to below `count`
 */
export function permutation(count: number, random: (from: number) => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = Math.floor(random(at) * (at + 1));
    const value = order[at]!;
    order[at] = order[other]!;
    order[other] = value;
  }
  return order;
}
