/**
 * Random numbers from 0 to 1 by a linear congruential generator with a seed. They have no pattern that compression
 * would find.
 */
export function uniform(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = BigInt.asUintN(64, state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n);
    return Number(state >> 11n) / 2 ** 53;
  };
}
