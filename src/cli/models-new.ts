import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { FREE_SPACE, isStorageFull } from '../system/disk-full.ts';
import { ForayError, messageOf } from '../errors.ts';
import { ownFile } from '../package/own-files.ts';
import { print } from './output.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import { commandName } from './command-name.ts';

const SCAFFOLD = ownFile('src/cli/scaffold');

export function addModelsNew(models: Command): void {
  models
    .command('new')
    .description('write a working model for you to change')
    .argument('<name>', 'name of the model')
    .option('--command', 'write a command model in Python instead of a JavaScript module')
    .option('--python', 'write a function in Python instead of a JavaScript module')
    .option('-o, --output <folder>', 'folder to write (default: the name of the model, in this folder)')
    .action((name: string, flags: { command?: boolean; python?: boolean; output?: string }) => {
      const usualFolder = folderOf(name);
      const folder = flags.output ?? usualFolder;
      if (existsSync(folder)) {
        throw new ForayError('OUTPUT_UNWRITABLE', `${folder} already exists.`, {
          hint: 'Choose another name, or another folder with -o.',
        });
      }
      if (flags.command && flags.python) throw new ForayError('USAGE', 'Give either --command or --python.');
      const kind = flags.python ? 'python' : flags.command ? 'command' : 'module';
      const files = writtenTo(folder, '-o', () => copyTemplate(folder, kind, name));
      print(
        `Made ${files.map((file) => join(folder, file)).join(' and ')}, a working model. Change it, then:`,
      );
      print(`  ${commandName()} models check ${shellQuoted(folder)}`);
      print(`  ${commandName()} dev --models ${shellQuoted(folder)}`);
    });
}

/** Copies the files of a template, inserts the name of the model, and returns the names of the files. */
function copyTemplate(folder: string, scaffold: string, name: string): string[] {
  cpSync(join(SCAFFOLD, scaffold), folder, { recursive: true });
  const files = readdirSync(folder).sort();
  for (const file of files) fillIn(join(folder, file), name);
  return files;
}

/**
 * Calls `write`, which writes the files of a model to a folder, and explains its errors.
 *
 * @param option - the option that names another folder
 * @throws ForayError OUTPUT_UNWRITABLE
 */
export function writtenTo<T>(folder: string, option: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw new ForayError(
      'OUTPUT_UNWRITABLE',
      `The folder ${folder} cannot be written: ${messageOf(error)}.`,
      { hint: isStorageFull(error) ? FREE_SPACE : `Choose another folder with ${option}.` },
    );
  }
}

/** The name of the folder for a model. @throws ForayError USAGE if a model cannot have the name */
export function folderOf(name: string): string {
  const folder = name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '');
  if (/\p{Cc}/u.test(name) || name.length > 200) {
    throw new ForayError('USAGE', 'A model has a name of at most 200 characters, all on one line.');
  }
  if (folder === '') {
    throw new ForayError('USAGE', `"${name}" is not a model name: it has neither letters nor digits.`);
  }
  return folder;
}

/** Inserts the model's name, quoted in a way that YAML, JavaScript and Python accept. */
function fillIn(file: string, name: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/(name(?:: |=))'?NAME'?/, (_, key: string) => `${key}${JSON.stringify(name.trim())}`),
  );
}
