import type { Command } from 'commander';
import { settingsFrom } from '../settings/settings.ts';
import { stateOfStore } from '../store/index.ts';
import { print } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';

/** Longest wait for a database server, ms. */
const TIMEOUT_MS = 1_500;

/** The scripts of `foray completion` call this command with the words before the word to complete. */
export function addCampaignIds(program: Command): void {
  withSettings(program.command('campaign-ids', { hidden: true }))
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (flags: SettingFlags) => {
      const { store } = settingsFrom(flags);
      // a database server that does not answer would keep the process alive. A file always answers, but on a slow
      // machine it may take longer than this time
      if (!store.startsWith('sqlite:')) setTimeout(() => process.exit(), TIMEOUT_MS).unref();
      const { campaigns } = await stateOfStore(store);
      for (const id of campaigns) print(id);
    });
}
