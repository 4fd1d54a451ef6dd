import type { Command } from 'commander';
import { definitionSchema } from '../campaign/json-schema.ts';
import { findModel, latestVersion } from '../client/index.ts';
import { printJson } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { serviceClient } from './with-foray.ts';

export function addSchema(program: Command): void {
  withSettings(program.command('schema'))
    .description('print the JSON Schema of a definition for editors; with a model, also its inputs')
    .argument('[model]', 'name or id of a model')
    .action(async (wanted: string | undefined, flags: SettingFlags) => {
      if (wanted === undefined) return printJson(definitionSchema());
      const cloud = serviceClient(flags);
      const version = await latestVersion(cloud, findModel(await cloud.listModels(), wanted));
      printJson(definitionSchema(version.experimentTemplate.inputs));
    });
}
