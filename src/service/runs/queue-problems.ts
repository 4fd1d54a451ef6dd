import { messageOf } from '../../errors.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Problems } from '../problems.ts';
import { UntoldFaults } from '../untold-faults.ts';
import type { DispatcherListener, Executed } from './dispatcher.ts';
import type { Ending } from './feed.ts';
import type { RecorderListener } from './recorder.ts';

export interface QueueProblemsParts {
  registry: ModelRegistry;
  problems: Problems;
  /**
   * Called when a run was deferred. The models' files must then be read again, because it may be that an executor could
   * not read them, or that their content has changed.
   */
  onDeferred: () => void;
}

/** Notes problems of the service that become visible in the work on its queue. */
export class QueueProblems implements DispatcherListener, RecorderListener {
  readonly #parts: QueueProblemsParts;
  /** When a run of each version was last deferred, by `performance.now`. */
  readonly #deferredAt = new Map<string, number>();
  readonly #faults: UntoldFaults;

  constructor(parts: QueueProblemsParts) {
    this.#parts = parts;
    this.#faults = new UntoldFaults(parts.problems);
  }

  claimed(isIdle: boolean): void {
    const { problems } = this.#parts;
    this.#faults.noteAnswer();
    problems.resolve('QUEUE_STUCK', '');
    // if no run waits, these problems are over
    if (isIdle) problems.replace(['NO_EXECUTOR', 'RUNS_DEFERRED'], []);
  }

  claimFailed(error: unknown): void {
    if (!this.#faults.mustTell(error)) return;
    this.#parts.problems.raise({
      code: 'QUEUE_STUCK',
      subject: '',
      message: 'The database cannot be used: runs wait.',
      detail: `No run can be taken from the queue; foray tries again: ${messageOf(error)}`,
    });
  }

  ended(versionId: string, outcome: Executed, ms: number): void {
    const { registry, problems, onDeferred } = this.#parts;
    const now = performance.now();
    switch (outcome.kind) {
      case 'completed':
      case 'failed':
        // a run that began earlier does not show that another run could begin now
        if (now - ms >= (this.#deferredAt.get(versionId) ?? 0)) problems.resolve('RUNS_DEFERRED', versionId);
        return problems.resolve('NO_EXECUTOR', '');
      case 'unusable':
        return problems.resolve('RUNS_DEFERRED', versionId);
      case 'unstarted':
        return problems.raise({
          code: 'NO_EXECUTOR',
          subject: '',
          message: 'No process for an executor can be started: runs wait.',
          detail: `No process for an executor can be started; foray tries again: ${outcome.reason}`,
        });
      case 'deferred':
        this.#deferredAt.set(versionId, now);
        // the cause may be the version's folder, which its runs can change; its kept files stay as they are
        if (outcome.isLasting) registry.leaveFolder(versionId);
        problems.raise({
          code: 'RUNS_DEFERRED',
          subject: versionId,
          message: `${registry.publicName(versionId)} cannot be executed just now: its runs wait.`,
          detail: `Runs of the model "${registry.model(registry.version(versionId).modelId).name}" wait: ${outcome.reason}`,
        });
        return onDeferred();
      case 'ended':
      // somebody stopped it, which is no problem of the queue
    }
  }

  refused(endings: readonly Ending[], error: unknown): void {
    for (const { runId } of endings) {
      this.#parts.problems.raise({
        code: 'RUNS_UNRECORDED',
        subject: runId,
        message:
          'The database cannot store the end of a run; the service keeps it in memory and tries again.',
        detail: `The database cannot store the end of run ${runId}; foray tries again: ${messageOf(error)}`,
      });
    }
  }

  written(endings: readonly Ending[]): void {
    for (const { runId } of endings) this.#parts.problems.resolve('RUNS_UNRECORDED', runId);
  }
}
