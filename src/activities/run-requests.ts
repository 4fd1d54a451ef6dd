import type { RunRequest, RunState } from '../api/index.ts';
import { runInputs } from '../campaign/points.ts';
import type { Campaign } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import {
  type CloudClient,
  type CloudError,
  type CloudErrorKind,
  isCloudError,
  isShortOutage,
  LONGEST_REASON,
  templateOf,
  valuesOf,
  withRetries,
} from '../cloud/index.ts';
import { bounded } from '../text/printable.ts';
import type { DoneRun, OpenRun, Origin, PlannedRun, RunObservation, Store } from '../store/index.ts';
import type { World } from './types.ts';

/**
 * The maximum number of runs about which the service is asked at once. All `advance` activities of a worker share one
 * limit, except for their first polls of new runs; each other activity has its own limit.
 */
export const REQUESTS_AT_ONCE = 128;

/** The maximum number of requests for the outputs of a run, one after the other, if requests fail. */
const OUTPUTS_ATTEMPTS = 4;
/** The delay after the first of these requests, ms. */
const OUTPUTS_AGAIN_MS = 250;

/** There is no usable answer about a run. `sent` is false if no request to start the run can have arrived. */
export interface NoAnswer {
  seq: number;
  error: unknown;
  sent: boolean;
}

/** The service's answer about a run, or why there is none. */
export type Answer = RunObservation | NoAnswer;

/** Whether the service has the run and it has not finished. */
export function isUnfinished(
  answer: Answer,
): answer is Extract<RunObservation, { state: 'queued' | 'running' }> {
  return 'state' in answer && (answer.state === 'queued' || answer.state === 'running');
}

/** Whether the run has ended, with or without results. */
export function hasFinished(answer: Answer): boolean {
  return 'state' in answer && (answer.state === 'done' || answer.state === 'failed');
}

/** How to interpret a state that the service reports. */
interface Reading {
  /** The origin of a run that has completed. */
  completed: Origin;
  /** Whether an unfinished run belongs to this campaign. */
  owned: boolean;
}

/**
 * The highest value of `hitBalance`. After this many requests in a row with an error, one more error ends the requests
 * for results.
 */
const MOST_MISSES = 8;
/** The errors that a service may answer with if it has no results. */
const resultless: readonly CloudErrorKind[] = ['not-found', 'refused', 'server', 'malformed'];

const STOPPED_ELSEWHERE = 'stopped at the service by somebody else';

/** Asks the service about the runs of one campaign. Each call is about one run. */
export class RunRequester {
  readonly #cloud: CloudClient;
  readonly #store: Store;
  readonly #campaign: Campaign;
  readonly #signal: AbortSignal;
  /**
   * Counts the requests that ask for results first. A request that finds results adds 1, up to MOST_MISSES. A request
   * that ends with an error subtracts 1. An empty answer changes nothing. When the balance is negative, results are no
   * longer requested first.
   */
  #hitBalance: number;
  #heard = false;

  /**
   * @param resultsFirst the service probably has the requested runs already. Then one request for the results is
   * enough, instead of one for the run and one for its results
   */
  constructor(
    { cloud, store }: Pick<World, 'cloud' | 'store'>,
    campaign: Campaign,
    signal: AbortSignal,
    resultsFirst = false,
  ) {
    this.#cloud = cloud;
    this.#store = store;
    this.#campaign = campaign;
    this.#signal = signal;
    this.#hitBalance = resultsFirst && campaign.fresh === null ? MOST_MISSES : -1;
  }

  /** Whether the service has reported the state of a run. */
  get hasHeard(): boolean {
    return this.#heard;
  }

