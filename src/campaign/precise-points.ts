/**
 * What is known of a point that is replicated until it is precise. `imprecise`: it is not precise enough and gets no
 * more replications, because it has the most it may have, or because none of them gave a value.
 */
export interface Verdict {
  state: 'open' | 'precise' | 'imprecise';
  /** Replications that it is expected to have in the end. */
  expected: number;
}

/** How many points there are of each verdict; none was given of `unjudged` ones. */
export type VerdictCounts = Record<Verdict['state'] | 'unjudged', number> & {
  /** Runs that all points with a verdict are expected to have in the end. */
  expected: number;
};

/** How far a campaign is that replicates its points until they are precise. */
export interface PrecisionProgress {
  /** Points that are as precise as is wanted. */
  precise: number;
  /** Points that are not precise enough, and get no more replications. */
  imprecise: number;
  /** Points whose variance is known, those above among them. */
  judged: number;
  /** Runs in the end, as the variance that was seen so far lets expect; of points that are not judged, the most. */
  expectedRuns: number;
  /** Runs in the end, at most. */
  mostRuns: number;
}

/** @param max - replications of a point, at most */
export function precisionProgress(
  { open, precise, imprecise, unjudged, expected }: VerdictCounts,
  max: number,
): PrecisionProgress {
  const judged = open + precise + imprecise;
  return {
    precise,
    imprecise,
    judged,
    expectedRuns: expected + unjudged * max,
    mostRuns: (judged + unjudged) * max,
  };
}

/** What is said of a campaign's runs. */
interface Counted {
  runs: { total: number; done: number; failed: number };
  precision: PrecisionProgress | null;
}

/** Runs that a campaign is expected to have in the end. */
export function expectedRuns({ runs, precision }: Counted): number {
  return Math.max(runs.total, precision?.expectedRuns ?? 0);
}

/** Finished runs as a percentage of those that are expected, rounded down; 0 without runs. */
export function finishedPercent(counted: Counted): number {
  const { done, failed } = counted.runs;
  const expected = expectedRuns(counted);
  return expected > 0 ? Math.floor((100 * (done + failed)) / expected) : 0;
}

/** Whether enough points were judged to say how many runs are still to come. */
export function isForeseeable(precision: PrecisionProgress | null, points: number): boolean {
  return precision === null || 2 * precision.judged >= points;
}

/** "31 of 60 points precise", and how many are not and get no more replications. */
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
