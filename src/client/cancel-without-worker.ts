import { setTimeout as delay } from 'node:timers/promises';
import { stopOpenRuns } from '../activities/stop.ts';
import { callsOf } from '../campaign/notice.ts';
import { type StoppedRuns, stoppedText } from '../campaign/stopped-runs.ts';
import { closedPhases } from '../campaign/types.ts';
import { isCloudError } from '../cloud/index.ts';
import { ForayError, isForayError, messageOf } from '../errors.ts';
import type { CampaignRecord } from '../store/index.ts';
import { type ClientContext, recordOf } from './context.ts';

/** How long the service may take to stop the runs, ms. */
const STOP_MS = 60_000;
/** The pause before the service is asked again to stop the runs that are left, ms. */
const AGAIN_MS = 500;

/**
 * Ends a campaign whose cancel no worker has taken up: stops its runs at the service, terminates its workflow, so that
 * no worker goes on with it later, and closes it in the store.
 *
 * @throws ForayError WORKER_ELSEWHERE if the settings name another model service than the campaign has;
 *   SERVICE_UNREACHABLE, SERVICE_FAILED, KEY_REFUSED. The cancel stays recorded then, and a worker may still take it up
 */
export async function cancelWithoutWorker(client: ClientContext, id: string, reason?: string): Promise<void> {
  const record = await recordOf(client, id);
  if (closedPhases.includes(record.phase)) return;
  const stopped = await stopRuns(client, record);
  await client.temporal.call('terminate', id, 'cancelled by a person; no worker answered');
  // meanwhile a worker may have closed the campaign, and its workflow may have ended before it told the end
  const now = await recordOf(client, id);
  if (closedPhases.includes(now.phase)) return tellEnd(client, now);
  const notes = [
    record.note,
    reason,
    'no worker answered, so the command that cancelled the campaign ended it',
    stoppedText(stopped),
  ];
  const note = notes.filter(Boolean).join('; ');
  // first the notices: if one cannot be started, the campaign can be cancelled again
  await tellEnd(client, { ...now, phase: 'cancelled', note });
  await client.store.setPhase(id, 'cancelled', Date.now(), note);
}

/** Starts the notices of the end of a campaign, unless the campaign's own workflow has started them. */
async function tellEnd(
  client: ClientContext,
  { campaign, phase, points, note }: CampaignRecord,
): Promise<void> {
  const { id, notify = [] } = campaign;
  if (notify.length === 0) return;
  const runs = await client.store.counts(id);
  // Temporal may have deleted the workflow
  const eventId = (await client.temporal.call('firstRunIdOf', id)) || crypto.randomUUID();
  const data = { campaign: id, phase, points, runs, note: note ?? '', failure: null };
  const calls = callsOf(notify, 'campaign.ended', { ...data, id: eventId, now: Date.now() });
  await client.temporal.call('startNotices', calls);
}

async function stopRuns(
  { store, cloud, service }: ClientContext,
  record: CampaignRecord,
): Promise<StoppedRuns> {
  const { campaign } = record;
  const until = performance.now() + STOP_MS;
  for (;;) {
    try {
      // if another service answers at the campaign's address, the runs count as stopped, as for a worker
      if (!service.isAt(campaign) && !(await service.has(campaign))) throw elsewhere(campaign);
      return await stopOpenRuns(
        { store, cloud, service: service.url, now: Date.now },
        record,
        AbortSignal.timeout(STOP_MS),
      );
    } catch (error) {
      if (isForayError(error) && !isCloudError(error)) throw error;
      // the transport has repeated a request that failed with a CloudError
      if (isCloudError(error) || performance.now() > until) throw unstopped(campaign.id, error);
    }
    await delay(AGAIN_MS);
  }
}

function elsewhere({ id, service }: CampaignRecord['campaign']): ForayError {
  return new ForayError(
    'WORKER_ELSEWHERE',
    `No worker answers, and the settings name another model service than the campaign "${id}" has (${service}).`,
    { hint: 'Name its service with --service-url. The campaign ends when a worker answers.' },
  );
}

function unstopped(id: string, error: unknown): ForayError {
  const what = `No worker answers, and the runs of "${id}" cannot be stopped: ${messageOf(error)}`;
  const code = isForayError(error) ? error.code : 'SERVICE_FAILED';
  return new ForayError(code, what, {
    hint: 'The campaign requests no more runs. Cancel it again when the service answers.',
  });
}
