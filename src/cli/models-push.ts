import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { PushRequest } from '../api/index.ts';
import type { CloudClient } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import type { FoundModel } from '../service/models/reader.ts';
import { modelsIn } from './models-in.ts';
import { print, printJson } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { serviceClient } from './with-foray.ts';

/** Maximum number of rounds of uploads. If files are still missing afterwards, they probably change during the push. */
const MOST_ROUNDS = 3;

interface PushedModel {
  name: string;
  version: number;
  isNew: boolean;
  /** The number of uploaded files. Several files with the same content count as one. */
  uploaded: number;
  files: number;
}

export function addModelsPush(models: Command): void {
  withSettings(models.command('push'))
    .description(
      'send a model to the service as a new version, if it has changed; its other versions can still run',
    )
    .argument('<folder>', 'folder of one model or of several')
    .option('--json', 'print the versions as JSON')
    .action(async (folder: string, flags: SettingFlags & { json?: boolean }) => {
      const { readModel } = await import('../service/models/reader.ts');
      const root = path.resolve(folder);
      // all models are read first, so that a mistake in one model stops the push of all
      const found = await Promise.all((await modelsIn(folder)).map((place) => readModel(root, place)));
      const files = await Promise.all(found.map(filesToPush));
      const cloud = serviceClient(flags);
      const pushed: PushedModel[] = [];
      for (const [at, model] of found.entries()) pushed.push(await push(cloud, model, files[at]!));
      if (flags.json) return printJson(pushed);
      for (const { name, version, isNew, uploaded, files } of pushed) {
        print(
          isNew
            ? `${name}, version ${version}: ${uploaded} of ${files} files uploaded`
            : `${name} has not changed: version ${version}`,
        );
      }
    });
}

/** A file of a model, and its path on this machine. */
type LocalFile = PushRequest['files'][number] & { file: string };

/**
 * The files of a model that a push sends.
 * @throws ForayError MODEL_INVALID for a model that would not run on another machine
 */
async function filesToPush({ code, declaration, outside }: FoundModel): Promise<LocalFile[]> {
  const { manifestOf, MODELS, outsideWarning } = await import('../service/models/manifest.ts');
  const { filesOf } = await import('../service/models/folder.ts');
  const warning = outsideWarning(declaration, outside, code);
  if (warning !== undefined) throw new ForayError('MODEL_INVALID', warning);
  const { files } = manifestOf(code, declaration, outside);
  // `files` has the order of `filesOf`. Its paths begin with the folder of the model or with that of foray's files
  return filesOf(code).flatMap(({ file }, at) => {
    const { path: place, mode, sha256, link } = files[at]!;
    // the service has its own copy of foray's files
    if (!place.startsWith(`${MODELS}/`)) return [];
    if (link !== undefined) {
      throw new ForayError('MODEL_INVALID', `The link ${file} leads to no file, so it cannot be pushed.`, {
        hint: 'Put the files themselves into the folder of the model.',
      });
    }
    return [{ path: place.slice(MODELS.length + 1), mode, sha256, file }];
  });
}

async function push(
  cloud: CloudClient,
  model: FoundModel,
  local: readonly LocalFile[],
): Promise<PushedModel> {
  const { code, declaration } = model;
  const folders = code.folders.map((folder) => path.basename(folder));
  const request: PushRequest = {
    folders,
    entry: `${folders[0]}/${path.basename(code.entry)}`,
    files: local.map(({ path: place, mode, sha256 }) => ({ path: place, mode, sha256 })),
  };
  const uploaded = new Set<string>();
  // each request makes the version, or names the files that the service still lacks. A last request follows the uploads
  for (let round = 0; ; round += 1) {
    const { missing, pushed } = await cloud.pushModel(request);
    if (pushed) return { ...pushed, uploaded: uploaded.size, files: local.length };
    if (round === MOST_ROUNDS) break;
    for (const sha256 of missing) {
      const { file } = local.find((each) => each.sha256 === sha256)!;
      await cloud.pushFile(readFileSync(file));
      uploaded.add(sha256);
    }
  }
  throw new ForayError(
    'MODEL_UNREADABLE',
    `The service still lacks files of the model "${declaration.name}" after they were pushed.`,
    {
      hint: 'Do not change the files during the push. If a proxy divides requests between replicas, push to the address of one replica.',
    },
  );
}
