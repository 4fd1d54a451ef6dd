import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { CampaignAddress, ChangeAnswer, ChangeRequest } from '../activities/index.ts';
import type { CampaignSettings, Phase } from '../campaign/types.ts';
import { phaseAttribute } from './search-attributes.ts';
import type { CampaignState, CarriedState } from './state.ts';
import { detailsOf } from './web-ui-details.ts';

export interface CampaignInput extends CampaignAddress, CampaignSettings {
  /** True if the cluster has the search attributes of campaigns. */
  hasAttributes?: true;
  /** True if this execution requests nothing, and only stops the runs that a terminated execution left. */
  stopOnly?: true;
  /**
   * True if an earlier, closed execution began the campaign. This execution continues the campaign with the first
   * change that it gets.
   */
  goesOn?: true;
  /** The state of the previous execution, if the workflow continued as new. */
  state?: CarriedState;
}

/** A change that a person requested. The main loop carries it out between two ticks. */
export interface PendingChange {
  request: ChangeRequest;
  /** A text for the note. Anybody can send a message to the workflow, so it may be any value. */
  reason: unknown;
  answer: ChangeAnswer | undefined;
}

/** The objects that the parts of the workflow share in one execution. */
export interface Context {
  input: CampaignInput;
  address: CampaignAddress;
  state: CampaignState;
  changes: PendingChange[];
  /** True when the main loop has ended: no change is possible any more. */
  isClosing: boolean;
}

/** Shows the current state of the campaign in Temporal's Web UI. */
export function show({ state }: Context): void {
  setCurrentDetails(detailsOf(state, Date.now()));
}

/** Enters a phase, and shows it in the search attribute. */
export function enter(context: Context, phase: Phase): void {
  const { state, input } = context;
  if (state.phase !== phase && input.hasAttributes)
    upsertSearchAttributes([{ key: phaseAttribute, value: phase }]);
  state.phase = phase;
  show(context);
}
