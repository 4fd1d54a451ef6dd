import type { Verdict, VerdictCounts } from '../../campaign/precise-points.ts';
import type { Campaign, Point } from '../../campaign/types.ts';
import type { CampaignRecord } from './campaigns.ts';

/** A finished replication. If it failed, it has no outputs. */
export interface FinishedRun {
  replication: number;
  outputs: Record<string, string>;
}

/** A point whose runs have all finished, with these runs in the order of their replications. */
export interface FinishedPoint {
  ordinal: number;
  /** How often the design has the point. */
  draws: number;
  runs: FinishedRun[];
}

/** Designs: their points, and the number of replications and the precision of each point. */
export interface DesignStore {
  /**
   * Writes the points of the design, and one row per run. The seq of a run is its place in the order of requests:
   * replication 1 of every point comes first. Returns the numbers of points and runs. A second call changes nothing.
   *
   * @param replications - the number of replications of a point, or of each draw of a point with `hasRunsPerDraw`
   */
  addPoints(
    id: string,
    points: Iterable<Point>,
    replications: number,
    hasRunsPerDraw?: boolean,
  ): Promise<{ points: number; runs: number }>;
  /**
   * Replaces a campaign by a changed one with the same id. Points that stay keep their runs. A run of a dropped point
   * stays if it has finished, or if the service may have it; otherwise it is deleted. A second call changes nothing.
   * Returns how many points were added, dropped and kept.
   *
   * @param relay - converts the values of a point into its values in the changed campaign, if they differ
   */
  changeCampaign(
    record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
    points: Iterable<Point>,
    relay: ((values: string[]) => string[]) | undefined,
    now: number,
  ): Promise<{ added: number; dropped: number; kept: number }>;
  /**
   * Replaces the design of `before` by the larger design of `after`, unless the campaign no longer has the design of
   * `before`. Existing points keep their runs. A second call changes nothing.
   */
  growDesign(before: Campaign, after: Campaign, points: Iterable<Point>, now: number): Promise<void>;
  /** Stores the rounds that a growing design has so far, unless the design of the campaign has changed. */
  setRounds(campaign: Campaign, now: number): Promise<void>;
  /**
   * Adds runs to points, so that each point has the wanted total number of replications. The new runs are requested in
   * the order of `wanted`. Returns the seqs of the new runs.
   */
  addReplications(
    id: string,
    wanted: readonly { ordinal: number; replications: number }[],
  ): Promise<number[]>;

  /** The points of the given runs, but only points of the design whose runs have all finished. */
  finishedPoints(id: string, seqs: readonly number[]): Promise<FinishedPoint[]>;
  /** All points of the design whose runs have all finished, in batches. */
  allFinishedPoints(id: string): AsyncIterable<FinishedPoint[]>;

  /** Stores the verdicts on the precision of points. */
  setVerdicts(id: string, verdicts: readonly ({ ordinal: number } & Verdict)[]): Promise<void>;
  /** Deletes all verdicts on precision, because a change of the campaign may have changed the criterion. */
  forgetVerdicts(id: string): Promise<void>;
  /** Counts the points of the design by their verdict. */
  countVerdicts(id: string): Promise<VerdictCounts>;
}
