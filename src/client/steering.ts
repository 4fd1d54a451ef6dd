import { setTimeout as delay } from 'node:timers/promises';
import { isConcurrency, WRONG_CONCURRENCY } from '../campaign/concurrency.ts';
import { closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { type ClientContext, campaignClosed, openRecordOf, recordOf } from './context.ts';

/** How long a worker may take to take up a cancel, ms. After that, this client ends the campaign itself. */
const PATIENCE_MS = 10_000;
/** The pause between two checks whether a worker has taken up the cancel, ms. */
const AGAIN_MS = 100;

export async function cancel(client: ClientContext, id: string, reason?: string): Promise<void> {
  const record = await recordOf(client, id);
  if (closedPhases.includes(record.phase)) {
    // the change of a closed campaign may wait for its service, and nothing else would end it
    if (await client.temporal.call('giveUpChange', record, reason)) return;
    throw campaignClosed(record);
  }
  if (!(await client.temporal.call('signal', id, 'cancel', reason))) {
    // a campaign that has ended meanwhile stays as it is
    const open = await openRecordOf(client, id);
    await client.temporal.call('startToStop', open, client.store.id, reason);
  }
  if (await isTakenUp(client, id)) return;
  // loaded only here, because it needs the code of workers
  const { cancelWithoutWorker } = await import('./cancel-without-worker.ts');
  await cancelWithoutWorker(client, id, reason);
}

/**
 * Waits until a worker has taken up a cancel, or the campaign is over. False if no worker answers in time, or if
 * something blocks the campaign.
 */
async function isTakenUp(client: ClientContext, id: string): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  do {
    const record = await client.store.getCampaign(id);
    if (!record || closedPhases.includes(record.phase)) return true;
    // Temporal has the cancel, and a workflow takes a signal before it answers a question
    const { progress, blocks } = await client.temporal.call('progressOf', record);
    if (progress && !blocks) return true;
    await delay(AGAIN_MS);
  } while (performance.now() < until);
  return false;
}

export async function steer(
  client: ClientContext,
  id: string,
  wish: 'pause' | 'resume' | 'stop',
  reason?: string,
): Promise<void> {
  const hint = `"foray retry ${id}" requests its failed runs again, and its missing runs.`;
  await openRecordOf(client, id, wish === 'resume' ? hint : undefined);
  if (!(await client.temporal.call('signal', id, wish, reason))) throw notRunning(id);
}

export async function setConcurrency(
  client: ClientContext,
  id: string,
  concurrency: number | 'auto',
): Promise<void> {
  if (!isConcurrency(concurrency)) throw new ForayError('INVALID_VALUE', WRONG_CONCURRENCY);
  const record = await openRecordOf(client, id);
  if (!(await client.temporal.call('setConcurrency', record, concurrency))) throw notRunning(id);
}

function notRunning(id: string): ForayError {
  return new ForayError('CAMPAIGN_CLOSED', `The workflow of the campaign "${id}" does not run.`, {
    hint: `"foray retry ${id}" continues the campaign, and "foray cancel ${id}" stops the runs that the workflow left.`,
  });
}
