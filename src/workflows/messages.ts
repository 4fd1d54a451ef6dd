import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ChangeAnswer, DefinitionMessage, KnownFiles, RetryWhat } from '../activities/index.ts';
import type { FailureCause, FlightReport, Progress } from '../campaign/types.ts';

export type { KnownFiles, RetryWhat };

/**
 * The messages of a campaign's workflow. They can be sent from a program, from the Web UI and with Temporal's own
 * command line: `temporal workflow signal --workflow-id ID --name cancel`. A message that must always arrive is a
 * signal. A message with an answer is an update, or a query if it changes nothing.
 */

/**
 * Cancels the campaign: no new requests; its own runs are stopped, unless another campaign waits for them; finished
 * results stay. Input: a reason, or none.
 */
export const cancelSignal = defineSignal<[reason?: string]>('cancel');

/**
 * Pauses the campaign: no new requests, requested runs go on, and their results are stored. Input: a reason, or none.
 */
export const pauseSignal = defineSignal<[reason?: string]>('pause');

/** Resumes a paused campaign. Input: a reason, or none. */
export const resumeSignal = defineSignal<[reason?: string]>('resume');

/**
 * Ends the campaign without stopping runs: no new requests; the campaign closes when its requested runs have finished.
 */
export const stopSignal = defineSignal<[reason?: string]>('stop');

/**
 * Sets how many runs may be requested at once: a whole number of at least 1, or `auto`. The answer is the new setting.
 * Any other value is rejected.
 */
export const setConcurrencyUpdate = defineUpdate<number | 'auto', [number | 'auto']>('setConcurrency');

export type Changed = Exclude<ChangeAnswer, { refused: string }>;

/**
 * Requests failed or missing runs. Input: `failed`, `missing`, `all` (both, the default), or `{"cause": …}` for failed
 * runs with one cause. Only a closed campaign has missing runs: runs that were never requested. A second input is
 * optional: the number of a version of the model, which new requests use from then on. A third input is a reason, or
 * none.
 */
export const retryUpdate = defineUpdate<Changed, [what?: RetryWhat, version?: number, reason?: string]>(
  'retry',
);

/**
 * Changes the campaign to another definition. The inputs are the definition (text or JSON), the files that it names (the
 * new ones must be in the store already), and a reason. The last two may be missing. A change that is not possible is
 * rejected.
 */
export const applyUpdate = defineUpdate<
  Changed,
  [definition: DefinitionMessage, files?: KnownFiles, reason?: string]
>('apply');

/** Phase, counts, window, rate and time left of the campaign. */
export const progressQuery = defineQuery<Progress>('progress');

/** Runs that are requested and have not finished. */
export const flightsQuery = defineQuery<FlightReport[]>('flights');

/** Failed runs by cause, the most frequent cause first, with one example each. */
export const failuresQuery = defineQuery<FailureCause[]>('failures');

/** The failure type of an update that came too late, because the campaign is stopping or closing. */
export const TOO_LATE = 'TOO_LATE';

/**
 * The maximum number of characters of a definition in a message, as JSON. This is far below Temporal's limit for a
 * message, and a worker reads such a definition in a moment.
 */
export const LONGEST_DEFINITION = 100_000;

export function isTooLong(definition: unknown): boolean {
  return JSON.stringify(definition).length > LONGEST_DEFINITION;
}
