import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ChangeAnswer, DefinitionMessage, KnownFiles, RetryWhat } from '../activities/index.ts';
import type { FailureCause, FlightReport, Progress } from '../campaign/types.ts';

export type { KnownFiles, RetryWhat };

/**
 * The messages of a campaign's workflow. They can be sent from a program, from the Web UI and with Temporal's own
 * command line: `temporal workflow signal --workflow-id ID --name cancel`. What must always get through is a signal;
 * what has an answer is an update.
 */

/** Cancels the campaign: no new requests, its own runs are stopped, what has finished is kept. Input: a reason, or none. */
export const cancelSignal = defineSignal<[reason?: string]>('cancel');

/** Pauses the campaign: no new requests, what is requested goes on and is stored. Input: a reason, or none. */
export const pauseSignal = defineSignal<[reason?: string]>('pause');

/** Lets a paused campaign go on. */
export const resumeSignal = defineSignal('resume');

/** Ends the campaign without stopping anything: no new requests; closed when what is requested has finished. */
export const stopSignal = defineSignal<[reason?: string]>('stop');

/**
 * Sets how many runs may be requested at once: a whole number from 1, or `auto`. The answer is what was set.
 * Anything else is rejected.
 */
export const setConcurrencyUpdate = defineUpdate<number | 'auto', [number | 'auto']>('setConcurrency');

/** What a change came to. */
export type Changed = Exclude<ChangeAnswer, { refused: string }>;

/**
 * Requests failed runs again. Input: `failed`, `missing` or `all` (the default); only a closed campaign misses any. Then perhaps
 * the number of the model's version with which what is not done is requested from now on.
 */
export const retryUpdate = defineUpdate<Changed, [what?: RetryWhat, version?: number]>('retry');

/**
 * Changes the campaign to a definition: its text, or the same as JSON; files that it names and the campaign does not have
 * are in the store already. What cannot change is rejected.
 */
export const applyUpdate = defineUpdate<Changed, [definition: DefinitionMessage, files?: KnownFiles]>(
  'apply',
);

/** Where the campaign is. */
export const progressQuery = defineQuery<Progress>('progress');

/** Runs that are requested and have not finished. */
export const flightsQuery = defineQuery<FlightReport[]>('flights');

/** Failed runs by cause, the commonest first, with one of each. */
export const failuresQuery = defineQuery<FailureCause[]>('failures');

/** The type of the failure of an update that came too late: the campaign is closing or closed. */
export const TOO_LATE = 'TOO_LATE';
