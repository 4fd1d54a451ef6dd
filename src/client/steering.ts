import { isConcurrency, WRONG_CONCURRENCY } from '../campaign/concurrency.ts';
import { ForayError } from '../errors.ts';
import { type ClientContext, openRecordOf } from './context.ts';

export async function cancel(client: ClientContext, id: string, reason?: string): Promise<void> {
  await openRecordOf(client, id);
  if (await client.temporal.signal(id, 'cancel', reason)) return;
  // a campaign that has ended meanwhile stays as it is
  const record = await openRecordOf(client, id);
  await client.temporal.startToStop(record, client.store.id, reason);
}

export async function steer(
  client: ClientContext,
  id: string,
  wish: 'pause' | 'resume' | 'stop',
  reason?: string,
): Promise<void> {
  const hint = `"foray retry ${id}" requests its failed runs again, and its missing runs.`;
  await openRecordOf(client, id, wish === 'resume' ? hint : undefined);
  if (!(await client.temporal.signal(id, wish, reason))) throw notRunning(id);
}

export async function setConcurrency(
  client: ClientContext,
  id: string,
  concurrency: number | 'auto',
): Promise<void> {
  if (!isConcurrency(concurrency)) throw new ForayError('INVALID_VALUE', WRONG_CONCURRENCY);
  await openRecordOf(client, id);
  if (!(await client.temporal.setConcurrency(id, concurrency))) throw notRunning(id);
}

function notRunning(id: string): ForayError {
  return new ForayError('CAMPAIGN_CLOSED', `The workflow of the campaign "${id}" does not run.`, {
    hint: `"foray retry ${id}" continues the campaign, and "foray cancel ${id}" stops the runs that the workflow left.`,
  });
}
