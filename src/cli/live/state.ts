import type { CampaignOutput, VariedInput } from '../../campaign/types.ts';
import type { CampaignStatus } from '../../client/index.ts';
import type { ResultRow } from '../../store/index.ts';

/** All that the page shows. */
export interface LiveState {
  status: CampaignStatus;
  varied: readonly VariedInput[];
  /** Whether points have more than one replication. */
  isReplicated: boolean;
  /** Whose values are shown; undefined where the campaign has no numbers. */
  output: CampaignOutput | undefined;
  /** Newest first. */
  rows: readonly FinishedRow[];
  /** Of the output, as far as they were seen. */
  values: readonly number[];
}

/** What is shown of a run that has finished. */
export type FinishedRow = Pick<
  ResultRow,
  'point' | 'replication' | 'status' | 'values' | 'outputs' | 'reason' | 'origin' | 'finishedAt'
>;
