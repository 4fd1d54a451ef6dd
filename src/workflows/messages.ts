import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Progress } from '../campaign/types.ts';

/**
 * The messages of a campaign's workflow. They can be sent from a program, from the Web UI and with Temporal's own
 * command line: `temporal workflow signal --workflow-id ID --name cancel`.
 */

/** Cancels the campaign: no new requests, its own runs are stopped, what has finished is kept. Input: a reason, or none. */
export const cancelSignal = defineSignal<[reason?: string]>('cancel');

/** Where the campaign is. */
export const progressQuery = defineQuery<Progress>('progress');
