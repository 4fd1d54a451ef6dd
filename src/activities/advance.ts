import pLimit from 'p-limit';
import { addCauses, causeOf, nextAttemptIn } from '../campaign/failures.ts';
import { emptyOutcomes } from '../campaign/scheduler/index.ts';
import { versionNow, versionOf } from '../campaign/versions.ts';
import { isCloudError } from '../cloud/index.ts';
import type { CampaignRecord, OpenRun, PlannedRun, RunObservation, Store } from '../store/index.ts';
import { type Answer, type NoAnswer, REQUESTS_AT_ONCE, RunAsker } from './ask.ts';
import { FileKeeper } from './keep.ts';
import { LogKeeper } from './logs.ts';
import { replicate } from './replicate.ts';
import { settle } from './stop.ts';
import type { AdvanceInput, AdvanceResult, World } from './types.ts';

/** Observations that are written together, so that a worker that dies loses little. */
const WRITE_EVERY = 50;
const SAMPLES = 3;
/** How many of the runs that were requested just now are looked at, until one can be. */
const LOOKS = 4;
const LONGEST_REASON = 200;

/** Shared by all activities of a worker: a lone one may use what others do not. */
const limit = pLimit(REQUESTS_AT_ONCE);

/** A run that was requested a moment ago and had not finished then. */
type Begun = PlannedRun & { state: 'queued' | 'running'; runId: string; owned: boolean };

/** Carries out the decision of one tick, or a part of it, and says what became of each run. */
export async function advance(
  world: World,
  record: CampaignRecord,
  { request, poll, expire, resultsFirst }: AdvanceInput,
  signal: AbortSignal,
): Promise<AdvanceResult> {
  const { store } = world;
  const { id } = record.campaign;
  const result: AdvanceResult = {
    outcomes: emptyOutcomes(),
    retryAfter: 0,
    failures: [],
    causes: [],
    added: { count: 0, seqs: [] },
  };
  const finished = await store.finished(id, [...request, ...poll, ...expire]);
  // a run that finished in an earlier attempt of this activity is not asked about again
  for (const { seq, state, origin } of finished)
    result.outcomes[state === 'failed' ? 'failed' : (origin ?? 'new')].push(seq);
  const planned = await store.intend(id, request, Date.now(), versionNow(record.campaign));
  const open = await store.openRuns(id, [...poll, ...expire]);
  const known = new Set([...finished, ...open].map(({ seq }) => seq));
  for (const seq of [...poll, ...expire]) {
    // its attempt failed in an earlier attempt of this activity
    if (!known.has(seq)) result.outcomes.again.push([seq, record.campaign.attempts.backoff]);
  }

  const keeper = new FileKeeper(world, record.campaign, signal);
  const logs = new LogKeeper(world, record.campaign, signal);
  const batch = new Batch(store, keeper, logs, record, result, [...planned, ...open]);
  const asker = new RunAsker(world, record.campaign, signal, resultsFirst);
  const expired = new Set(expire);
  const look = (run: OpenRun): Promise<Answer> =>
    expired.has(run.seq) ? giveUp(store, asker, record, run) : asker.poll(run);
  const begun: Begun[] = [];
  await Promise.all([
    ...planned.map((run) =>
      limit(async () => {
        const answer = await asker.request(run);
        if ('owned' in answer) begun.push({ ...run, ...answer });
        else await batch.take(answer, true);
      }),
    ),
    ...open.map((run) => limit(async () => batch.take(await look(run), false))),
  ]);
  await takeBegun(store, asker, record, batch, begun);
  await batch.write();
  const judged = await replicate(store, record.campaign, [...request, ...poll, ...expire]);
  Object.assign(result, judged);
  signal.throwIfAborted();

  // One bad run never fails the batch; a service that says nothing at all does, and Temporal tries again.
  const { unheard } = batch;
  const asked = planned.length + open.length;
  if (asked > 0 && unheard.length === asked && !asker.hasHeard && !batch.lacksFiles) throw unheard[0]!.error;
  for (const { seq, error } of unheard) {
    result.outcomes.later.push(seq);
    if (isCloudError(error)) result.retryAfter = Math.max(result.retryAfter, error.retryAfter);
  }
  return result;
}

/**
 * Looks again at the first of the runs that were requested just now. If it is through, the others probably are: their
 * results are had without a poll and without a further tick. One that cannot be looked at says nothing of the others.
 */
async function takeBegun(
  store: Store,
  asker: RunAsker,
  { campaign }: CampaignRecord,
  batch: Batch,
  begun: readonly Begun[],
): Promise<void> {
  const runIds = begun.map(({ runId }) => runId);
  const claimed = await store.claimedByOthers(campaign.id, runIds);
  const runs = begun.map((run) => ({ ...run, joined: claimed.has(run.runId) }));
  const looks: Answer[] = [];
  for (const run of runs.slice(0, LOOKS)) {
    looks.push(await asker.poll(run));
    if ('state' in looks.at(-1)!) break;
  }
  const last = looks.at(-1);
  const areThrough =
    last !== undefined && 'state' in last && (last.state === 'done' || last.state === 'failed');
  await Promise.all(
    runs.map((run, at) => {
      const look = looks[at];
      // the looks before the last were in vain
      if (look !== undefined && (!areThrough || look === last)) return batch.take(look, true);
      return areThrough
        ? limit(async () => batch.take(await asker.take(run), true))
        : batch.take({ seq: run.seq, state: run.state, runId: run.runId, owned: run.owned }, true);
    }),
  );
}

