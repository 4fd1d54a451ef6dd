import type { Command } from 'commander';
import { settingsFrom } from '../settings/settings.ts';
import { stateOfStore } from '../store/index.ts';
import { print } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';

/** Longest wait for a completion, ms. */
const TIMEOUT = 1_500;

/** The scripts of `foray completion` call this command with the words before the word to complete. */
export function addCampaignIds(program: Command): void {
  withSettings(program.command('campaign-ids', { hidden: true }))
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (flags: SettingFlags) => {
      // a database that does not answer would keep the process alive
      setTimeout(() => process.exit(), TIMEOUT).unref();
      const { campaigns } = await stateOfStore(settingsFrom(flags).store);
      for (const id of campaigns) print(id);
    });
}
