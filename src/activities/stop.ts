import pLimit from 'p-limit';
import type { StoppedRuns } from '../campaign/stopped-runs.ts';
import { isCloudError } from '../cloud/index.ts';
import type { CampaignRecord, OpenRun, RunObservation, Store } from '../store/index.ts';
import { type Answer, isUnfinished, REQUESTS_AT_ONCE, RunRequester } from './run-requests.ts';
import { OutputFileFetcher } from './output-file-fetcher.ts';
import type { World } from './types.ts';

/** How long a cancelled campaign still fetches files, ms. */
const LAST_FILES_MS = 30_000;

/**
 * Stops the campaign's runs at the service. The function writes the phase first. From then on the store allows no
 * request of this campaign, so no open runs are added. Runs that have finished meanwhile keep their results. Runs that
 * another campaign waits for go on, and then belong to that campaign. Runs that this campaign did not start also go on.
 * So do runs that the service refuses to stop: it would refuse again, and the campaign would never end.
 */
export async function stopOpenRuns(
  world: World,
  { campaign }: CampaignRecord,
  signal: AbortSignal,
): Promise<StoppedRuns> {
  const { store, now } = world;
  await store.setPhase(campaign.id, 'stopping', now());
  const fetcher = new OutputFileFetcher(
    world,
    campaign,
    AbortSignal.any([signal, AbortSignal.timeout(LAST_FILES_MS)]),
  );
  const requester = new RunRequester(world, campaign, signal);
  const limit = pLimit(REQUESTS_AT_ONCE);
  const counts: StoppedRuns = { stopped: 0, kept: 0, refused: 0 };
  for (;;) {
    const open = await store.openRuns(campaign.id);
    if (open.length === 0) return counts;
    // The newest runs come first: they are probably queued, and would start when runs before them are stopped.
    const newestFirst = open.toReversed();
    const answers = await Promise.all(
      newestFirst.map((run) => limit(() => settle(store, requester, campaign.id, run))),
    );
    const heard = answers.filter((answer): answer is RunObservation => !('error' in answer));
    await keepLastFiles(fetcher, heard, signal);
    await store.observe(campaign.id, heard, now());
    counts.stopped += heard.filter(({ state }) => state === 'waiting').length;
    const goingOn = heard.filter(isUnfinished);
    counts.kept += goingOn.length;
    const unheard = answers.filter((answer) => 'error' in answer);
    const refused = unheard.filter(({ error }) => isCloudError(error) && error.isFinal);
    counts.refused += refused.length;
    // this campaign gives up the runs that go on, so that they are no longer open
    await store.observe(
      campaign.id,
      [...goingOn, ...refused].map(({ seq }) => ({ seq, state: 'waiting' })),
      now(),
    );
    const unclear = unheard.find((answer) => !refused.includes(answer));
    if (unclear) throw unclear.error;
  }
}

/** Fetches the files of finished runs. A cancel waits only a limited time for a server that does not deliver them. */
async function keepLastFiles(
  fetcher: OutputFileFetcher,
  heard: readonly RunObservation[],
  signal: AbortSignal,
): Promise<void> {
  try {
    await fetcher.keep(heard.flatMap((seen) => (seen.state === 'done' ? [seen.outputs] : [])));
  } catch (error) {
    // after an abort, another attempt of the activity continues
    signal.throwIfAborted();
    if (!isCloudError(error) && !fetcher.isAborted) throw error;
  }
}

/**
 * Stops a run that belongs to this campaign and that no other campaign waits for. If the answer says that the run is
 * queued or running, it was not stopped, and goes on for other campaigns.
 */
export async function settle(
  store: Store,
  requester: RunRequester,
  id: string,
  run: OpenRun,
): Promise<Answer> {
  try {
    const seen = stoppedAsWaiting(await requester.find(run));
    if (!isUnfinished(seen)) return seen;
    const claims = await store.claimedByOthers(id, [seen.runId]);
    if (claims.size > 0) {
      if (run.owned) await store.handOver(id, [seen.runId]);
      return seen;
    }
    if (!run.owned) return seen;
    // a service may refuse to stop a run that has finished meanwhile, so its state decides
    const refusal = await requester.stop(run, seen.runId);
    const after = stoppedAsWaiting(await requester.find(run));
    if (!isUnfinished(after)) return after;
    const error = refusal ?? new Error('the service has not stopped a run yet');
    return { seq: run.seq, error, sent: true };
  } catch (error) {
    return { seq: run.seq, error, sent: true };
  }
}

/**
 * A run that is STOPPED now counts as stopped by this campaign, in this or an earlier attempt, so it can be requested
 * again.
 */
function stoppedAsWaiting(answer: Answer): Answer {
  const isStopped = 'state' in answer && answer.state === 'failed' && answer.isStopped;
  return isStopped ? { seq: answer.seq, state: 'waiting' } : answer;
}
