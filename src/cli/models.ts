import type { Command } from 'commander';
import { allowedText, isLimited, type Model, type Version } from '../api/index.ts';
import { didYouMean } from '../suggest.ts';
import { cloudClient } from '../client/index.ts';
import type { LimitedVersion } from '../campaign/facts.ts';
import type { CloudClient } from '../cloud/index.ts';
import { withLimits } from '../resolve/index.ts';
import { ForayError } from '../errors.ts';
import { addModelsCheck } from './models-check.ts';
import { settingsWithService } from './home.ts';
import { addModelsNew } from './models-new.ts';
import { print, printJson, printTable } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';

export function addModels(program: Command): void {
  const models = withSettings(program.command('models'));
  models
    .description('what the service has: models, their inputs, outputs and experiments')
    .argument('[model]', 'name or id of one model')
    .option('--json', 'print it as JSON')
    .action((wanted: string | undefined, flags: SettingFlags & { json?: boolean }) =>
      wanted === undefined ? listModels(flags) : showModel(wanted, flags),
    );
  addModelsNew(models);
  addModelsCheck(models);
}

async function listModels(flags: SettingFlags & { json?: boolean }): Promise<void> {
  const models = await cloudClient(settingsWithService(flags), 'person').listModels();
  if (flags.json) return printJson(models);
  for (const { name, description, modelVersions } of models) {
    print(`${name} (${modelVersions.length === 1 ? '1 version' : `${modelVersions.length} versions`})`);
    if (description) print(`  ${description}`);
  }
  if (models.length === 0) print('The service has no models for this key.');
}

async function showModel(wanted: string, flags: SettingFlags & { json?: boolean }): Promise<void> {
  const cloud = cloudClient(settingsWithService(flags), 'person');
  const model = findModel(await cloud.listModels(), wanted);
  const version = await latestVersion(cloud, model);
  const experiments = await cloud.listExperiments(version.id);
  if (flags.json) return printJson({ ...model, version, experiments });
  print(`${model.name}, version ${version.version} (model ${model.id})`);
  if (model.description) print(model.description);
  const { inputs, outputs } = version.experimentTemplate;
  const hasLimits = inputs.some(isLimited);
  printTable('Inputs', [
    ['name', 'type', 'units', 'default', ...(hasLimits ? ['allowed'] : [])],
    ...inputs.map((input) => [
      ...[input.name, input.type, input.units ?? '', input.value],
      ...(hasLimits ? [allowedText(input)] : []),
    ]),
  ]);
  printTable('Outputs', [
    ['name', 'type', 'units'],
    ...outputs.map(({ name, type, units }: Version['experimentTemplate']['outputs'][number]) => [
      name,
      type,
      units ?? '',
    ]),
  ]);
  printTable('Experiments', [['name', 'type'], ...experiments.map(({ name, type }) => [name, type])]);
}

/** The newest version of a model, with what it allows for its inputs. */
export async function latestVersion(cloud: CloudClient, model: Model): Promise<LimitedVersion> {
  return withLimits(cloud, await cloud.getVersion(model.id, model.modelVersions.at(-1)!));
}

/** @throws ForayError UNKNOWN_MODEL */
export function findModel(models: readonly Model[], wanted: string): Model {
  const key = wanted.trim().toLowerCase();
  const found = models.find(({ id, name }) => id === key || name.toLowerCase() === key);
  if (found) return found;
  throw new ForayError('UNKNOWN_MODEL', `The service has no model "${wanted}".`, {
    hint: didYouMean(
      wanted,
      models.map(({ name }) => name),
    ),
  });
}
