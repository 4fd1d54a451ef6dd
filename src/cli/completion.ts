import { Argument, type Command } from 'commander';
import { stateOfStore } from '../store/index.ts';
import { bashScript, zshScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { commandWords } from './completion/tree.ts';
import { print } from './output.ts';
import { settingsFrom } from '../settings/settings.ts';
import { type SettingFlags, withSettings } from './settings.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Who waits for a completion waits no longer, ms. */
const PATIENCE_MS = 1_500;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('a script that completes commands, options and campaigns in your shell (docs/operations.md)')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell](commandWords(program)));
    });
  // asked by the scripts, with the words before the one that is completed
  withSettings(program.command('campaign-ids', { hidden: true }))
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (flags: SettingFlags) => {
      // a database that does not answer would keep the process
      setTimeout(() => process.exit(), PATIENCE_MS).unref();
      const { campaigns } = await stateOfStore(settingsFrom(flags).store);
      for (const id of campaigns) print(id);
    });
}
