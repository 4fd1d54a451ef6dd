import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { ForayError } from '../../errors.ts';

/** A module with the model's code, or a declaration with the command that runs it. */
const ENTRIES = ['model.ts', 'model.js', 'model.yaml', 'model.json'];
const TOOLS_FOLDERS = new Set(['node_modules', '__pycache__']);

/** What folders of models share is code: whatever else is in them (results, notes) changes without a model changing. */
const SHARED_CODE = /\.[cm]?[jt]s$/;

/** Where a model's code is. */
export interface ModelPlace {
  /** The file with the model's definition: a module, or the declaration of a command model. */
  entry: string;
  /** The model's own folder; of a module then those that its neighbourhood shares. */
  folders: string[];
}

/** Where a model's code is, and what it was when it was read. */
export interface ModelCode extends ModelPlace {
  contentHash: string;
}

/**
 * The models in a folder: itself, when it is a model, else one for each folder in it that is. The code in a folder without
 * a model is shared by its neighbours that are modules, and counts as part of each of them.
 *
 * @throws ForayError MODEL_INVALID when the folder cannot be read
 */
export function findModels(modelDir: string): ModelPlace[] {
  const root = path.resolve(modelDir);
  if (entriesOf(root).length > 0) return [placeOf(root, [])];
  let names;
  try {
    names = visibleEntries(root).filter((entry) => entry.isDirectory());
  } catch {
    throw new ForayError('MODEL_INVALID', `The folder of models ${root} cannot be read.`);
  }
  const folders = names.map(({ name }) => path.join(root, name));
  const shared = folders.filter((folder) => entriesOf(folder).length === 0);
  return folders.filter((folder) => !shared.includes(folder)).map((folder) => placeOf(folder, shared));
}

/** A model's code as it is now. */
export function readCode(place: ModelPlace): ModelCode {
  return { ...place, contentHash: hashContent(place) };
}

/** SHA-256 over the names and contents of a model's files. */
export function hashContent(place: ModelPlace): string {
  const hash = createHash('sha256');
  for (const { index, folder, file } of filesOf(place)) {
    const content = contentOf(file);
    // the length keeps one file's end from passing as the next one's beginning
    hash.update(JSON.stringify([index, path.relative(folder, file), content.length])).update(content);
  }
  return hash.digest('hex');
}

/** Tells one state of a model's files from another, without reading them. */
export function stateOf(place: ModelPlace): string {
  return filesOf(place)
    .map(({ file }) => {
      const { ino, size, mtimeMs } = lstatSync(file);
      return `${file} ${ino} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

/** @throws ForayError MODEL_INVALID */
function placeOf(folder: string, shared: readonly string[]): ModelPlace {
  const entries = entriesOf(folder);
  if (entries.length > 1) {
    throw new ForayError('MODEL_INVALID', `The folder ${folder} has ${entries.join(' and ')}.`, {
      hint: 'A model is one of them: remove the other.',
    });
  }
  const entry = path.join(folder, entries[0]!);
  return { entry, folders: isDeclaration(entry) ? [folder] : [folder, ...shared] };
}

/** Whether a model's entry is the declaration of a command model, and not a module. */
export function isDeclaration(entry: string): boolean {
  return ['.yaml', '.json'].includes(path.extname(entry));
}

function entriesOf(folder: string): string[] {
  return ENTRIES.filter((name) => existsSync(path.join(folder, name)));
}

function filesOf({ folders }: ModelPlace): { index: number; folder: string; file: string }[] {
  return folders.flatMap((folder, index) =>
    filesUnder(folder)
      .filter((file) => index === 0 || SHARED_CODE.test(file))
      .map((file) => ({ index, folder, file })),
  );
}

/** Of a link that leads to no file, where it leads. */
function contentOf(file: string): Buffer {
  return statSync(file, { throwIfNoEntry: false })?.isFile()
    ? readFileSync(file)
    : Buffer.from(readlinkSync(file));
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
