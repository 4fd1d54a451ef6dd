/**
 * The numbers from 0 to `count` - 1 in a random order (Fisher and Yates).
 *
 * @param random - returns a number in [0, 1) for each index from 1 to `count` - 1
 */
export function permutation(count: number, random: (index: number) => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = Math.floor(random(at) * (at + 1));
    const value = order[at]!;
    order[at] = order[other]!;
    order[other] = value;
  }
  return order;
}
