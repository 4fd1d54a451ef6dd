import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import type { VersionFile } from '../../api/extensions.ts';
import { ForayError, messageOf } from '../../errors.ts';
import { ownFile } from '../../package/own-files.ts';
import { fileStamp } from '../../system/file-stamp.ts';
import { libraryFiles } from './library.ts';

/** The entry of a model: a module with its code, or a declaration with its command. */
const ENTRIES = ['model.ts', 'model.js', 'model.yaml', 'model.json'];
const TOOLS_FOLDERS = new Set(['node_modules', '__pycache__']);

/** The extensions of shared code. Other files beside models (results, notes) may change without a change of a model. */
const SHARED_CODE = /\.[cm]?[jt]s$/;

/** Where a model's code is. */
export interface ModelPlace {
  /** The file with the model's definition: a module, or the declaration of a command model. */
  entry: string;
  /** The model's own folder, and for a module also the shared folders beside it. */
  folders: string[];
  /** For a module, the files of foray that modules may import; empty for a command model. */
  library: readonly string[];
  /** The names of foray's files are relative to this folder. */
  libraryRoot: string;
}

/** A model's code, and its hashes when it was read. */
export interface ModelCode extends ModelPlace {
  contentHash: string;
  files: VersionFile[];
  /** Maps imports of this package to files, if the model does not use the current package. */
  imports?: Readonly<Record<string, string>>;
}

/**
 * The models in a folder: the folder itself, if it is a model, otherwise its subfolders that are models. Code in a
 * subfolder without a model is shared by the modules beside it, and is part of each of them.
 *
 * @throws ForayError MODEL_UNREADABLE, MODEL_INVALID
 */
export function findModels(modelDir: string): ModelPlace[] {
  const root = path.resolve(modelDir);
  try {
    return placesIn(root, [], (_folder, problem) => {
      throw problem;
    });
  } catch (error) {
    if (error instanceof ForayError) throw error;
    throw unreadableFolder(root, messageOf(error));
  }
}

/** The error for a folder of models that cannot be read. */
export function unreadableFolder(root: string, why: string): ForayError {
  return new ForayError('MODEL_UNREADABLE', `The folder of models ${root} cannot be read: ${why}.`);
}

/**
 * Like {@link findModels}, but continues after an invalid model.
 *
 * @param knownModels - folders that were models, and do not become shared code while their model is missing
 * @param onInvalid - called with each folder that has several entries of models
 * @throws Error of the system, if the folder cannot be read
 */
export function placesIn(
  root: string,
  knownModels: readonly string[],
  onInvalid: (folder: string, problem: ForayError) => void,
): ModelPlace[] {
  const place = (folder: string, entries: string[], shared: readonly string[]): ModelPlace[] => {
    if (entries.length === 1) return [placeOf(path.join(folder, entries[0]!), shared)];
    onInvalid(
      folder,
      new ForayError('MODEL_INVALID', `The folder ${folder} has ${entries.join(' and ')}.`, {
        hint: 'A model has only one of these files: remove the other.',
      }),
    );
    return [];
  };
  const here = visibleEntries(root);
  const own = entriesAmong(here);
  if (own.length > 0) return place(root, own, []);
  const folders = here
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(root, name))
    .map((folder) => ({ folder, entries: entriesOf(folder) }));
  const shared = folders
    .filter(({ folder, entries }) => entries.length === 0 && !knownModels.includes(folder))
    .map(({ folder }) => folder);
  return folders.flatMap(({ folder, entries }) => (entries.length > 0 ? place(folder, entries, shared) : []));
}

/**
 * Whether a folder is empty, apart from hidden files and the folders of tools.
 *
 * @throws Error of the system, when it cannot be read
 */
export function isEmpty(folder: string): boolean {
  return visibleEntries(folder).length === 0;
}

