import type { FailureCause, Phase, RunCounts } from './types.ts';

/** The events of a campaign that its notices tell. */
export type NoticeType = 'campaign.ended' | 'campaign.paused' | 'campaign.first_failure';

/** What a notice tells: the JSON that a webhook or a command gets. */
export interface NoticeMessage {
  /** The id of the event, the same at each attempt. A receiver that knows the id has the notice already. */
  id: string;
  type: NoticeType;
  /** The time of the event, in ISO 8601. */
  timestamp: string;
  data: NoticeData;
}

interface NoticeData {
  campaign: string;
  phase: Phase;
  points: number;
  runs: RunCounts;
  /** Why the campaign is in its phase; empty if there is no reason to tell. */
  note: string;
  /** The commonest cause of failed runs so far; null if no run has failed, or if it is not known. */
  failure: FailureCause | null;
}

/** A notice to call, and what to tell it. */
export interface NoticeCall {
  /** The name of the notice in the worker's file. */
  name: string;
  message: NoticeMessage;
}

/** The id of the workflow that makes a call. */
export function workflowIdOf({ name, message }: NoticeCall): string {
  return `notice/${message.data.campaign}/${message.id}/${name}`;
}

/**
 * The calls for an event, one for each name. A name that is there twice has one call, because two would have the same
 * workflow.
 *
 * @param event - `id` is the id of the event, `now` its time in ms. The id of the end of a campaign is the run id of the
 *   first execution of its workflow, so that a worker and a client that tell the same end tell one event
 */
export function callsOf(
  names: readonly string[],
  type: NoticeType,
  event: NoticeData & { id: string; now: number },
): NoticeCall[] {
  const { id, now, ...data } = event;
  const message = { id, type, timestamp: new Date(now).toISOString(), data };
  return [...new Set(names)].map((name) => ({ name, message }));
}
