import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ForayError, messageOf } from '../errors.ts';
import { ownFile } from '../own-files.ts';
import { print } from './output.ts';
import { shellQuoted } from '../shell-quoted.ts';
import { commandName } from './command-name.ts';

const SCAFFOLD = ownFile('src/cli/scaffold');

/** `foray models new`: a model that works, to be changed into one's own. */
export function addModelsNew(models: Command): void {
  models
    .command('new')
    .description('makes a model that works, to be changed into your own')
    .argument('<name>', 'what it is called')
    .option('--command', 'one that a command runs, in Python here, instead of a JavaScript module')
    .option('-o, --output <folder>', 'where to make it (default: its name, in this folder)')
    .action((name: string, flags: { command?: boolean; output?: string }) => {
      const named = folderOf(name);
      const folder = flags.output ?? named;
      if (existsSync(folder)) {
        throw new ForayError('OUTPUT_UNWRITABLE', `${folder} is there already.`, {
          hint: 'Choose another name, or another folder with -o.',
        });
      }
      const files = make(folder, flags.command ? 'command' : 'module', name);
      print(
        `Made ${files.map((file) => join(folder, file)).join(' and ')}, a model that works. Make it yours, then:`,
      );
      print(`  ${commandName()} models check ${shellQuoted(folder)}`);
      print(`  ${commandName()} dev --models ${shellQuoted(folder)}`);
    });
}

/** Returns the names of its files. */
function make(folder: string, scaffold: string, name: string): string[] {
  try {
    cpSync(join(SCAFFOLD, scaffold), folder, { recursive: true });
    const files = readdirSync(folder).sort();
    for (const file of files) fillIn(join(folder, file), name);
    return files;
  } catch (error) {
    throw new ForayError(
      'OUTPUT_UNWRITABLE',
      `The folder ${folder} cannot be written: ${messageOf(error)}.`,
      {
        hint: 'Choose another one with -o.',
      },
    );
  }
}

function folderOf(name: string): string {
  const folder = name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '');
  if (/\p{Cc}/u.test(name) || name.length > 200) {
    throw new ForayError('USAGE', 'A model has a name of at most 200 characters, all on one line.');
  }
  if (folder === '') {
    throw new ForayError('USAGE', `"${name}" is no name for a model: it has neither letters nor digits.`);
  }
  return folder;
}

/** Puts the model's name in, as a text that is the same in YAML and JavaScript. */
function fillIn(file: string, name: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/(name: )'?NAME'?/, (_, key: string) => `${key}${JSON.stringify(name.trim())}`),
  );
}
