import type { RunLog } from '../api/extensions.ts';
import { KEPT_LOG, LogTail, LONGEST_LINE } from '../text/log-tail.ts';
import { causeOf, MOST_LOGS_OF_CAUSE } from '../campaign/failures.ts';
import type { Campaign } from '../campaign/types.ts';
import type { World } from './types.ts';

/**
 * The maximum number of runs of a campaign whose logs are kept, for all causes of failures together. Activities that
 * run at the same time may exceed it a little.
 */
const MOST_LOGS = 400;
/** How long the report of a failure waits for the log of the run, ms. */
const ANSWER_MS = 10_000;

/** A run that failed, and the version of the model that it ran with. */
interface FailedRun {
  seq: number;
  runId: string;
  versionId: string;
}

/**
 * Fetches the logs of failed runs from the service and keeps them in the store. An error here does not affect the
 * campaign.
 */
export class LogKeeper {
  readonly #world: World;
  readonly #campaign: Campaign;
  readonly #signal: AbortSignal;
  /** Runs with a log, and runs whose log this object has tried to fetch, each with the cause of its failure. */
  #logged: Promise<Map<number, string>> | undefined;
  /** False once the service has shown that it offers no logs. */
  #isOffered = true;

  constructor(world: World, campaign: Campaign, signal: AbortSignal) {
    this.#world = world;
    this.#campaign = campaign;
    this.#signal = signal;
  }

  /** Keeps the log of a failed run, unless the store already has enough logs of the same cause or of the campaign. */
  async keep({ seq, ...run }: FailedRun, reason: string): Promise<void> {
    const { store, now } = this.#world;
    const { id } = this.#campaign;
    const cause = causeOf(reason);
    try {
      if (!this.#isOffered || !(await this.#reserveRoom(seq, cause))) return;
      const log = await this.#fetch(run);
      if (log && log.lines.length > 0) await store.keepRunLogs(id, [{ seq, cause, ...log }], now());
    } catch {
      // the failure of the run must be written even if its log is missing
    }
  }

  /** Reserves room for the log of a run. Returns false if there is none. A new log of the same run needs no room. */
  async #reserveRoom(seq: number, cause: string): Promise<boolean> {
    const logged = await (this.#logged ??= this.#world.store.loggedRuns(this.#campaign.id));
    const ofCause = [...logged.values()].filter((other) => other === cause);
    const isFull = logged.size >= MOST_LOGS || ofCause.length >= MOST_LOGS_OF_CAUSE;
    if (isFull && !logged.has(seq)) return false;
    logged.set(seq, cause);
    return true;
  }

  async #fetch({ versionId, runId }: Omit<FailedRun, 'seq'>): Promise<RunLog | undefined> {
    const { cloud } = this.#world;
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_MS)]);
    const log = await cloud.getRunLog(versionId, runId, signal);
    if (!log) {
      this.#isOffered = false;
      return undefined;
    }
    const { lines, omitted, command } = log;
    const tail = new LogTail(KEPT_LOG, omitted);
    // a service may repeat secrets in a log
    for (const line of lines) tail.add(cloud.redacted(line, LONGEST_LINE));
    return {
      lines: tail.lines,
      omitted: tail.omitted,
      ...(command !== undefined && { command: cloud.redacted(command, LONGEST_LINE) }),
    };
  }
}
