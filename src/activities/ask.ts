import { setTimeout as delay } from 'node:timers/promises';
import type { RunRequest, RunState } from '../api/index.ts';
import { runInputs } from '../campaign/points.ts';
import type { Campaign } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import { type CloudClient, type CloudErrorKind, isCloudError, templateOf, valuesOf } from '../cloud/index.ts';
import { bounded } from '../printable.ts';
import type { DoneRun, OpenRun, Origin, PlannedRun, RunObservation, Store } from '../store/index.ts';
import type { World } from './types.ts';

/** Requests to the service at once, of one worker. */
export const REQUESTS_AT_ONCE = 128;

/** How often outputs are asked for before their run is left for later, and the first wait between, ms. */
const OUTPUTS_ATTEMPTS = 4;
const OUTPUTS_AGAIN_MS = 250;

/** Characters of the reason of a failure. */
const LONGEST_REASON = 1_000;

/** The reason of a run that was STOPPED without our asking. */
export const STOPPED_BY_OTHERS = 'stopped at the service by somebody else';

/** The service could not be asked about a run. `sent` is false when a request for it certainly never arrived. */
export interface NoAnswer {
  seq: number;
  error: unknown;
  sent: boolean;
}

/** What the service said of a run, or why it said nothing. */
export type Answer = RunObservation | NoAnswer;

/** How a state that is seen now is to be read. */
interface Reading {
  /** What a run that has completed is. */
  completed: Origin;
  /** Whether a run that has not finished is ours. */
  owned: boolean;
}

/** How many more runs may be missing than are there before results are no longer asked for first. */
const PATIENCE = 8;
/** What a service may answer when it has no results. */
const resultless: readonly CloudErrorKind[] = ['not-found', 'refused', 'server', 'malformed'];

/** What may be better a moment later. After a time-out as much time again is not spent at once. */
const passing: readonly CloudErrorKind[] = ['throttled', 'server', 'unreachable', 'malformed'];

/** Asks the service about the runs of one campaign, one run at a time. */
export class RunAsker {
  private readonly cloud: CloudClient;
  private readonly store: Store;
  private readonly campaign: Campaign;
  private readonly signal: AbortSignal;
  /** How much more often results were there than not when they were asked for first; negative once that does not pay. */
  private luck: number;
  private heard = false;

  /**
   * @param resultsFirst runs that are requested are likely to be there: one request for the results then does, instead
   *   of one for the run and one for its results
   */
  constructor(
    { cloud, store }: Pick<World, 'cloud' | 'store'>,
    campaign: Campaign,
    signal: AbortSignal,
    resultsFirst = false,
  ) {
    this.cloud = cloud;
    this.store = store;
    this.campaign = campaign;
    this.signal = signal;
    this.luck = resultsFirst && campaign.fresh === null ? PATIENCE : -1;
  }

  /** Whether the service has answered anything about a run. */
  get hasHeard(): boolean {
    return this.heard;
  }

  /** Requests a run that the store has the intent of; the service may have it already, in any state. */
  async request(run: PlannedRun): Promise<Answer> {
    // after a lost answer the results would not tell whose they are
    if (this.luck >= 0 && run.attempt === 1) {
      const answer = await this.resultsOf(run);
      if (answer) return answer;
    }
    try {
      const { id, ...state } = await this.cloud.requestRun(
        this.versionOf(run),
        this.requestOf(run),
        this.signal,
      );
      // COMPLETED at the first attempt was there before us; after that it may be what an unheard answer started.
      return await this.observe(run, id, state, {
        completed: run.attempt > 1 ? 'new' : 'reused',
        owned: true,
      });
    } catch (error) {
      return this.answerOf(run.seq, error);
    }
  }

  /** The results of a run that is there; undefined if it is not. This starts nothing. */
  private async resultsOf(run: PlannedRun): Promise<Answer | undefined> {
    const outputs = templateOf(this.campaign.outputs);
    try {
      const request = { ...this.requestOf(run), outputs: JSON.stringify(outputs) };
      const results = await this.cloud.getResults(this.versionOf(run), request, this.signal);
      if (results.length === 0 && outputs.length > 0) return undefined;
      this.luck = Math.min(PATIENCE, this.luck + 1);
      return { seq: run.seq, state: 'done', runId: null, origin: 'reused', outputs: valuesOf(results) };
    } catch (error) {
      this.luck -= 1;
      // services differ in how they say that there are none; one that does not answer is not asked again at once
      const isAnswer = isCloudError(error) && resultless.includes(error.kind);
      return isAnswer ? undefined : { seq: run.seq, error, sent: false };
    }
  }

  /** Looks at a run that was requested. One that the service lost, or that we stopped, is requested again. */
  async poll(run: OpenRun): Promise<Answer> {
    const { seq, runId } = run;
    if (runId === null) return this.request(run);
    try {
      const state = await this.cloud.getProgress(this.versionOf(run), runId, this.signal);
      // a campaign that is cancelled stops what is its own; it cannot know of ours whose answer was not here yet
      if (state.status === 'STOPPED' && (await this.store.wasStopped(runId))) return await this.request(run);
      return await this.observe(run, runId, state, readingOf(run));
    } catch (error) {
      if (isCloudError(error) && error.kind === 'not-found') return this.request(run);
      const answer = this.answerOf(seq, error);
      return 'error' in answer ? { ...answer, sent: true } : answer;
    }
  }

