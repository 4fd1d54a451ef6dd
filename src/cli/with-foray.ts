import { Foray } from '../client/index.ts';
import { ForayError, isForayError } from '../errors.ts';
import type { WhenMissing } from '../store/index.ts';
import { hintWithoutStore, settingsWithService } from './home.ts';
import { settingsFrom } from '../settings/settings.ts';
import type { SettingFlags } from './settings.ts';

interface Needs {
  /** What becomes of a store that is not there yet: only a command that starts something makes one. @default 'refuse' */
  store?: WhenMissing;
  /** Whether the command needs the model service. */
  service?: boolean;
}

/**
 * Opens the client for one command and closes it after.
 * @throws ForayError STORE_MISSING, DEV_NOT_RUNNING, as it needs; whatever `Foray.open` and `use` throw
 */
export async function withForay<T>(
  flags: SettingFlags,
  use: (foray: Foray) => Promise<T>,
  { store = 'refuse', service = false }: Needs = {},
): Promise<T> {
  const settings = service ? settingsWithService(flags) : settingsFrom(flags);
  const foray = await Foray.open(settings, store).catch((error: unknown) => {
    // the store is the home's, and perhaps another home is meant
    if (!isForayError(error) || error.code !== 'STORE_MISSING' || flags.store !== undefined) throw error;
    throw new ForayError(error.code, error.message, { hint: hintWithoutStore(flags.home) });
  });
  try {
    return await use(foray);
  } finally {
    await foray.close();
  }
}
