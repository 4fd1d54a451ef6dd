/** Whether the fault tests run with many seeds, which takes several minutes. */
export const isFull = process.env.FORAY_FAULTS === 'full';

/** The seeds of a fault test: a few in CI, many with FORAY_FAULTS=full, and only N with FORAY_SEED=N. */
export function seeds(few: number, full: number): number[] {
  const again = process.env.FORAY_SEED;
  if (again !== undefined) return [Number(again)];
  return Array.from({ length: isFull ? full : few }, (_, at) => at + 1);
}

/** Prints the result of a fault test on one line, directly and not through Jest. */
export function report(figure: string): void {
  process.stderr.write(`${figure}\n`);
}
