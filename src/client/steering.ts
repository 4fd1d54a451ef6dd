import { ForayError } from '../errors.ts';
import { type ClientContext, openRecordOf } from './context.ts';
import * as messages from './temporal/messages.ts';
import { startWorkflow } from './temporal/start.ts';

export async function cancel(client: ClientContext, id: string, reason?: string): Promise<void> {
  const record = await openRecordOf(client, id);
  if (await messages.signal(client.temporal, id, 'cancel', reason)) return;
  await startWorkflow(client.temporal, record, client.store.id, 'stop-only');
}

export async function steer(
  client: ClientContext,
  id: string,
  wish: 'pause' | 'resume' | 'stop',
  reason?: string,
): Promise<void> {
  await openRecordOf(client, id);
  if (!(await messages.signal(client.temporal, id, wish, reason))) throw notRunning(id);
}

export async function setConcurrency(
  client: ClientContext,
  id: string,
  concurrency: number | 'auto',
): Promise<void> {
  await openRecordOf(client, id);
  if (!(await messages.setConcurrency(client.temporal, id, concurrency))) throw notRunning(id);
}

function notRunning(id: string): ForayError {
  return new ForayError('CAMPAIGN_CLOSED', `The workflow of the campaign "${id}" does not run.`, {
    hint: `"foray cancel ${id}" stops what it left.`,
  });
}
