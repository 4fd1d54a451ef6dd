/** Numbers from 0 to 1 of a seed, by a linear congruential generator: what is compressed is not to be a pattern. */
export function uniform(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = BigInt.asUintN(64, state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n);
    return Number(state >> 11n) / 2 ** 53;
  };
}
