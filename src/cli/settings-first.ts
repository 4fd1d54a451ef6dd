import { type Command, Help, Option } from 'commander';
import { SETTINGS_GROUP, settingOptions } from './setting-options.ts';

/**
 * Allows settings before the command (`foray --home DIR list`). For this, the program itself has these options, but not
 * their defaults and environment variables. It passes the given values on to the command. A command without such an
 * option refuses the setting.
 */
export function allowSettingsFirst(program: Command): void {
  const options = settingOptions().map(({ flags, description, parseArg }) => {
    const option = new Option(flags, description).helpGroup(SETTINGS_GROUP);
    return parseArg ? option.argParser(parseArg) : option;
  });
  for (const option of options) program.addOption(option);
  program
    // options after the command belong to the command
    .enablePositionalOptions()
    .hook('preAction', (_, command) => {
      for (const option of options) {
        const name = option.attributeName();
        const value: unknown = program.getOptionValue(name);
        if (value === undefined) continue;
        const owner = ownerOf(name, command, program);
        if (!owner) return command.error(`error: ${command.name()} has no option '${option.long}'`);
        if (owner.getOptionValueSource(name) !== 'cli') owner.setOptionValueWithSource(name, value, 'cli');
      }
    });
}

/** The command that has an option: this command or a command above it. The program itself does not count. */
function ownerOf(name: string, command: Command, program: Command): Command | undefined {
  for (let at: Command | null = command; at && at !== program; at = at.parent)
    if (at.options.some((option) => option.attributeName() === name)) return at;
  return undefined;
}

/** Orders the option groups of commander, with the settings last. */
export const ownOptionsFirst: Pick<Help, 'groupItems'> = {
  groupItems(unsorted, visible, groupOf) {
    const groups = new Help().groupItems(unsorted, visible, groupOf);
    const settings = groups.get(SETTINGS_GROUP);
    groups.delete(SETTINGS_GROUP);
    if (settings) groups.set(SETTINGS_GROUP, settings);
    return groups;
  },
};
