import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ForayError } from '../../errors.ts';

const ENTRIES = ['model.ts', 'model.js'];
/** Made by tools beside a model's code, no part of it. */
const IGNORED = new Set(['node_modules', '__pycache__']);

/** Where a model's code is, and what it was when it was read. */
export interface ModelCode {
  /** The module with the model's definition. */
  entry: string;
  /** The model's own folder, then the shared ones of its neighbourhood. */
  folders: string[];
  contentHash: string;
}

/**
 * The models in a folder of models: one for each folder in it with a `model.ts` or `model.js`. A folder without is
 * code that its neighbours share, and counts as part of each of them.
 *
 * @throws ForayError MODEL_INVALID when the folder cannot be read
 */
export function findModels(modelDir: string): ModelCode[] {
  const root = path.resolve(modelDir);
  let names;
  try {
    names = visibleEntries(root).filter((entry) => entry.isDirectory());
  } catch {
    throw new ForayError('MODEL_INVALID', `The folder of models ${root} cannot be read.`);
  }
  const folders = names.map(({ name }) => path.join(root, name));
  const shared = folders.filter((folder) => entryOf(folder) === undefined);
  return folders.flatMap((folder) => {
    const entry = entryOf(folder);
    if (entry === undefined) return [];
    const own = [folder, ...shared];
    return [{ entry, folders: own, contentHash: hashContent(own) }];
  });
}

/** SHA-256 over the names and contents of all files in the folders. */
export function hashContent(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const [index, folder] of folders.entries()) {
    for (const file of filesUnder(folder)) {
      const bytes = readFileSync(file);
      // the length keeps one file's end from passing as the next one's beginning
      hash.update(JSON.stringify([index, path.relative(folder, file), bytes.length])).update(bytes);
    }
  }
  return hash.digest('hex');
}

function entryOf(folder: string): string | undefined {
  return ENTRIES.map((name) => path.join(folder, name)).find((file) => existsSync(file));
}

function filesUnder(folder: string): string[] {
  return visibleEntries(folder).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(full) : [full];
  });
}

function visibleEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !IGNORED.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
