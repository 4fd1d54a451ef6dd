import type { RunRepository } from './repository.ts';

/** How often they are looked for, in milliseconds. */
const INTERVAL = 2_000;

export interface LostRunsParts {
  runs: RunRepository;
  /** Whether something executes the run, or is about to write how it has ended. */
  isHeld: (runId: string) => boolean;
  /** Called when there are more FRESH runs. */
  onRequeued: () => void;
  onFault: (error: unknown) => void;
}

/**
 * Looks for runs that are RUNNING in the database while nothing executes them, and puts them back; animated ones, which nobody
 * can look at any more, are stopped. There should be none: this is for faults that nobody has thought of.
 *
 * @returns what ends it
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
