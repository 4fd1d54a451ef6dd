import type { CampaignOutput, Goal, VariedInput } from '../../campaign/types.ts';
import type { CampaignStatus } from '../../client/index.ts';
import type { ResultRow, StoredLog } from '../../store/index.ts';

export interface LiveState {
  status: CampaignStatus;
  /** The progress of the campaign's strategy; undefined for a design that has all its points. */
  strategy?: string | undefined;
  varied: readonly VariedInput[];
  /** Whether points have more than one replication. */
  isReplicated: boolean;
  /** The output whose values are shown; undefined when the campaign has no numeric output. */
  output: CampaignOutput | undefined;
  /** The goal: which values of which output are better. */
  goal?: Goal | undefined;
  /** Runs that finished lately, newest first. */
  rows: readonly FinishedRow[];
  /** The log of the run that failed last; undefined when there is none. */
  failure?: Pick<StoredLog, 'lines' | 'reason'> | undefined;
  /** The values of the output that were read last. */
  values: readonly number[];
}

/** The parts of a finished run that are shown. */
export type FinishedRow = Pick<
  ResultRow,
  'point' | 'replication' | 'status' | 'values' | 'outputs' | 'reason' | 'origin' | 'finishedAt'
>;
