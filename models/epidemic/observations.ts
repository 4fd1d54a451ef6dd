/** The number of infected persons that was counted on a day. */
export interface Observation {
  day: number;
  cases: number;
}

/**
 * Reads observed cases: CSV with a header line, the day in the first column and the count in the second.
 *
 * @throws Error naming the line that is wrong
 */
export function readObservations(bytes: Uint8Array): Observation[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
  const observations = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [day, cases] = line.split(',').map(toNumber);
    if (index === 0) {
      if (Number.isNaN(day) || cases === undefined || Number.isNaN(cases)) return [];
      throw new Error(`Observed cases, line 1: "${line.slice(0, 60)}" is not a header, such as "day,cases"`);
    }
    if (day === undefined || cases === undefined || !(day >= 0) || !Number.isFinite(cases)) {
      throw new Error(
        `Observed cases, line ${index + 1}: "${line.slice(0, 60)}" is not a day and a number of cases`,
      );
    }
    return [{ day, cases }];
  });
  if (observations.length === 0) throw new Error('Observed cases has no lines after its header');
  return observations.sort((a, b) => a.day - b.day);
}

/** Root of the mean squared difference between observed and computed cases, in persons. */
export function rootMeanSquareError(observed: readonly Observation[], computed: readonly number[]): number {
  const squares = observed.map(({ cases }, i) => (computed[i]! - cases) ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

function toNumber(cell: string): number {
  return cell.trim() === '' ? Number.NaN : Number(cell);
}
