import { Foray } from '../client/index.ts';
import { type SettingFlags, settingsFrom } from './settings.ts';

/** Opens the client for one command and closes it after. */
export async function withForay<T>(flags: SettingFlags, use: (foray: Foray) => Promise<T>): Promise<T> {
  const foray = await Foray.open(settingsFrom(flags));
  try {
    return await use(foray);
  } finally {
    await foray.close();
  }
}
