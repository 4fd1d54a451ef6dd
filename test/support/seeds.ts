/** Seeds of a fault test: a few in CI, many with FORAY_FAULTS=full, one again with FORAY_SEED=N. */
export function seeds(few: number, full: number): number[] {
  const again = process.env.FORAY_SEED;
  if (again !== undefined) return [Number(again)];
  const count = process.env.FORAY_FAULTS === 'full' ? full : few;
  return Array.from({ length: count }, (_, at) => at + 1);
}
