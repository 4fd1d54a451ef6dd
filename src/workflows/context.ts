import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { CampaignAddress, ChangeAnswer, ChangeRequest } from '../activities/index.ts';
import type { CampaignSettings, Phase } from '../campaign/types.ts';
import { phaseAttribute } from './attributes.ts';
import { type CampaignState, detailsOf } from './state.ts';

/** What the workflow is started with. */
export interface CampaignInput extends CampaignAddress, Omit<CampaignSettings, 'timeouts'> {
  /** Absent from campaigns of earlier versions. */
  timeouts?: CampaignSettings['timeouts'];
  /** The cluster has the search attributes of campaigns. */
  hasAttributes?: true;
  /** Start nothing, only stop what an execution that was terminated left running. */
  stopOnly?: true;
  /** The campaign was begun by an earlier execution that is closed, and goes on with what it is told first. */
  goesOn?: true;
  /** What was reached when the workflow continued as new; absent at the start. */
  state?: CampaignState;
}

/** A change that a person has asked for: carried out by the main loop, between two ticks. */
export interface PendingChange {
  request: ChangeRequest;
  answer: ChangeAnswer | undefined;
}

/** What the parts of the workflow share while one execution lasts. */
export interface Context {
  input: CampaignInput;
  address: CampaignAddress;
  state: CampaignState;
  changes: PendingChange[];
  /** The main loop has ended: nothing can be changed any more. */
  isClosing: boolean;
}

/** Shows the campaign as it is now in the Web UI. */
export function show({ state }: Context): void {
  setCurrentDetails(detailsOf(state, Date.now()));
}

/** Enters a phase, for everybody to see. */
export function enter(context: Context, phase: Phase): void {
  const { state, input } = context;
  if (state.phase !== phase && input.hasAttributes)
    upsertSearchAttributes([{ key: phaseAttribute, value: phase }]);
  state.phase = phase;
  show(context);
}