/** Reads a model's current code. */
export function readCode(place: ModelPlace): ModelCode {
  const files = filesOf(place).map(({ index, folder, file }) => ({
    path: publicPath(place, index, path.relative(folder, file)),
    sha256: createHash('sha256').update(contentOf(file)).digest('hex'),
  }));
  return { ...place, contentHash: hashContent(place), files };
}

/**
 * The public name of a model's file: its path below the model's folder. The name of shared code begins with the name of
 * its folder, and the name of foray's files begins with `foray`.
 */
function publicPath({ folders }: ModelPlace, index: number, relative: string): string {
  const folder = index === 0 ? [] : [index < folders.length ? path.basename(folders[index]!) : 'foray'];
  return [...folder, ...relative.split(path.sep)].join('/');
}

/** SHA-256 over the names and contents of a model's files. */
export function hashContent(place: ModelPlace): string {
  const hash = createHash('sha256');
  for (const { index, folder, file } of filesOf(place)) {
    const content = contentOf(file);
    // the length separates the end of one file from the beginning of the next
    hash.update(JSON.stringify([index, path.relative(folder, file), content.length])).update(content);
  }
  return hash.digest('hex');
}

/** A text that changes when a model's files change. It is made from properties of the files, without their content. */
export function stateOf(place: ModelPlace): string {
  return filesOf(place)
    .map(({ file }) => `${file} ${fileStamp(file) ?? readlinkSync(file)}`)
    .join('\n');
}

/** @param shared - folders beside the model's folder, with code that its module may import */
export function placeOf(entry: string, shared: readonly string[]): ModelPlace {
  const folder = path.dirname(entry);
  return isDeclaration(entry)
    ? { entry, folders: [folder], library: [], libraryRoot: ownFile('.') }
    : { entry, folders: [folder, ...shared], library: libraryFiles(), libraryRoot: ownFile('.') };
}

/** Whether a file of this name makes its folder a model. */
export function isEntry(name: string): boolean {
  return ENTRIES.includes(name);
}

/** Whether a model's entry is the declaration of a command model, and not a module. */
export function isDeclaration(entry: string): boolean {
  return ['.yaml', '.json'].includes(path.extname(entry));
}

/**
 * The entries of models in a folder. If the service may not read the folder, the result is empty: the folder counts as
 * shared code, and reading that code fails later.
 */
function entriesOf(folder: string): string[] {
  return ifOpen(() => entriesAmong(readdirSync(folder, { withFileTypes: true }))) ?? [];
}

function entriesAmong(found: readonly { name: string }[]): string[] {
  return ENTRIES.filter((entry) => found.some(({ name }) => name === entry));
}

/** A model's files: first the files of its folders, in the order of the folders, then foray's own files. */
export function filesOf({
  folders,
  library,
  libraryRoot,
}: ModelPlace): { index: number; folder: string; file: string }[] {
  const own = folders.flatMap((folder, index) =>
    filesUnder(folder)
      .filter((file) => index === 0 || SHARED_CODE.test(file))
      .map((file) => ({ index, folder, file })),
  );
  return [...own, ...library.map((file) => ({ index: folders.length, folder: libraryRoot, file }))];
}

/** The content of a file. For a link that leads to no file, this is the target of the link. */
function contentOf(file: string): Buffer {
  return statOf(file)?.isFile() ? readFileSync(file) : Buffer.from(readlinkSync(file));
}

/** The properties of a file or folder; undefined if the path does not exist. Any other failure is an error. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code!)) return undefined;
    throw error;
  }
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

/** Whether a folder in a model's folder was made by a tool. Installed or compiled files are not part of the model. */
export function isOfTools(entry: string): boolean {
  return (
    TOOLS_FOLDERS.has(path.basename(entry)) ||
    ifOpen(() => statOf(path.join(entry, 'pyvenv.cfg'))) !== undefined
  );
}

/** Calls a function that reads the disk. Returns undefined if the service has no permission. */
function ifOpen<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    return undefined;
  }
}
