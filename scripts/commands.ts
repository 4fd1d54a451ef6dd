/**
 * Generates the tables of docs/reference/commands.md from the command line. `npm run reference` writes them into the
 * page, and a test checks that they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../src/cli/program.ts';
import { SETTINGS_GROUP, settingOptions } from '../src/cli/setting-options.ts';
import { table, withTables } from './table.ts';

const PAGE = join(import.meta.dirname, '../docs/reference/commands.md');

const program = await createProgram();

export const tables: Record<string, () => string> = {
  commands: () => list(program),
  settings: () =>
    table(
      ['setting', 'variable', 'meaning', 'default'],
      settingOptions().map((option) => [
        code(option.flags),
        code(option.envVar ?? ''),
        prose(option.description),
        defaultOf(option),
      ]),
    ),
  details: () => visible(program).flatMap(section).join('\n\n'),
};

/** The visible subcommands of a command, without "help". */
function visible(parent: Command): Command[] {
  const shown = parent.createHelp().visibleCommands(parent);
  return shown.filter((command) => parent.commands.includes(command));
}

/** A table with a row per command, with a link to its section. */
function list(parent: Command): string {
  const rows = visible(parent).map((command) => [
    `[${code(command.name())}](#${anchor(command)})`,
    sentence(command.description()),
  ]);
  return table(['command', 'does'], rows);
}

/** The section of a command, followed by the sections of its subcommands. */
function section(command: Command): string[] {
  const { registeredArguments, options } = command;
  const own = options.filter((option) => option.helpGroupHeading !== SETTINGS_GROUP);
  const parts = [
    `### ${title(command)}`,
    `${sentence(command.description())}.`,
    `\`\`\`\n${title(command)} ${command.usage()}\n\`\`\``,
    ...rowsOf('argument', registeredArguments, (one) => `<${one.name()}>`),
    ...rowsOf('option', own, ({ flags }) => flags),
    ...(own.length < options.length ? ['It also takes the [settings](#settings).'] : []),
  ];
  return [parts.join('\n\n'), ...visible(command).flatMap(section)];
}

function rowsOf<T extends Argument | Option>(head: string, items: readonly T[], name: (one: T) => string) {
  const shown = items.filter(({ description }) => description !== '');
  if (shown.length === 0) return [];
  const rows = shown.map((one) => [code(name(one)), prose(one.description), defaultOf(one)]);
  const hasDefaults = rows.some(([, , value]) => value !== '');
  const width = hasDefaults ? 3 : 2;
  return [
    table(
      [head, 'meaning', 'default'].slice(0, width),
      rows.map((row) => row.slice(0, width)),
    ),
  ];
}

/** The description of a default if the option has one, otherwise its value. */
function defaultOf(one: Argument | Option): string {
  const { defaultValue, defaultValueDescription: words } = one as {
    defaultValue?: unknown;
    defaultValueDescription?: string;
  };
  if (words !== undefined) return words;
  if (defaultValue === undefined || defaultValue === false || Array.isArray(defaultValue)) return '';
  return code(typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue));
}

/** A command with its parents: `foray models new`. */
function title(command: Command): string {
  return command.parent ? `${title(command.parent)} ${command.name()}` : command.name();
}

function anchor(command: Command): string {
  return title(command).replaceAll(' ', '-');
}

function sentence(text: string): string {
  return prose(text.charAt(0).toUpperCase() + text.slice(1));
}

/** Escapes text outside code: `<` would begin an HTML element there. */
function prose(text: string): string {
  return text.replaceAll('<', '\\<');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

if (import.meta.main) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), tables));
