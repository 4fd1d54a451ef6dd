import { Argument, type Command } from 'commander';
import { stateOfStore } from '../store/index.ts';
import { bashScript, zshScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { commandWords } from './completion/tree.ts';
import { print } from './output.ts';
import { settingsFrom } from '../settings/settings.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Longest wait for a completion, ms. */
const TIMEOUT = 1_500;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and campaign ids in your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell](commandWords(program)));
    });
  // the scripts call this command with the words before the word to complete
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