/** Stops a run that has taken too long, unless it has finished meanwhile or another campaign waits for it. */
async function giveUp(
  store: Store,
  asker: RunAsker,
  { campaign }: CampaignRecord,
  run: OpenRun,
): Promise<Answer> {
  const answer = await settle(store, asker, campaign.id, run);
  if ('error' in answer || answer.state === 'done' || answer.state === 'failed') return answer;
  const seconds = (campaign.timeouts.run ?? 0) / 1_000;
  return {
    seq: run.seq,
    state: 'failed',
    runId: run.runId,
    reason: `given up: it had not finished ${seconds} s after it started`,
  };
}

/** Collects what was heard of runs, and writes it some at a time. */
class Batch {
  /** Runs that the service could not be asked about. */
  readonly unheard: NoAnswer[] = [];
  /** Some are done, and have files that could not be fetched. */
  lacksFiles = false;
  private heard: RunObservation[] = [];
  private readonly store: Store;
  private readonly keeper: FileKeeper;
  private readonly logs: LogKeeper;
  private readonly record: CampaignRecord;
  private readonly result: AdvanceResult;
  private readonly runs: ReadonlyMap<number, PlannedRun>;
  private readonly requested = new Set<number>();

  constructor(
    store: Store,
    keeper: FileKeeper,
    logs: LogKeeper,
    record: CampaignRecord,
    result: AdvanceResult,
    runs: readonly PlannedRun[],
  ) {
    this.store = store;
    this.keeper = keeper;
    this.logs = logs;
    this.record = record;
    this.result = result;
    this.runs = new Map(runs.map((run) => [run.seq, run]));
  }

  async take(given: Answer, isRequested: boolean): Promise<void> {
    const answer = await this.withFiles(given, isRequested);
    if (isRequested) this.requested.add(answer.seq);
    if ('error' in answer) {
      this.unheard.push(answer);
      if (!answer.sent) this.heard.push({ seq: answer.seq, state: 'unsent' });
    } else {
      if (answer.state === 'failed' && answer.runId !== null) {
        const { seq, runId, reason } = answer;
        const { versionId } = versionOf(this.record.campaign, this.runs.get(seq)!.version);
        await this.logs.keep({ seq, runId, versionId }, reason);
      }
      this.heard.push(this.judged(answer));
    }
    if (this.heard.length >= WRITE_EVERY) await this.write();
  }

  async write(): Promise<void> {
    // what is done together, as the store writes it together
    const isDone = ({ state }: RunObservation): boolean => state === 'done';
    const batch = [...this.heard.filter((seen) => !isDone(seen)), ...this.heard.filter(isDone)];
    this.heard = [];
    const observations = await this.withOwners(batch);
    await this.store.observe(this.record.campaign.id, observations, Date.now());
    for (const observation of observations) this.count(observation);
  }

  /**
   * A run is done when its files are in the store. While they are not it is polled, and until then known by its id and by
   * whose it is: requested once more it would look as if it had been started by us.
   */
  private async withFiles(answer: Answer, isRequested: boolean): Promise<Answer> {
    if ('error' in answer || answer.state !== 'done') return answer;
    try {
      await this.keeper.keep([answer.outputs]);
      return answer;
    } catch (error) {
      // an abort ends no batch here: requests that are out are still to be heard
      if (isCloudError(error)) this.result.retryAfter = Math.max(this.result.retryAfter, error.retryAfter);
      else if (!this.keeper.isAborted) throw error;
      this.lacksFiles = true;
      const { seq, runId, origin } = answer;
      return isRequested && runId !== null
        ? { seq, state: 'running', runId, owned: origin === 'new' }
        : { seq, error, sent: !isRequested };
    }
  }

  /** A run that failed may be tried again; one that the service refused to start would be refused again. */
  private judged(seen: RunObservation): RunObservation {
    if (seen.state !== 'failed' || seen.runId === null) return seen;
    const { attempts } = this.record.campaign;
    if (nextAttemptIn(attempts, this.failuresOf(seen.seq)) === undefined) return seen;
    return { seq: seen.seq, state: 'again', reason: seen.reason, reseeds: attempts.seed === 'new' };
  }

  /** How often a run has failed, this time included. */
  private failuresOf(seq: number): number {
    return this.runs.get(seq)!.failures + 1;
  }

  /** A run that another campaign of this store has, when we request it, is joined: not ours to stop. */
  private async withOwners(batch: readonly RunObservation[]): Promise<RunObservation[]> {
    const isNew = (seen: RunObservation): seen is RunObservation & { owned: boolean; runId: string } =>
      'owned' in seen && this.requested.has(seen.seq);
    const claimed = await this.store.claimedByOthers(
      this.record.campaign.id,
      batch.filter(isNew).map(({ runId }) => runId),
    );
    return batch.map((seen) => (isNew(seen) && claimed.has(seen.runId) ? { ...seen, owned: false } : seen));
  }

  private count(seen: RunObservation): void {
    const { outcomes, failures, causes } = this.result;
    switch (seen.state) {
      case 'done':
        outcomes[seen.origin].push(seen.seq);
        break;
      case 'failed': {
        const { point, replication } = this.runs.get(seen.seq)!;
        const reason = seen.reason.slice(0, LONGEST_REASON);
        outcomes.failed.push(seen.seq);
        if (failures.length < SAMPLES) failures.push(reason);
        const sample = { point: point.key, replication, reason };
        addCauses(causes, [{ cause: causeOf(seen.reason), count: 1, sample }]);
        break;
      }
      case 'again': {
        const delay = nextAttemptIn(this.record.campaign.attempts, this.failuresOf(seen.seq));
        outcomes.again.push([seen.seq, delay ?? 0]);
        break;
      }
      case 'queued':
      case 'running':
        outcomes[seen.state].push(seen.seq);
        break;
      case 'unsent':
      case 'waiting':
        break;
    }
  }
}
