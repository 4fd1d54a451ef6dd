import { commandName } from './command-name.ts';
import { tell } from './output.ts';

/** A worker usually changes a campaign in much less time than this, ms. */
const PATIENCE_MS = 10_000;

/**
 * Waits for a change of a campaign. A worker makes the change, and Temporal waits for a worker without a limit. So a
 * user who waits for long gets a line.
 */
export async function untilChanged<T>(id: string, change: Promise<T>): Promise<T> {
  const impatient = setTimeout(() => {
    tell(
      `A worker has not changed ${id} yet. "${commandName()} status ${id}" shows whether a worker answers.`,
    );
  }, PATIENCE_MS);
  try {
    return await change;
  } finally {
    clearTimeout(impatient);
  }
}
