import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { nameKey, type Model, type Version } from '../api/index.ts';
import { type CheckedDefinition, checkDefinition } from '../campaign/check.ts';
import { type ReadDefinition, readDefinition } from '../campaign/read.ts';
import { didYouMean } from '../campaign/suggest.ts';
import type { Campaign, CampaignFile } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError, messageOf } from '../errors.ts';

/** A definition as a person hands it in: its text, and the name of its file, against which paths in it are read. */
export interface DefinitionSource {
  text: string;
  file: string;
}

/** A definition that can be submitted: resolved against the model's version, with the files that it names. */
export interface CheckedCampaign {
  campaign: Omit<Campaign, 'id' | 'service'>;
  /** Content of the files, by hash. */
  contents: Map<string, Uint8Array>;
  /** Tells two definitions apart by what they mean, not by how they are written. */
  digest: string;
}

/**
 * Reads a definition and every file it names, and checks all of it against the model's version at the service.
 * Nothing is written or started.
 *
 * @throws ForayError with the place in the definition
 */
export async function checkCampaign(cloud: CloudClient, source: DefinitionSource): Promise<CheckedCampaign> {
  const read = readDefinition(source.text, source.file);
  const model = await findModel(cloud, read);
  const version = await findVersion(cloud, read, model);
  const experiments = read.definition.experiment === undefined ? [] : await cloud.listExperiments(version.id);
  const { files: paths, ...checked } = checkDefinition(read, { name: model.name, version, experiments });
  const { files, contents } = await readFiles(read, paths, source.file);
  const campaign = {
    ...checked,
    base: withFiles(checked, files),
    files,
    model: { id: model.id, name: model.name, versionId: version.id, version: version.version },
  };
  const digest = createHash('sha256').update(JSON.stringify(campaign)).digest('hex');
  return { campaign, contents, digest };
}

async function findModel(cloud: CloudClient, { definition, locate }: ReadDefinition): Promise<Model> {
  const { name } = definition.model;
  try {
    return await cloud.getModelByName(name);
  } catch (error) {
    if (!isCloudError(error) || (error.kind !== 'not-found' && error.kind !== 'refused')) throw error;
  }
  const models = await cloud.listModels();
  const found = models.find((model) => nameKey(model.name) === nameKey(name));
  if (found) return found;
  throw new ForayError('UNKNOWN_MODEL', `The service has no model "${name}".`, {
    place: locate(['model', 'name']),
    hint:
      didYouMean(
        name,
        models.map((model) => model.name),
      ) ?? 'It has none at all for this key.',
  });
}

async function findVersion(
  cloud: CloudClient,
  { definition, locate }: ReadDefinition,
  model: Model,
): Promise<Version> {
  const wanted = definition.model.version;
  const unknown = (): ForayError =>
    new ForayError('UNKNOWN_MODEL', `The model "${model.name}" has no version ${wanted}.`, {
      place: locate(['model', 'version']),
      hint: `It has ${model.modelVersions.length}; "latest" takes the last.`,
    });
  const id = wanted === 'latest' ? model.modelVersions.at(-1) : wanted;
  if (id === undefined) throw unknown();
  try {
    if (typeof id === 'number') return await cloud.getVersionByNumber(model.id, id);
    return await cloud.getVersion(model.id, id);
  } catch (error) {
    if (isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused')) throw unknown();
    throw error;
  }
}

async function readFiles(
  { definition, locate }: ReadDefinition,
  paths: Record<string, string>,
  definitionFile: string,
): Promise<{ files: CampaignFile[]; contents: Map<string, Uint8Array> }> {
  const files: CampaignFile[] = [];
  const contents = new Map<string, Uint8Array>();
  for (const [input, path] of Object.entries(paths)) {
    let content: Uint8Array;
    try {
      content = await readFile(resolve(dirname(definitionFile), path));
    } catch (error) {
      throw new ForayError(
        'DEFINITION_UNREADABLE',
        `The file "${path}" for "${input}" ${whyUnreadable(error)}.`,
        {
          place: locate([
            'files',
            Object.keys(definition.files).find((name) => nameKey(name) === nameKey(input))!,
          ]),
          hint: "Paths are relative to the definition's folder.",
        },
      );
    }
    const hash = createHash('sha256').update(content).digest('base64url');
    contents.set(hash, content);
    files.push({ input, hash, filename: path.split(/[\\/]/).at(-1)! });
  }
  return { files, contents };
}

/** Completes "The file X ...": why it cannot be read, without Node's own words. */
export function whyUnreadable(error: unknown): string {
  const { code = messageOf(error) } = error as NodeJS.ErrnoException;
  return unreadable[code] ?? `cannot be read (${code})`;
}

const unreadable: Record<string, string> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
};

/** The value of a file input is the file's hash. */
function withFiles({ base }: Pick<CheckedDefinition, 'base'>, files: CampaignFile[]): Campaign['base'] {
  return base.map((input) => {
    const file = files.find((candidate) => candidate.input === input.name);
    return file ? { ...input, value: file.hash } : input;
  });
}
