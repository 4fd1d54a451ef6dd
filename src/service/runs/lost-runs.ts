import type { RunRepository } from './repository.ts';

/** The interval between checks, ms. */
const INTERVAL = 2_000;

export interface LostRunsParts {
  runs: RunRepository;
  /** Whether the run is executing, or its end is about to be written. */
  isHeld: (runId: string) => boolean;
  /** Called after runs became FRESH. */
  onRequeued: () => void;
  onFault: (error: unknown) => void;
}

/**
 * Finds runs that are RUNNING in the database but not executing, and makes them FRESH. Animated ones are stopped,
 * because nobody can watch them any more. No such runs should exist: this is a protection against unknown faults.
 *
 * @returns a function that ends the checks
 */
export function watchForLostRuns({ runs, isHeld, onRequeued, onFault }: LostRunsParts): () => void {
  const look = (): void => {
    try {
      const lost = runs.running().filter(({ id }) => !isHeld(id));
      for (const run of lost) {
        if (run.experimentType === 'ANIMATION_SVG') runs.stop(run.id, 'it has lost its process');
        else runs.requeue(run);
        onFault(new Error(`run ${run.id} was RUNNING without an executor`));
      }
      if (lost.length > 0) onRequeued();
    } catch (error) {
      onFault(error);
    }
  };
  const timer = setInterval(look, INTERVAL).unref();
  return () => clearInterval(timer);
}
