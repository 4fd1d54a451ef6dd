import type { CampaignOutput, Goal, VariedInput } from '../../campaign/types.ts';
import type { CampaignStatus } from '../../client/index.ts';
import type { ResultRow, StoredLog } from '../../store/index.ts';

/** All that the page shows. */
export interface LiveState {
  status: CampaignStatus;
  /** What its search or selection is at; undefined without one. */
  search?: string | undefined;
  varied: readonly VariedInput[];
  /** Whether points have more than one replication. */
  isReplicated: boolean;
  /** Whose values are shown; undefined where the campaign has no numbers. */
  output: CampaignOutput | undefined;
  /** The output of which somebody has said which values are better. */
  goal?: Goal | undefined;
  /** Newest first. */
  rows: readonly FinishedRow[];
  /** What the run printed that failed last; undefined where nothing is known of that. */
  failure?: Pick<StoredLog, 'lines' | 'reason'> | undefined;
  /** Of the output, as far as they were seen. */
  values: readonly number[];
}

/** What is shown of a run that has finished. */
export type FinishedRow = Pick<
  ResultRow,
  'point' | 'replication' | 'status' | 'values' | 'outputs' | 'reason' | 'origin' | 'finishedAt'
>;
