import type { RunRequest, RunState } from '../api/index.ts';
import { runInputs } from '../campaign/design.ts';
import type { Campaign } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import type { OpenRun, Origin, PlannedRun, RunObservation } from '../store/index.ts';
import { templateOf, valuesOf } from './outputs.ts';

/** Requests to the service at once, of one activity. */
export const REQUESTS_AT_ONCE = 16;

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

/** Asks the service about the runs of one campaign, one run at a time. */
export class RunAsker {
  private readonly cloud: CloudClient;
  private readonly campaign: Campaign;
  private readonly signal: AbortSignal;

  constructor(cloud: CloudClient, campaign: Campaign, signal: AbortSignal) {
    this.cloud = cloud;
    this.campaign = campaign;
    this.signal = signal;
  }

  /** Requests a run that the store has the intent of; the service may have it already, in any state. */
  async request(run: PlannedRun): Promise<Answer> {
    try {
      const { id, ...state } = await this.cloud.requestRun(this.versionId, this.requestOf(run), this.signal);
      // COMPLETED at the first attempt was there before us; after that it may be what an unheard answer started.
      return await this.observe(run.seq, id, state, {
        completed: run.attempt > 1 ? 'new' : 'reused',
        owned: true,
      });
    } catch (error) {
      return this.answerOf(run.seq, error);
    }
  }

  /** Looks at a run that was requested. One that the service lost is requested again. */
  async poll(run: OpenRun): Promise<Answer> {
    const { seq, runId } = run;
    if (runId === null) return this.request(run);
    try {
      const state = await this.cloud.getProgress(this.versionId, runId, this.signal);
      return await this.observe(seq, runId, state, readingOf(run));
    } catch (error) {
      if (isCloudError(error) && error.kind === 'not-found') return this.request(run);
      const answer = this.answerOf(seq, error);
      return 'error' in answer ? { ...answer, sent: true } : answer;
    }
  }

  /** What became of a run whose answer was lost, without requesting it; `waiting` when the service knows nothing. */
  async find(run: OpenRun): Promise<Answer> {
    try {
      const { id, ...state } = await this.cloud.findRun(this.versionId, this.requestOf(run), this.signal);
      return await this.observe(run.seq, id, state, readingOf(run));
    } catch (error) {
      if (isCloudError(error) && error.kind === 'not-found') return { seq: run.seq, state: 'waiting' };
      return { seq: run.seq, error, sent: true };
    }
  }

  async stop(run: PlannedRun): Promise<void> {
    await this.cloud.stopRun(this.versionId, this.requestOf(run), this.signal);
  }

  private get versionId(): string {
    return this.campaign.model.versionId;
  }

  private requestOf({ point, replication }: PlannedRun): RunRequest {
    return { experimentType: 'SIMULATION', inputs: runInputs(this.campaign, point, replication) };
  }

  private async observe(
    seq: number,
    runId: string,
    { status, message }: RunState,
    { completed, owned }: Reading,
  ): Promise<RunObservation> {
    switch (status) {
      case 'FRESH':
        return { seq, state: 'queued', runId, owned };
      case 'RUNNING':
        return { seq, state: 'running', runId, owned };
      case 'COMPLETED': {
        const outputs = await this.cloud.getRunResults(
          this.versionId,
          runId,
          templateOf(this.campaign),
          this.signal,
        );
        return { seq, state: 'done', runId, origin: completed, outputs: valuesOf(outputs) };
      }
      case 'FAILED':
        return { seq, state: 'failed', runId, reason: reasonIn(message) };
      case 'STOPPED':
        return { seq, state: 'failed', runId, reason: STOPPED_BY_OTHERS };
    }
  }

  private answerOf(seq: number, error: unknown): Answer {
    if (!isCloudError(error)) return { seq, error, sent: true };
    // A request that the service calls wrong stays wrong: that is a result of this run, and the others go on.
    if (error.kind === 'refused' || error.kind === 'not-found' || error.kind === 'too-large') {
      return { seq, state: 'failed', runId: null, reason: error.message };
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
    return message.slice(0, 1_000);
  }
}
