/** The generator Mulberry32: small, seeded, and good enough for durations. Returns numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws durations, ms. They are lognormal with a mean (s) and a coefficient of variation. With `bimodal`, four in five
 * runs take about 0.4 times the mean, and the others about 3.4 times.
 */
export function draw(count: number, mean: number, cv: number | 'bimodal', random: () => number): number[] {
  if (cv === 'bimodal') {
    return Array.from(
      { length: count },
      () => 1_000 * mean * (random() < 0.8 ? 0.4 : 3.4) * (0.9 + 0.2 * random()),
    );
  }
  const variance = Math.log(1 + cv * cv);
  return Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return 1_000 * Math.exp(Math.log(mean) - variance / 2 + Math.sqrt(variance) * normal);
  });
}
