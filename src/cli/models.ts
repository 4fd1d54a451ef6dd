import type { Command } from 'commander';
import { allowedText, isLimited } from '../api/index.ts';
import { modelAtService } from '../client/index.ts';
import { counted } from '../report/words/words.ts';
import { addModelsCheck } from './models-check.ts';
import { addModelsImport } from './models-import.ts';
import { addModelsNew } from './models-new.ts';
import { addModelsPush } from './models-push.ts';
import { addModelsVersions } from './models-versions.ts';
import { print, printJson, printTable } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { serviceClient } from './with-foray.ts';

export function addModels(program: Command): void {
  const models = withSettings(program.command('models'));
  models
    .description('list the models of the service, or the inputs, outputs and experiments of one model')
    .argument('[model]', 'name or id of one model')
    .option('--json', 'print the models, or the model, as JSON')
    .action((wanted: string | undefined, flags: SettingFlags & { json?: boolean }) =>
      wanted === undefined ? listModels(flags) : showModel(wanted, flags),
    );
  addModelsNew(models);
  addModelsImport(models);
  addModelsCheck(models);
  addModelsPush(models);
  addModelsVersions(models);
}

async function listModels(flags: SettingFlags & { json?: boolean }): Promise<void> {
  const models = await serviceClient(flags).listModels();
  if (flags.json) return printJson(models);
  for (const { name, description, modelVersions } of models) {
    print(`${name} (${counted(modelVersions.length, 'version')})`);
    if (description) print(`  ${description}`);
  }
  if (models.length === 0) print('The service has no models for this key.');
}

async function showModel(wanted: string, flags: SettingFlags & { json?: boolean }): Promise<void> {
  const cloud = serviceClient(flags);
  const model = await modelAtService(cloud, wanted);
  if (flags.json) return printJson(model);
  const { version, experiments } = model;
  print(`${model.name}, version ${version.version} (model ${model.id})`);
  if (model.description) print(model.description);
  const { inputs, outputs } = version.experimentTemplate;
  const hasLimits = inputs.some(isLimited);
  printTable('Inputs', [
    ['name', 'type', 'units', 'default', ...(hasLimits ? ['allowed'] : [])],
    ...inputs.map((input) => [
      input.name,
      input.type,
      input.units ?? '',
      input.value,
      ...(hasLimits ? [allowedText(input)] : []),
    ]),
  ]);
  printTable('Outputs', [
    ['name', 'type', 'units'],
    ...outputs.map(({ name, type, units }) => [name, type, units ?? '']),
  ]);
  printTable('Experiments', [['name', 'type'], ...experiments.map(({ name, type }) => [name, type])]);
}
