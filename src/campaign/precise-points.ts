/**
 * The verdict on a point that is replicated until it is precise. `imprecise`: it is not precise enough and gets no more
 * replications, because it has the maximum number of replications, or because no replication gave a value of one of the
 * outputs.
 */
export interface Verdict {
  state: 'open' | 'precise' | 'imprecise';
  /** The expected number of replications at the end. */
  expected: number;
}

/** Number of points with each verdict; `unjudged` points have no verdict yet. */
export type VerdictCounts = Record<Verdict['state'] | 'unjudged', number> & {
  /** The expected number of runs at the end, for all points with a verdict together. */
  expected: number;
  /** The number of draws that gave a point once more. */
  repeats: number;
  /** The number of these draws of points without a verdict. */
  unjudgedRepeats: number;
};

/** The progress of a campaign that replicates its points until they are precise. */
export interface PrecisionProgress {
  /** Points with these verdicts. */
  precise: number;
  imprecise: number;
  /** Points with a verdict, including the precise and the imprecise points. */
  judged: number;
  /**
   * Expected runs at the end, from the variance so far. Points without a verdict count with their maximum number of
   * replications.
   */
  expectedRuns: number;
  /** The most runs at the end. */
  mostRuns: number;
}

/** The runs of a campaign and its precision. */
interface Counted {
  runs: { total: number; done: number; failed: number };
  precision: PrecisionProgress | null;
}

/** The expected number of runs of a campaign at its end. */
export function expectedRuns({ runs, precision }: Counted): number {
  return Math.max(runs.total, precision?.expectedRuns ?? 0);
}

/** Finished runs as a percentage of the expected ones, rounded down; 0 without runs. */
export function finishedPercent(counted: Counted): number {
  const { done, failed } = counted.runs;
  const expected = expectedRuns(counted);
  return expected > 0 ? Math.floor((100 * (done + failed)) / expected) : 0;
}

/** Whether enough points have a verdict to predict the number of further runs. */
export function isForeseeable(precision: PrecisionProgress | null, points: number): boolean {
  return precision === null || 2 * precision.judged >= points;
}

/** "31 of 60 points precise", and the number of points that are not precise and get no more replications. */
export function precisionText({ precise, imprecise }: PrecisionProgress, points: number): string {
  const text = `${precise} of ${numberOf(points, 'point')} precise`;
  return imprecise === 0 ? text : `${text}, ${imprecise} not precise with all their replications`;
}

/** "1219 runs so far, about 1400 in the end, at most 2400"; "1400 runs" when no more are expected. */
export function runsText(precision: PrecisionProgress, finished: number): string {
  const { expectedRuns, mostRuns } = precision;
  if (finished >= expectedRuns) return numberOf(finished, 'run');
  const end = expectedRuns < mostRuns ? `about ${expectedRuns} in the end, ` : '';
  return `${numberOf(finished, 'run')} so far, ${end}at most ${mostRuns}`;
}

function numberOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
