import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { ForayError } from '../../errors.ts';

/** A module with the model's code, or a declaration with the command that runs it. */
const ENTRIES = ['model.ts', 'model.js', 'model.yaml', 'model.json'];
const TOOLS_FOLDERS = new Set(['node_modules', '__pycache__']);

/** Where a model's code is, and what it was when it was read. */
export interface ModelCode {
  /** The file with the model's definition: a module, or the declaration of a command model. */
  entry: string;
  /** The model's own folder, then the shared ones of its neighbourhood. */
  folders: string[];
  contentHash: string;
}

/**
 * The models in a folder: itself, when it is a model, else one for each folder in it that is. A folder without a model
 * is code that its neighbours share, and counts as part of each of them.
 *
 * @throws ForayError MODEL_INVALID when the folder cannot be read
 */
export function findModels(modelDir: string): ModelCode[] {
  const root = path.resolve(modelDir);
  if (entryOf(root) !== undefined) return [codeIn(root, [])];
  let names;
  try {
    names = visibleEntries(root).filter((entry) => entry.isDirectory());
  } catch {
    throw new ForayError('MODEL_INVALID', `The folder of models ${root} cannot be read.`);
  }
  const folders = names.map(({ name }) => path.join(root, name));
  const shared = folders.filter((folder) => entryOf(folder) === undefined);
  return folders.filter((folder) => !shared.includes(folder)).map((folder) => codeIn(folder, shared));
}

/** SHA-256 over the names and contents of all files in the folders. */
export function hashContent(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const [index, folder] of folders.entries()) {
    for (const file of filesUnder(folder)) {
      const content = contentOf(file);
      // the length keeps one file's end from passing as the next one's beginning
      hash.update(JSON.stringify([index, path.relative(folder, file), content.length])).update(content);
    }
  }
  return hash.digest('hex');
}

/** Tells one state of all files in the folders from another, without reading them. */
export function stateOfFolders(folders: readonly string[]): string {
  return folders
    .flatMap(filesUnder)
    .map((file) => {
      const { ino, size, mtimeMs } = lstatSync(file);
      return `${file} ${ino} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

/** Of a link that leads to no file, where it leads. */
function contentOf(file: string): Buffer {
  return statSync(file, { throwIfNoEntry: false })?.isFile()
    ? readFileSync(file)
    : Buffer.from(readlinkSync(file));
}

/** @throws ForayError MODEL_INVALID */
function codeIn(folder: string, shared: readonly string[]): ModelCode {
  const entries = ENTRIES.filter((name) => existsSync(path.join(folder, name)));
  if (entries.length > 1) {
    throw new ForayError('MODEL_INVALID', `The folder ${folder} has ${entries.join(' and ')}.`, {
      hint: 'A model is one of them: remove the other.',
    });
  }
  const folders = [folder, ...shared];
  return { entry: path.join(folder, entries[0]!), folders, contentHash: hashContent(folders) };
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
    .filter(({ name }) => !name.startsWith('.') && !isOfTools(path.join(folder, name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether tools have made it beside a model's code: what they installed or compiled is no part of the model. */
function isOfTools(entry: string): boolean {
  return TOOLS_FOLDERS.has(path.basename(entry)) || existsSync(path.join(entry, 'pyvenv.cfg'));
}
