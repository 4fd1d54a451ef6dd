import { cloudClient, Foray } from '../client/index.ts';
import type { CloudClient } from '../cloud/index.ts';
import { ForayError, isForayError } from '../errors.ts';
import type { WhenMissing } from '../store/index.ts';
import { hintWithoutStore, settingsWithService } from './home.ts';
import { tell } from './output.ts';
import { settingsFrom } from '../settings/settings.ts';
import type { SettingFlags } from './setting-options.ts';

interface Needs {
  /** What to do if there is no store yet. Only commands that start something create a store. @default 'refuse' */
  store?: WhenMissing;
  /** Whether the command needs the model service. */
  service?: boolean;
}

/**
 * Opens the client for one command, and closes it afterwards.
 * @throws ForayError STORE_MISSING, DEV_NOT_RUNNING, depending on `needs`; and the errors of `Foray.open` and `use`
 */
export async function withForay<T>(
  flags: SettingFlags,
  use: (foray: Foray) => Promise<T>,
  { store = 'refuse', service = false }: Needs = {},
): Promise<T> {
  const settings = service ? settingsWithService(flags) : settingsFrom(flags);
  const foray = await Foray.open(settings, store, tellSilence).catch((error: unknown) => {
    // the store belongs to the home, and perhaps the user means another home
    if (!isForayError(error) || error.code !== 'STORE_MISSING' || flags.store !== undefined) throw error;
    throw new ForayError(error.code, error.message, { hint: hintWithoutStore(flags.home) });
  });
  try {
    return await use(foray);
  } finally {
    await foray.close();
  }
}

/**
 * The client of the model service, for a command that needs no store.
 * @throws ForayError DEV_NOT_RUNNING
 */
export function serviceClient(flags: SettingFlags): CloudClient {
  return cloudClient(settingsWithService(flags), 'person', tellSilence);
}

function tellSilence(service: string): void {
  tell(`The model service at ${service} does not answer yet. Waiting for it; Ctrl-C stops this command.`);
}
