import pLimit from 'p-limit';
import { isCloudError } from '../cloud/index.ts';
import type { CampaignRecord, OpenRun, RunObservation, Store } from '../store/index.ts';
import { type Answer, REQUESTS_AT_ONCE, RunAsker, STOPPED_BY_OTHERS } from './ask.ts';
import { FileKeeper } from './keep.ts';
import type { World } from './types.ts';

/** How long a cancel, its stops included, goes on to fetch files, ms. */
const LAST_FILES_MS = 30_000;

/**
 * Stops what the campaign has running at the service. The phase is set first: from then on the store lets no request
 * of this campaign through, so what is open now is all there will be. Runs that have finished meanwhile are kept;
 * runs that another campaign waits for go on and become that one's.
 *
 * @returns how many were stopped, and how many were left to other campaigns
 */
export async function stopOpenRuns(
  world: World,
  { campaign }: CampaignRecord,
  signal: AbortSignal,
): Promise<{ stopped: number; kept: number }> {
  const { store } = world;
  await store.setPhase(campaign.id, 'stopping', Date.now());
  const keeper = new FileKeeper(
    world,
    campaign,
    AbortSignal.any([signal, AbortSignal.timeout(LAST_FILES_MS)]),
  );
  const asker = new RunAsker(world, campaign, signal);
  const limit = pLimit(REQUESTS_AT_ONCE);
  let stopped = 0;
  let kept = 0;
  for (;;) {
    const open = await store.openRuns(campaign.id);
    if (open.length === 0) return { stopped, kept };
    // The newest first: they are queued, and would start in the place of those that are stopped before them.
    const newestFirst = open.toReversed();
    const answers = await Promise.all(
      newestFirst.map((run) => limit(() => settle(store, asker, campaign.id, run))),
    );
    const heard = answers.filter((answer): answer is RunObservation => !('error' in answer));
    await keepLast(keeper, heard, signal);
    await store.observe(campaign.id, heard, Date.now());
    stopped += heard.filter(({ state }) => state === 'waiting').length;
    const left = heard.filter(({ state }) => state === 'queued' || state === 'running');
    await store.observe(
      campaign.id,
      left.map(({ seq }) => ({ seq, state: 'waiting' })),
      Date.now(),
    );
    kept += left.length;
    for (const answer of answers) if ('error' in answer) throw answer.error;
  }
}

/** The files of runs that are done, as far as they are to be had: a cancel does not wait for a place that does not give them. */
async function keepLast(
  keeper: FileKeeper,
  heard: readonly RunObservation[],
  signal: AbortSignal,
): Promise<void> {
  try {
    await keeper.keep(heard.flatMap((seen) => (seen.state === 'done' ? [seen.outputs] : [])));
  } catch (error) {
    // then another worker goes on
    signal.throwIfAborted();
    if (!isCloudError(error) && !keeper.isAborted) throw error;
  }
}

/** Brings one run to its end as far as this campaign goes; an open state in the answer means it is left to others. */
export async function settle(store: Store, asker: RunAsker, id: string, run: OpenRun): Promise<Answer> {
  try {
    const seen = unlessStopped(await asker.find(run));
    if ('error' in seen || (seen.state !== 'queued' && seen.state !== 'running')) return seen;
    const claims = await store.claimedByOthers(id, [seen.runId]);
    if (claims.size > 0) {
      if (run.owned) await store.handOver(id, [seen.runId]);
      return seen;
    }
    if (!run.owned) return seen;
    await asker.stop(run, seen.runId);
    const after = unlessStopped(await asker.find(run));
    if ('error' in after || (after.state !== 'queued' && after.state !== 'running')) return after;
    return { seq: run.seq, error: new Error('the service has not stopped a run yet'), sent: true };
  } catch (error) {
    return { seq: run.seq, error, sent: true };
  }
}

/** A run that is STOPPED now was stopped by us, here or in an earlier attempt: it is to be had again. */
function unlessStopped(answer: Answer): Answer {
  const isStopped = 'state' in answer && answer.state === 'failed' && answer.reason === STOPPED_BY_OTHERS;
  return isStopped ? { seq: answer.seq, state: 'waiting' } : answer;
}
