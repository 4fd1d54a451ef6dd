import type { Foray } from '../client/index.ts';
import { commandName } from './command-name.ts';
import { tell } from './output.ts';

/** A worker usually changes a campaign in much less time than this, ms. */
const PATIENCE_MS = 10_000;

/**
 * Waits for a change of a campaign. A worker makes the change, and Temporal waits for a worker without a limit. So a
 * user who waits for long gets a line, which says why the campaign cannot continue if that is known.
 */
export async function untilChanged<T>(
  foray: Pick<Foray, 'status'>,
  id: string,
  change: Promise<T>,
): Promise<T> {
  let told: Promise<void> | undefined;
  const impatient = setTimeout(() => {
    told = tellWhyUnchanged(foray, id);
  }, PATIENCE_MS);
  try {
    return await change;
  } finally {
    clearTimeout(impatient);
    // a question to Temporal that outlives its connection would break the program
    await told;
  }
}

async function tellWhyUnchanged(foray: Pick<Foray, 'status'>, id: string): Promise<void> {
  const status = await foray.status(id).catch(() => undefined);
  const why = status?.blocked
    ? `It cannot continue: ${status.blocked}`
    : `"${commandName()} status ${id}" shows whether a worker answers.`;
  tell(`A worker has not changed ${id} yet. ${why}`);
}
