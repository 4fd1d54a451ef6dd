import pLimit from 'p-limit';
import { emptyOutcomes, type Outcomes } from '../campaign/schedule.ts';
import { isCloudError } from '../cloud/index.ts';
import type { CampaignRecord, RunObservation, Store } from '../store/index.ts';
import { type Answer, type NoAnswer, REQUESTS_AT_ONCE, RunAsker } from './ask.ts';
import type { AdvanceResult, World } from './types.ts';

/** Observations that are written together, so that a worker that dies loses little. */
const WRITE_EVERY = 50;
const SAMPLES = 3;

export async function advance(
  { store, cloud }: World,
  { campaign }: CampaignRecord,
  { request, poll }: { request: readonly number[]; poll: readonly number[] },
  signal: AbortSignal,
): Promise<AdvanceResult> {
  const result: AdvanceResult = { outcomes: emptyOutcomes(), retryAfter: 0, failures: [] };
  await addFinished(store, campaign.id, [...request, ...poll], result.outcomes);
  const planned = await store.intend(campaign.id, request, Date.now());
  const open = poll.length > 0 ? await store.openRuns(campaign.id, poll) : [];

  const asker = new RunAsker(cloud, campaign, signal);
  const requested = new Set(planned.map(({ seq }) => seq));
  const unheard: NoAnswer[] = [];
  let heard: RunObservation[] = [];
  const write = async (): Promise<void> => {
    const batch = heard;
    heard = [];
    const observations = await withOwners(store, campaign.id, batch, requested);
    await store.observe(campaign.id, observations, Date.now());
    for (const observation of observations) addOutcome(result, observation);
  };
  const take = async (answer: Answer): Promise<void> => {
    if ('error' in answer) {
      unheard.push(answer);
      if (!answer.sent) heard.push({ seq: answer.seq, state: 'unsent' });
    } else {
      heard.push(answer);
    }
    if (heard.length >= WRITE_EVERY) await write();
  };

  const limit = pLimit(REQUESTS_AT_ONCE);
  await Promise.all([
    ...planned.map((run) => limit(async () => take(await asker.request(run)))),
    ...open.map((run) => limit(async () => take(await asker.poll(run)))),
  ]);
  await write();
  signal.throwIfAborted();

  // One bad run never fails the batch; a service that answers nothing at all does, and Temporal tries again.
  const asked = planned.length + open.length;
  if (asked > 0 && unheard.length === asked) throw unheard[0]!.error;
  for (const { seq, error } of unheard) {
    result.outcomes.later.push(seq);
    if (isCloudError(error)) result.retryAfter = Math.max(result.retryAfter, error.retryAfter);
  }
  return result;
}

/** A run that finished in an earlier attempt of this activity is not asked about again. */
async function addFinished(
  store: Store,
  id: string,
  seqs: readonly number[],
  outcomes: Outcomes,
): Promise<void> {
  for (const { seq, state, origin } of await store.finished(id, seqs)) {
    outcomes[state === 'failed' ? 'failed' : (origin ?? 'new')].push(seq);
  }
}

/** A run that another campaign of this store has, when we request it, is joined: not ours to stop. */
async function withOwners(
  store: Store,
  id: string,
  batch: RunObservation[],
  requested: ReadonlySet<number>,
): Promise<RunObservation[]> {
  const open = batch.flatMap((seen) => ('owned' in seen && requested.has(seen.seq) ? [seen.runId] : []));
  const claimed = await store.claimedByOthers(id, open);
  return batch.map((seen) =>
    'owned' in seen && requested.has(seen.seq) && claimed.has(seen.runId) ? { ...seen, owned: false } : seen,
  );
}

function addOutcome({ outcomes, failures }: AdvanceResult, seen: RunObservation): void {
  switch (seen.state) {
    case 'done':
      outcomes[seen.origin].push(seen.seq);
      break;
    case 'failed':
      outcomes.failed.push(seen.seq);
      if (failures.length < SAMPLES) failures.push(seen.reason.slice(0, 200));
      break;
    case 'queued':
    case 'running':
      outcomes[seen.state].push(seen.seq);
      break;
    case 'unsent':
    case 'waiting':
      break;
  }
}
