import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ForayError } from '../errors.ts';
import { counted } from '../report/words/words.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import { commandName } from './command-name.ts';
import { folderOf, writtenTo } from './models-new.ts';
import { print } from './output.ts';

export function addModelsImport(models: Command): void {
  models
    .command('import')
    .description('write a model from an FMU, from a program with text files, or from a model of Mesa')
    .argument(
      '<source>',
      'a file x.fmu, a folder with a deck.yaml and templates *.tpl, or module:Class of Mesa',
    )
    .option('--to <folder>', 'folder to write (default: the name of the model, in this folder)')
    .action(async (source: string, { to }: { to?: string }) => {
      if (to !== undefined) refuseExisting(to);
      const { importModel, writeModel } = await import('../service/models/import.ts');
      // a virtual environment in the folder or beside it is used. Without --to, no folder exists yet, and any name will do
      const model = await importModel(source, to ?? 'model');
      const { name, inputs, outputs } = model.declaration;
      const folder = to ?? folderOf(name);
      refuseExisting(folder);
      const files = writtenTo(folder, '--to', () => writeModel(model, folder));
      print(`Made ${files.map((file) => join(folder, file)).join(', ')}:`);
      print(
        `the model ${name} with ${counted(inputs.length, 'input')} and ${counted(outputs.length, 'output')}.`,
      );
      if (model.left.length > 0) print('Left out:');
      for (const one of model.left) print(`  ${one}`);
      print('Change the files as you like, then:');
      // the program of a deck needs its files, and they have no defaults
      const needed = 'foray_deck.py' in model.files ? inputs.filter(({ type }) => type === 'INPUT_FILE') : [];
      const given = needed.map(({ name }) => ` --file ${shellQuoted(`${name}=FILE`)}`).join('');
      print(`  ${commandName()} models check ${shellQuoted(folder)}${given}`);
      if (given !== '') print('    with the path of a file in place of FILE');
      print(`  ${commandName()} dev --models ${shellQuoted(folder)}`);
    });
}

function refuseExisting(folder: string): void {
  if (!existsSync(folder)) return;
  throw new ForayError('OUTPUT_UNWRITABLE', `${folder} already exists.`, {
    hint: 'Choose another folder with --to.',
  });
}