  /** Takes the results of a run that has finished by now, most likely; looks at it when it has not. */
  async take(run: OpenRun & { runId: string }): Promise<Answer> {
    const { seq, runId } = run;
    try {
      const outputs = await this.outputsOf(run, runId);
      return { seq, state: 'done', runId, origin: readingOf(run).completed, outputs };
    } catch (error) {
      if (isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused'))
        return this.poll(run);
      return { seq, error, sent: true };
    }
  }

  /** The outputs of a run that is done. This starts nothing. */
  async outputsOfDone(run: DoneRun): Promise<Record<string, string>> {
    if (run.runId !== null) return this.outputsOf(run, run.runId);
    const outputs = JSON.stringify(templateOf(this.campaign.outputs));
    const request = { ...this.requestOf(run), outputs };
    return valuesOf(await this.cloud.getResults(this.versionOf(run), request, this.signal));
  }

  /** What became of a run whose answer was lost, without requesting it; `waiting` when the service knows nothing. */
  async find(run: OpenRun): Promise<Answer> {
    try {
      const { id, ...state } = await this.cloud.findRun(
        this.versionOf(run),
        this.requestOf(run),
        this.signal,
      );
      return await this.observe(run, id, state, readingOf(run));
    } catch (error) {
      if (isCloudError(error) && error.kind === 'not-found') return { seq: run.seq, state: 'waiting' };
      return { seq: run.seq, error, sent: true };
    }
  }

  /** Stops a run. Other campaigns of the store can tell it then from one that somebody else stopped. */
  async stop(run: PlannedRun, runId: string): Promise<void> {
    await this.store.recordStop(this.campaign.id, runId);
    await this.cloud.stopRun(this.versionOf(run), this.requestOf(run), this.signal);
  }

  private versionOf({ version }: Pick<DoneRun, 'version'>): string {
    return versionOf(this.campaign, version).versionId;
  }

  private requestOf({ point, replication, reseeded }: Omit<DoneRun, 'runId'>): RunRequest {
    return { experimentType: 'SIMULATION', inputs: runInputs(this.campaign, point, replication, reseeded) };
  }

  private async observe(
    run: PlannedRun,
    runId: string,
    { status, message }: RunState,
    { completed, owned }: Reading,
  ): Promise<RunObservation> {
    this.heard = true;
    const { seq } = run;
    switch (status) {
      case 'FRESH':
        return { seq, state: 'queued', runId, owned };
      case 'RUNNING':
        return { seq, state: 'running', runId, owned };
      case 'COMPLETED':
        return { seq, state: 'done', runId, origin: completed, outputs: await this.outputsOf(run, runId) };
      case 'FAILED':
        return {
          seq,
          state: 'failed',
          runId,
          reason: this.cloud.redacted(reasonIn(message), LONGEST_REASON),
        };
      case 'STOPPED':
        return { seq, state: 'failed', runId, reason: STOPPED_BY_OTHERS };
    }
  }

  /**
   * What has completed stays so: where an answer may come with the next try, the outputs alone are asked for again, as a
   * later poll would cost a request for the state as well.
   */
  private async outputsOf(run: Pick<DoneRun, 'version'>, runId: string): Promise<Record<string, string>> {
    const template = templateOf(this.campaign.outputs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return valuesOf(await this.cloud.getRunResults(this.versionOf(run), runId, template, this.signal));
      } catch (error) {
        const isPassing = isCloudError(error) && passing.includes(error.kind);
        if (!isPassing || attempt === OUTPUTS_ATTEMPTS) throw error;
        const wait = Math.max(error.retryAfter, OUTPUTS_AGAIN_MS * 2 ** (attempt - 1));
        await delay(wait, undefined, { signal: this.signal });
      }
    }
  }

  private answerOf(seq: number, error: unknown): Answer {
    if (!isCloudError(error)) return { seq, error, sent: true };
    // A request that the service calls wrong stays wrong: that is a result of this run, and the others go on.
    if (error.kind === 'refused' || error.kind === 'not-found' || error.kind === 'too-large') {
      return { seq, state: 'failed', runId: null, reason: bounded(error.message, LONGEST_REASON) };
    }
    return { seq, error, sent: error.mayHaveArrived };
  }
}

function readingOf({ owned, joined }: OpenRun): Reading {
  return { completed: joined ? 'reused' : 'new', owned };
}

/** The reason of a failure: our service gives it as the message's title; others may give bare text. */
function reasonIn(message: string | null): string {
  if (!message) return 'the service gave no reason';
  try {
    const { title } = JSON.parse(message) as { title?: unknown };
    return typeof title === 'string' && title !== '' ? title : 'the service gave no reason';
  } catch {
    return message;
  }
}
