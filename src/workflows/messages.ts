import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Progress } from '../campaign/types.ts';

/**
 * The messages of a campaign's workflow. They can be sent from a program, from the Web UI and with Temporal's own
 * command line: `temporal workflow signal --workflow-id ID --name cancel`.
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

/** Where the campaign is. */
export const progressQuery = defineQuery<Progress>('progress');