  /** Requests a run whose intent is in the store. The service may already have the run, in any state. */
  async request(run: PlannedRun): Promise<Answer> {
    // after a lost answer, the results would not show which campaign started the run
    if (this.#hitBalance >= 0 && run.attempt === 1) {
      const answer = await this.#resultsOf(run);
      if (answer) return answer;
    }
    try {
      const { id, ...state } = await this.#cloud.requestRun(
        this.#versionOf(run),
        this.#requestOf(run),
        this.#signal,
      );
      // A run that is COMPLETED at the first attempt existed before. At a later attempt, an earlier request of ours may
      // have started it.
      return await this.#observe(run, id, state, {
        completed: run.attempt > 1 ? 'new' : 'reused',
        owned: true,
      });
    } catch (error) {
      return this.#answerOf(run.seq, error);
    }
  }

  /**
   * The results of a run, or an error if the service does not answer; undefined if the service has no results of the
   * run. The request starts no run.
   */
  async #resultsOf(run: PlannedRun): Promise<Answer | undefined> {
    try {
      const results = await this.#getResults(run);
      if (results.length === 0 && this.#campaign.outputs.length > 0) return undefined;
      this.#hitBalance = Math.min(MOST_MISSES, this.#hitBalance + 1);
      return { seq: run.seq, state: 'done', runId: null, origin: 'reused', outputs: valuesOf(results) };
    } catch (error) {
      this.#hitBalance -= 1;
      // services report missing results in different ways; a service that does not answer is not asked again
      // immediately
      const isAnswer = isCloudError(error) && resultless.includes(error.kind);
      return isAnswer ? undefined : { seq: run.seq, error, sent: false };
    }
  }

  /**
   * Polls a requested run. A run whose id is unknown, that the service has lost, or that a campaign of this store has
   * stopped, is requested again.
   */
  async poll(run: OpenRun): Promise<Answer> {
    const { seq, runId } = run;
    if (runId === null) return this.request(run);
    try {
      const state = await this.#cloud.getProgress(this.#versionOf(run), runId, this.#signal);
      // a cancelled campaign stops its own runs, even a run that this campaign has requested meanwhile
      if (state.status === 'STOPPED' && (await this.#store.wasStopped(runId))) return await this.request(run);
      return await this.#observe(run, runId, state, readingOf(run));
    } catch (error) {
      if (isCloudError(error) && error.kind === 'not-found') return this.request(run);
      const answer = this.#answerOf(seq, error);
      return 'error' in answer ? { ...answer, sent: true } : answer;
    }
  }

  /** Reads the results of a run that has probably finished. If it has not, polls the run. */
  async collect(run: OpenRun & { runId: string }): Promise<Answer> {
    const { seq, runId } = run;
    try {
      const outputs = await this.#outputsOf(run, runId);
      return { seq, state: 'done', runId, origin: readingOf(run).completed, outputs };
    } catch (error) {
      if (isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused'))
        return this.poll(run);
      return { seq, error, sent: true };
    }
  }

  /** The outputs of a completed run. The request starts no run. */
  async outputsOfDone(run: DoneRun): Promise<Record<string, string>> {
    if (run.runId !== null) return this.#outputsOf(run, run.runId);
    return valuesOf(await this.#getResults(run));
  }

  #getResults(run: Omit<DoneRun, 'runId'>): ReturnType<CloudClient['getResults']> {
    const outputs = JSON.stringify(templateOf(this.#campaign.outputs));
    return this.#cloud.getResults(this.#versionOf(run), { ...this.#requestOf(run), outputs }, this.#signal);
  }

  /**
   * Finds the state of a run by its inputs, without requesting the run again. So it also finds a run whose id is
   * unknown, because the answer to its request was lost. The state is `waiting` if the service does not know the run.
   */
  async find(run: OpenRun): Promise<Answer> {
    try {
      const { id, ...state } = await this.#cloud.findRun(
        this.#versionOf(run),
        this.#requestOf(run),
        this.#signal,
      );
      return await this.#observe(run, id, state, readingOf(run));
    } catch (error) {
      if (isCloudError(error) && error.kind === 'not-found') return { seq: run.seq, state: 'waiting' };
      return { seq: run.seq, error, sent: true };
    }
  }

  /**
   * Stops a run, and records in the store that a campaign stopped it. Otherwise other campaigns would conclude that
   * somebody else stopped it.
   *
   * @returns the error if the service refuses to stop the run
   */
  async stop(run: PlannedRun, runId: string): Promise<CloudError | undefined> {
    await this.#store.recordStop(this.#campaign.id, runId);
    try {
      await this.#cloud.stopRun(this.#versionOf(run), this.#requestOf(run), this.#signal);
      return undefined;
    } catch (error) {
      if (isCloudError(error) && error.isFinal) return error;
      throw error;
    }
  }

  #versionOf({ version }: Pick<DoneRun, 'version'>): string {
    return versionOf(this.#campaign, version).versionId;
  }

  #requestOf({ point, replication, reseeded }: Omit<DoneRun, 'runId'>): RunRequest {
    return { experimentType: 'SIMULATION', inputs: runInputs(this.#campaign, point, replication, reseeded) };
  }

  async #observe(
    run: PlannedRun,
    runId: string,
    { status, message }: RunState,
    { completed, owned }: Reading,
  ): Promise<RunObservation> {
    this.#heard = true;
    const { seq } = run;
    switch (status) {
      case 'FRESH':
        return { seq, state: 'queued', runId, owned };
      case 'RUNNING':
        return { seq, state: 'running', runId, owned };
      case 'COMPLETED':
        return { seq, state: 'done', runId, origin: completed, outputs: await this.#outputsOf(run, runId) };
      case 'FAILED':
        return { seq, state: 'failed', runId, reason: this.#cloud.reasonOf(message) };
      case 'STOPPED':
        return { seq, state: 'failed', runId, reason: STOPPED_ELSEWHERE, isStopped: true };
    }
  }

  /**
   * The outputs of a completed run. After a temporary error, the outputs are requested again here. That is less work
   * than another poll, which would also request the state.
   */
  async #outputsOf(run: Pick<DoneRun, 'version'>, runId: string): Promise<Record<string, string>> {
    const template = templateOf(this.#campaign.outputs);
    const results = await withRetries(
      () => this.#cloud.getRunResults(this.#versionOf(run), runId, template, this.#signal),
      {
        attempts: OUTPUTS_ATTEMPTS,
        firstDelay: OUTPUTS_AGAIN_MS,
        mayRetry: isShortOutage,
        signal: this.#signal,
      },
    );
    return valuesOf(results);
  }

  #answerOf(seq: number, error: unknown): Answer {
    if (!isCloudError(error)) return { seq, error, sent: true };
    // If the service refuses a request, it would refuse it again. So only this run has failed, and the others go on.
    if (error.isFinal) {
      return { seq, state: 'failed', runId: null, reason: bounded(error.message, LONGEST_REASON) };
    }
    return { seq, error, sent: error.mayHaveArrived };
  }
}

function readingOf({ owned, joined }: OpenRun): Reading {
  return { completed: joined ? 'reused' : 'new', owned };
}
