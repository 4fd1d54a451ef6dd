/**
 * Gives uniform numbers between 0 and 1 from a linear congruential generator of 32 bits. A seed always gives the same
 * numbers.
 */
export function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}
