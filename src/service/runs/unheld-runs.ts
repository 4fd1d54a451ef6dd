import { RepeatedCheck } from '../repeated-check.ts';
import type { RunRepository } from './repository.ts';

/** The interval between checks, ms. */
const INTERVAL = 5_000;
/** The name of the holders of the service's own executors. */
export const EMBEDDED = 'service';

export interface UnheldRunsParts {
  runs: RunRepository;
  /** The holder of the runs that this process executes. */
  holder: () => string;
  /** Whether this process executes the run, or is about to write its end. */
  isHeld: (runId: string) => boolean;
  /** Called after runs became FRESH. */
  onRequeued: () => void;
  onFault: (error: unknown) => void;
}

/**
 * Finds runs that are RUNNING in the database, but that no executor executes. If two checks in a row find the same run,
 * the run becomes FRESH. Animated runs are stopped, because nobody can watch them any more. No such runs should exist.
 * This is a protection against unknown faults.
 *
 * @returns a function that ends the checks
 */
export function watchForUnheldRuns({
  runs,
  holder,
  isHeld,
  onRequeued,
  onFault,
}: UnheldRunsParts): () => void {
  // one check is not enough: the database knows that a run is claimed a moment before this process knows it
  let suspects: ReadonlySet<string> = new Set();
  const look = async (): Promise<void> => {
    const found = (await runs.holders.unheld(holder())).filter(({ id }) => !isHeld(id));
    const lost = found.filter(({ id }) => suspects.has(id));
    suspects = new Set(found.map(({ id }) => id));
    for (const { id, isAnimated } of lost) {
      if (isAnimated) await runs.stop(id, 'it has lost its process');
      else await runs.holders.requeue([id]);
      onFault(new Error(`run ${id} was RUNNING without an executor`));
    }
    if (lost.length > 0) onRequeued();
  };
  const looks = new RepeatedCheck({ check: () => look().catch(onFault), every: INTERVAL });
  return () => void looks.close();
}

/**
 * Cleans up at a start of the service. No holder has the runs of its earlier process any more. They become FRESH again,
 * in their old places in the queue. Animated runs are stopped, because their sessions are lost. Unfinished parts of
 * incomplete experiments are removed.
 *
 * @param holder - the id of the holder that this process opens
 */
export async function takeBackRuns(runs: RunRepository, holder: string): Promise<void> {
  await runs.holders.closeNamed(EMBEDDED);
  await runs.holders.open(holder, EMBEDDED);
  const unheld = await runs.holders.unheld(holder);
  for (const { id } of unheld.filter(({ isAnimated }) => isAnimated))
    await runs.stop(id, 'the model service was restarted');
  await runs.dropAllParts();
  await runs.holders.requeue(unheld.filter(({ isAnimated }) => !isAnimated).map(({ id }) => id));
}
