import { type Argument, type Command, Help, type Option } from 'commander';

/**
 * The words that a place in the command line accepts, or the kind of these words if only the shell or the store knows
 * them.
 */
export type Expected = readonly string[] | 'file' | 'folder' | 'campaign' | 'anything';

export interface OptionWords {
  /** The names of the option, such as `-o` and `--output`. */
  names: string[];
  description: string;
  /** The value that follows the option; undefined for an option without a value. */
  value: Expected | undefined;
}

export interface CommandWords {
  /** The words of the command, without the program; empty for the program itself. */
  path: string[];
  commands: { name: string; description: string }[];
  options: OptionWords[];
  arguments: Expected[];
}

/** The kinds of arguments and option values that are paths, by their names in the help. */
const paths: Readonly<Record<string, Expected>> = { file: 'file', folder: 'folder', dir: 'folder' };
/** The kinds of arguments that are campaigns, by their names in the help. */
const campaigns: Readonly<Record<string, Expected>> = { id: 'campaign', a: 'campaign', b: 'campaign' };

/** The program and all commands that its help shows. */
export function commandWords(program: Command, path: string[] = []): CommandWords[] {
  const help = new Help();
  const commands = help.visibleCommands(program);
  return [
    {
      path,
      commands: commands.map((command) => ({
        name: command.name(),
        description: help.subcommandDescription(command),
      })),
      options: help.visibleOptions(program).map(optionWords),
      arguments: program.registeredArguments.map(expectedOf),
    },
    ...commands
      .filter(({ parent }) => parent === program)
      .flatMap((command) => commandWords(command, [...path, command.name()])),
  ];
}

/** The words of a command, each with a blank before it. They identify the command in the scripts. */
export function placeOf(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join('');
}

function optionWords(option: Option): OptionWords {
  const name = /[<[]([\w-]+)/.exec(option.flags)?.[1];
  return {
    names: [option.short, option.long].filter((text) => text !== undefined),
    description: option.description,
    value: name === undefined ? undefined : (option.argChoices ?? paths[name] ?? 'anything'),
  };
}

function expectedOf(argument: Argument): Expected {
  return argument.argChoices ?? paths[argument.name()] ?? campaigns[argument.name()] ?? 'anything';
}
