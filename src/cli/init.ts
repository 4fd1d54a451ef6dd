import { lstat, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { definitionSchema } from '../campaign/json-schema.ts';
import type { ModelInput } from '../campaign/input-values.ts';
import { findModel, latestVersion } from '../client/index.ts';
import { ForayError, messageOf } from '../errors.ts';
import { FREE_SPACE, isStorageFull } from '../system/disk-full.ts';
import { makeFolder } from '../system/file-system.ts';
import { replaceFile } from '../system/replace-file.ts';
import { print, tell, writeOut } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { serviceClient } from './with-foray.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import { schemaFileOf, starterDefinition } from '../client/starter.ts';
import { commandName } from './command-name.ts';

export function addInit(program: Command): void {
  withSettings(program.command('init'))
    .description('write a first definition for a model, with all its inputs and outputs')
    .argument('<model>', 'name or id of a model')
    .option('-o, --output <file>', 'file to write; its JSON Schema goes beside it (default: standard output)')
    .action(async (wanted: string, flags: SettingFlags & { output?: string }) => {
      const cloud = serviceClient(flags);
      const model = findModel(await cloud.listModels(), wanted);
      const version = await latestVersion(cloud, model);
      const schemaFile = schemaFileOf(model);
      const text = starterDefinition(model, version, await cloud.listExperiments(version.id));
      if (flags.output === undefined) {
        await writeOut([text]);
        tell(
          `For completion in an editor: ${commandName()} schema ${shellQuoted(model.name)} > ${schemaFile}`,
        );
        return;
      }
      await writeNew(flags.output, text);
      await writeSchema(join(dirname(flags.output), schemaFile), version.experimentTemplate.inputs);
      print(
        `Wrote ${flags.output}. Change it, then: ${commandName()} submit ${shellQuoted(flags.output)} --watch`,
      );
    });
}

/** Creates a file. @throws ForayError OUTPUT_UNWRITABLE when the file exists already, or cannot be written */
async function writeNew(file: string, text: string): Promise<void> {
  if (await isThere(file)) {
    throw new ForayError('OUTPUT_UNWRITABLE', `${file} already exists.`, {
      hint: 'Choose another file with -o.',
    });
  }
  try {
    await makeFolder(dirname(file));
    await replaceFile(file, text);
  } catch (error) {
    throw new ForayError('OUTPUT_UNWRITABLE', `The file ${file} cannot be written: ${messageOf(error)}.`, {
      hint: isStorageFull(error) ? FREE_SPACE : 'Choose another file with -o.',
    });
  }
}

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Writes the schema for definitions of a model, unless the file has this content already. */
async function writeSchema(file: string, inputs: readonly ModelInput[]): Promise<void> {
  const schema = `${JSON.stringify(definitionSchema(inputs), undefined, 2)}\n`;
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before !== schema) await writeOut([schema], file);
}
