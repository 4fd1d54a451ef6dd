import pLimit from 'p-limit';
import { emptyOutcomes } from '../campaign/scheduler/index.ts';
import type { Campaign } from '../campaign/types.ts';
import { versionNow } from '../campaign/versions.ts';
import { isCloudError } from '../cloud/index.ts';
import type { CampaignRecord, OpenRun, PlannedRun, Store } from '../store/index.ts';
import { Batch } from './batch.ts';
import { type Answer, hasFinished, isUnfinished, REQUESTS_AT_ONCE, RunRequester } from './run-requests.ts';
import { OutputFileFetcher } from './output-file-fetcher.ts';
import { LogKeeper } from './failed-run-logs.ts';
import { replicate } from './replicate.ts';
import { settle } from './stop.ts';
import type { AdvanceInput, AdvanceResult, World } from './types.ts';

/** The maximum number of new runs that are polled one after the other until the service answers a poll. */
const MOST_POLLS = 4;

/**
 * All `advance` activities of a worker share this limit: one activity may use the requests that the others do not need.
 */
const limit = pLimit(REQUESTS_AT_ONCE);

/** A run that this activity has just requested. The answer to the request said that the run had not finished. */
type UnfinishedRun = PlannedRun & { state: 'queued' | 'running'; runId: string; owned: boolean };

/**
 * Carries out the decision of one tick, or a part of it, and returns the outcomes of the runs. If the campaign is not
 * preparing or running, the store allows no requests, and the runs to request come later.
 */
export async function advance(
  world: World,
  { campaign }: CampaignRecord,
  { request, poll, expire, resultsFirst }: AdvanceInput,
  signal: AbortSignal,
): Promise<AdvanceResult> {
  const { store } = world;
  const { id } = campaign;
  const result: AdvanceResult = {
    outcomes: emptyOutcomes(),
    retryAfter: 0,
    failures: [],
    causes: [],
    added: { count: 0, seqs: [] },
    precision: null,
  };
  const finished = await store.finished(id, [...request, ...poll, ...expire]);
  // the service is not asked again about runs that finished in an earlier attempt of this activity
  for (const { seq, state, origin } of finished)
    result.outcomes[state === 'failed' ? 'failed' : (origin ?? 'new')].push(seq);
  const planned = await store.intend(id, request, world.now(), versionNow(campaign));
  const open = await store.openRuns(id, [...poll, ...expire]);
  const known = new Set([...finished, ...open].map(({ seq }) => seq));
  // the campaign was paused while this activity waited or was tried again; once resumed, it still needs these runs
  if (planned.length === 0) result.outcomes.later.push(...request.filter((seq) => !known.has(seq)));
  for (const seq of [...poll, ...expire]) {
    // the run failed in an earlier attempt of this activity and will be tried again, so the store has no open run with
    // this seq
    if (!known.has(seq)) result.outcomes.again.push([seq, campaign.attempts.backoff]);
  }

  const fetcher = new OutputFileFetcher(world, campaign, signal);
  const logs = new LogKeeper(world, campaign, signal);
  const batch = new Batch(world, fetcher, logs, campaign, result, [...planned, ...open]);
  const requester = new RunRequester(world, campaign, signal, resultsFirst);
  const expired = new Set(expire);
  const pollOrGiveUp = (run: OpenRun): Promise<Answer> =>
    expired.has(run.seq) ? giveUp(store, requester, campaign, run) : requester.poll(run);
  const begun: UnfinishedRun[] = [];
  await Promise.all([
    ...planned.map((run) =>
      limit(async () => {
        const answer = await requester.request(run);
        if ('owned' in answer) begun.push({ ...run, ...answer });
        else await batch.addRequested(answer);
      }),
    ),
    ...open.map((run) => limit(async () => batch.addPolled(await pollOrGiveUp(run)))),
  ]);
  await collectNew(store, requester, campaign, batch, begun);
  await batch.write();
  Object.assign(result, await replicate(store, campaign, [...request, ...poll, ...expire]));
  signal.throwIfAborted();

  // A run without a usable answer does not fail the whole batch. If the service gives no usable answer about any run,
  // the batch fails, and Temporal tries it again.
  const { unheard } = batch;
  const asked = planned.length + open.length;
  if (asked > 0 && unheard.length === asked && !requester.hasHeard && !batch.lacksFiles)
    throw unheard[0]!.error;
  for (const { seq, error } of unheard) {
    result.outcomes.later.push(seq);
    if (isCloudError(error)) result.retryAfter = Math.max(result.retryAfter, error.retryAfter);
  }
  return result;
}

/**
 * Polls the first newly requested run. If this run has finished, the other new runs have probably finished too. The
 * function then tries to read their results without a poll and without another tick. If the first poll gets no answer,
 * the function polls the next run, up to `MOST_POLLS` runs.
 */
async function collectNew(
  store: Store,
  requester: RunRequester,
  campaign: Campaign,
  batch: Batch,
  begun: readonly UnfinishedRun[],
): Promise<void> {
  const runIds = begun.map(({ runId }) => runId);
  const claimed = await store.claimedByOthers(campaign.id, runIds);
  const runs = begun.map((run) => ({ ...run, joined: claimed.has(run.runId) }));
  const polls: Answer[] = [];
  for (const run of runs.slice(0, MOST_POLLS)) {
    polls.push(await requester.poll(run));
    if ('state' in polls.at(-1)!) break;
  }
  // only the last poll may have got an answer
  const last = polls.at(-1);
  if (last === undefined || !hasFinished(last)) {
    await Promise.all(runs.map((run, at) => batch.addRequested(polls[at] ?? run)));
    return;
  }
  const unfinished: typeof runs = [];
  await Promise.all(
    runs.map((run, at) => {
      if (polls[at] === last) return batch.addRequested(last);
      return limit(async () => {
        const answer = await requester.collect(run);
        if (isUnfinished(answer)) unfinished.push(run);
        else await batch.addRequested(answer);
      });
    }),
  );
  // if at least half of the runs have finished, the others have probably finished meanwhile; a poll costs less than
  // another tick
  const isWorthIt = 2 * unfinished.length <= runs.length;
  await Promise.all(
    unfinished.map((run) =>
      limit(async () => batch.addRequested(isWorthIt ? await requester.poll(run) : run)),
    ),
  );
}

/**
 * Gives up a run that has taken too long: it counts as failed, unless it has finished meanwhile. The service stops the
 * run only if it belongs to this campaign and no other campaign waits for it. A run that the service refuses to stop is
 * given up, too.
 */
async function giveUp(
  store: Store,
  requester: RunRequester,
  campaign: Campaign,
  run: OpenRun,
): Promise<Answer> {
  const answer = await settle(store, requester, campaign.id, run);
  const isUnclear = 'error' in answer && !(isCloudError(answer.error) && answer.error.isFinal);
  if (isUnclear || hasFinished(answer)) return answer;
  const seconds = (campaign.timeouts.run ?? 0) / 1_000;
  return {
    seq: run.seq,
    state: 'failed',
    runId: run.runId,
    reason: `timed out: the run had not finished ${seconds} s after its start`,
  };
}
