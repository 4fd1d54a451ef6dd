import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { nameKey } from '../api/index.ts';
import type { ReadDefinition } from '../campaign/read.ts';
import type { Campaign, CampaignFile } from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import { ForayError, messageOf } from '../errors.ts';
import { type DefinitionSource, type ResolvedDefinition, resolveDefinition } from '../resolve/index.ts';

/** A definition that can be submitted: resolved against the model's version, with the files that it names. */
export interface CheckedCampaign extends ResolvedDefinition {
  /** Content of the files, by hash. */
  contents: Map<string, Uint8Array>;
}

/**
 * Reads a definition and every file it names, and checks all of it against the model's version at the service.
 * Nothing is written or started.
 *
 * @param pinned the version that `latest` is to mean, of a campaign that has begun
 * @throws ForayError with the place in the definition
 */
export async function checkCampaign(
  cloud: CloudClient,
  source: DefinitionSource,
  pinned?: Campaign['model'],
): Promise<CheckedCampaign> {
  const contents = new Map<string, Uint8Array>();
  const resolved = await resolveDefinition(
    cloud,
    source,
    (read, paths) => readFiles(read, paths, source.file, contents),
    pinned,
  );
  return { ...resolved, contents };
}

async function readFiles(
  { definition, locate }: ReadDefinition,
  paths: Record<string, string>,
  definitionFile: string,
  contents: Map<string, Uint8Array>,
): Promise<CampaignFile[]> {
  const files: CampaignFile[] = [];
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
  return files;
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
