import { addCauses, causeOf, nextAttemptIn } from '../campaign/failures.ts';
import type { Campaign } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import { isCloudError } from '../cloud/index.ts';
import type { PlannedRun, RunObservation } from '../store/index.ts';
import type { LogKeeper } from './failed-run-logs.ts';
import type { OutputFileFetcher } from './output-file-fetcher.ts';
import type { Answer, NoAnswer } from './run-requests.ts';
import type { AdvanceResult, World } from './types.ts';

/** The maximum number of observations per write. It is small, so that a worker that dies loses little. */
const WRITE_EVERY = 50;
/** The maximum number of reasons of failed runs in the result. */
const MOST_REASONS = 3;
/** The longest reason in the result, in characters. The history of the workflow keeps the result. */
const LONGEST_REASON = 200;

/** Collects the answers about runs, and writes them in batches. */
export class Batch {
  /**
   * Runs without a usable answer, and most completed runs whose output files could not be fetched. A run with an id that
   * this activity has requested counts as running instead, and is polled again.
   */
  readonly unheard: NoAnswer[] = [];
  /** True if the files of a completed run could not be fetched. */
  lacksFiles = false;
  #heard: RunObservation[] = [];
  readonly #world: World;
  readonly #fetcher: OutputFileFetcher;
  readonly #logs: LogKeeper;
  readonly #campaign: Campaign;
  readonly #result: AdvanceResult;
  readonly #runs: ReadonlyMap<number, PlannedRun>;
  readonly #requested = new Set<number>();

  constructor(
    world: World,
    fetcher: OutputFileFetcher,
    logs: LogKeeper,
    campaign: Campaign,
    result: AdvanceResult,
    runs: readonly PlannedRun[],
  ) {
    this.#world = world;
    this.#fetcher = fetcher;
    this.#logs = logs;
    this.#campaign = campaign;
    this.#result = result;
    this.#runs = new Map(runs.map((run) => [run.seq, run]));
  }

  /** Adds the answer about a run that the same activity has requested. */
  async addRequested(answer: Answer): Promise<void> {
    this.#requested.add(answer.seq);
    await this.#add(await this.#withFiles(answer, true));
  }

  /** Adds the answer about a run that was requested earlier. */
  async addPolled(answer: Answer): Promise<void> {
    await this.#add(await this.#withFiles(answer, false));
  }

  async #add(answer: Answer): Promise<void> {
    if ('error' in answer) {
      this.unheard.push(answer);
      if (!answer.sent) this.#heard.push({ seq: answer.seq, state: 'unsent' });
    } else {
      if (answer.state === 'failed' && answer.runId !== null) {
        const { seq, runId, reason } = answer;
        const { versionId } = versionOf(this.#campaign, this.#runs.get(seq)!.version);
        await this.#logs.keep({ seq, runId, versionId }, reason);
      }
      this.#heard.push(this.#judged(answer));
    }
    if (this.#heard.length >= WRITE_EVERY) await this.write();
  }

  async write(): Promise<void> {
    // runs that are done come last, because the store writes them together
    const isDone = ({ state }: RunObservation): boolean => state === 'done';
    const batch = [...this.#heard.filter((seen) => !isDone(seen)), ...this.#heard.filter(isDone)];
    this.#heard = [];
    const observations = await this.#withOwners(batch);
    const { store, now } = this.#world;
    await store.observe(this.#campaign.id, observations, now());
    for (const observation of observations) this.#count(observation);
  }

  /**
   * Fetches the files of a completed run. The run counts as done only when its files are in the store, or can never be
   * fetched. Until then a run with an id is polled again, and a run without an id is requested again. A run with an id
   * is not requested again, because a second request would look as if this campaign had started the run.
   */
  async #withFiles(answer: Answer, isRequested: boolean): Promise<Answer> {
    if ('error' in answer || answer.state !== 'done') return answer;
    try {
      await this.#fetcher.keep([answer.outputs]);
      return answer;
    } catch (error) {
      // an abort does not end a batch here: we still wait for the answers to requests that were sent
      if (isCloudError(error)) this.#result.retryAfter = Math.max(this.#result.retryAfter, error.retryAfter);
      else if (!this.#fetcher.isAborted) throw error;
      this.lacksFiles = true;
      const { seq, runId, origin } = answer;
      return isRequested && runId !== null
        ? { seq, state: 'running', runId, owned: origin === 'new' }
        : { seq, error, sent: !isRequested };
    }
  }

  /**
   * Decides whether a failed run is tried again. A run that the service refused to start is not tried again, because
   * the service would refuse it again.
   */
  #judged(seen: RunObservation): RunObservation {
    if (seen.state !== 'failed' || seen.runId === null) return seen;
    const { attempts } = this.#campaign;
    if (nextAttemptIn(attempts, this.#failuresOf(seen.seq)) === undefined) return seen;
    return { seq: seen.seq, state: 'again', reason: seen.reason, reseeds: attempts.seed === 'new' };
  }

  /** How often a run has failed, including this time. */
  #failuresOf(seq: number): number {
    return this.#runs.get(seq)!.failures + 1;
  }

  /** If another campaign of this store already has a requested run, this campaign joins it and must not stop it. */
  async #withOwners(batch: readonly RunObservation[]): Promise<RunObservation[]> {
    const isNew = (seen: RunObservation): seen is RunObservation & { owned: boolean; runId: string } =>
      'owned' in seen && this.#requested.has(seen.seq);
    const claimed = await this.#world.store.claimedByOthers(
      this.#campaign.id,
      batch.filter(isNew).map(({ runId }) => runId),
    );
    return batch.map((seen) => (isNew(seen) && claimed.has(seen.runId) ? { ...seen, owned: false } : seen));
  }

  #count(seen: RunObservation): void {
    const { outcomes, failures, causes } = this.#result;
    switch (seen.state) {
      case 'done':
        outcomes[seen.origin].push(seen.seq);
        break;
      case 'failed': {
        const { point, replication } = this.#runs.get(seen.seq)!;
        const reason = seen.reason.slice(0, LONGEST_REASON);
        outcomes.failed.push(seen.seq);
        if (failures.length < MOST_REASONS) failures.push(reason);
        const sample = { point: point.key, replication, reason };
        addCauses(causes, [{ cause: causeOf(seen.reason), count: 1, sample }]);
        break;
      }
      case 'again': {
        // `#judged` has found that there is a next attempt
        const delay = nextAttemptIn(this.#campaign.attempts, this.#failuresOf(seen.seq))!;
        outcomes.again.push([seen.seq, delay]);
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
