import { createHash } from 'node:crypto';
import {
  closeSync,
  type Dirent,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import type { VersionFile } from '../../api/extensions.ts';
import { ForayError } from '../../errors.ts';
import { ownFile } from '../../package/own-files.ts';
import { fileStamp, statOf } from '../../system/file-stamp.ts';
import { whyUnreadable } from '../../system/why-unreadable.ts';
import { turns } from '../../turns.ts';
import { libraryFiles } from './library.ts';
import type { PythonBuild } from './python-build.ts';

/** The entry of a model: a module with its code, a declaration with its command, or a file with a function in Python. */
const ENTRIES = ['model.ts', 'model.js', 'model.yaml', 'model.json', 'model.py'];

/**
 * The names of what tools keep beside code: packages, caches, histories. They are no part of a model, and its program
 * does not see them, except packages ({@link isOfPackages}). All other hidden files are parts of the model.
 */
const OF_TOOLS = new Set(
  `node_modules .venv __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .nox
   .git .hg .svn .idea .vscode .DS_Store .ipynb_checkpoints .Rproj.user .Rhistory`.split(/\s+/),
);
/** Separates the path and the properties of a file in {@link stateOf}. */
export const SEPARATOR = '\0';
/** Files that an editor or a network disk has while another file is open. */
const PASSING = /^\.(?:.+\.sw[a-z]|#.+|nfs[0-9a-f]{8,})$/;

/** A file that a person may have taken for the entry of a model. */
const ALMOST_ENTRY = /^model\.(?:ya?ml|json|py|[cm][jt]s)$/i;
/** How much of a file is read at once, in bytes. */
const PIECE = 2 ** 18;
/** The most inner folders of a folder without a model that are searched for models. */
const MOST_INNER = 100;

/** The extensions of shared code. Other files beside models (results, notes) may change without a change of a model. */
const SHARED_CODE = /\.[cm]?[jt]s$/;

export interface ModelPlace {
  /** The file with the model's definition: a module, or the declaration of a command model. */
  entry: string;
  /** The model's own folder, and for a module also the shared folders beside it. */
  folders: string[];
  /** Whether only the entry belongs to the model, and no other file of its folder. @default false */
  isSingleFile?: boolean;
  /** The files of foray that belong to the model: those that modules may import, or the one that serves Python. */
  library: readonly string[];
  /** The names of foray's files are relative to this folder. */
  libraryRoot: string;
}

/** A model's code, and its hashes when it was read. */
export interface ModelCode extends ModelPlace {
  contentHash: string;
  files: VersionFile[];
  /** The Python and the packages of a version whose program says them. */
  python?: PythonBuild | undefined;
  /** Only for the kept files of a version: the files that a module gets when it imports this package, by the import. */
  imports?: Readonly<Record<string, string>>;
}

/** A file of a model. */
export interface ModelFile {
  /** The place of its folder among the model's folders. For foray's own files, it is the place after the last folder. */
  index: number;
  folder: string;
  file: string;
}

/** Called with a sentence about what is in a folder of models and is not served, although it looks like a model. */
export type OnSkipped = (sentence: string) => void;

/**
 * The models in a folder: the folder itself, if it is a model, otherwise its subfolders that are models. Code in a
 * subfolder without a model is shared by the modules beside it, and is part of each of them.
 *
 * @throws ForayError MODEL_UNREADABLE, MODEL_INVALID
 */
export function findModels(modelDir: string, onSkipped: OnSkipped = () => {}): ModelPlace[] {
  const root = path.resolve(modelDir);
  const onInvalid = (_folder: string, problem: ForayError): void => {
    throw problem;
  };
  try {
    return placesIn(root, [], onInvalid, onSkipped);
  } catch (error) {
    if (error instanceof ForayError) throw error;
    throw unreadableFolder(root, whyUnreadable(error));
  }
}

/** The error for a folder of models that cannot be read. */
export function unreadableFolder(root: string, why: string): ForayError {
  return new ForayError('MODEL_UNREADABLE', `The folder of models ${root} ${why}.`);
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
  onSkipped: OnSkipped = () => {},
): ModelPlace[] {
  const placesOf = (folder: string, entries: string[], shared: readonly string[]): ModelPlace[] => {
    if (entries.length === 1) return [placeOf(path.join(folder, entries[0]!), shared)];
    onInvalid(
      folder,
      new ForayError('MODEL_INVALID', `The folder ${folder} has ${entries.join(' and ')}.`, {
        hint: 'A model has only one of these files: remove the other.',
      }),
    );
    return [];
  };
  // a person has named the file of a model, so nothing beside it belongs to it
  if (isPython(root) && statOf(root)?.isFile()) return [{ ...placeOf(root, []), isSingleFile: true }];
  const here = visibleEntries(root);
  const own = entriesAmong(here);
  if (own.length > 0) return placesOf(root, own, []);
  const folders = here
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => ({ folder: path.join(root, entry.name), isLink: entry.isSymbolicLink() }))
    .filter(({ folder, isLink }) => {
      if (!isLink) return true;
      const lost = whyLost(folder);
      if (lost === undefined) return statOf(folder)?.isDirectory();
      // the folder of a known model is missing, and the reader says so
      if (!knownModels.includes(folder)) onSkipped(`${folder} is not served: ${lost}.`);
      return false;
    })
    .map(({ folder, isLink }) => ({ folder, isLink, entries: entriesOf(folder) }));
  const models = folders.filter(({ entries }) => entries.length > 0);
  const others = folders.filter(({ entries }) => entries.length === 0);
  for (const { folder } of others) skippedIn(folder).forEach(onSkipped);
  // a link may be a model, but a link to any other folder shares no code
  const shared = others
    .filter(({ folder, isLink }) => !isLink && !knownModels.includes(folder))
    .map(({ folder }) => folder);
  return models.flatMap(({ folder, entries }) => placesOf(folder, entries, shared));
}

/** Why a link leads to nothing that can be read, as the end of a sentence; undefined if it leads to something. */
function whyLost(link: string): string | undefined {
  try {
    statSync(link);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') return 'the link leads in a circle';
    const to = `the link leads to ${readlinkSync(link)}`;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${to}, which does not exist`;
    if (code === 'EACCES') return `${to}, which this user may not read`;
    throw error;
  }
}

/** What looks like a model in a folder that is none, one sentence each. */
function skippedIn(folder: string): string[] {
  const found = ifOpen(() => readdirSync(folder, { withFileTypes: true }));
  if (!found) return [`${folder} is not served: this user may not read it.`];
  const almost = found.find(({ name }) => ALMOST_ENTRY.test(name));
  const inner = found
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !OF_TOOLS.has(entry.name))
    .slice(0, MOST_INNER)
    .map(({ name }) => path.join(folder, name))
    .filter((inside) => entriesOf(inside).length > 0);
  const sentences = inner.map(
    (inside) => `${inside} is not served: only folders directly in a folder of models are models.`,
  );
  if (!almost) return sentences;
  const wrong = `${folder} is not served: its file ${almost.name} must be named ${entryLike(almost.name)}.`;
  return [wrong, ...sentences];
}

/** The name that a file must have to be the entry of a model. */
function entryLike(name: string): string {
  const extension = path.extname(name).toLowerCase();
  return `model${extension.replace('.yml', '.yaml').replace(/[cm]([jt]s)$/, '$1')}`;
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

/**
 * Whether a folder is empty, apart from hidden files and the folders of tools. A file in its place is not empty.
 *
 * @throws Error of the system, when it cannot be read
 */
export function isEmpty(folder: string): boolean {
  return !statOf(folder)?.isFile() && visibleEntries(folder).length === 0;
}

/** @param shared - folders beside the model's folder, with code that its module may import */
export function placeOf(entry: string, shared: readonly string[]): ModelPlace {
  const folder = path.dirname(entry);
  const place = { entry, folders: [folder], libraryRoot: ownFile('.') };
  if (isModule(entry)) return { ...place, folders: [folder, ...shared], library: libraryFiles() };
  return { ...place, library: isPython(entry) ? [ownFile(PYTHON_HELPER)] : [] };
}

/** foray's file that serves a model in Python, relative to the package. */
export const PYTHON_HELPER = 'python/foray_model.py';

/** Whether a file of this name makes its folder a model. */
export function isEntry(name: string): boolean {
  return ENTRIES.includes(name);
}

/** Whether a model's entry is a module, which runs in Node. Otherwise the model has a program. */
export function isModule(entry: string): boolean {
  return ['.ts', '.js'].includes(path.extname(entry));
}

/** Whether a model's entry is a file with a function in Python. */
export function isPython(entry: string): boolean {
  return path.extname(entry) === '.py';
}

export async function readCode(place: ModelPlace): Promise<ModelCode> {
  const files: VersionFile[] = [];
  const contentHash = await hashContent(place, files);
  return { ...place, contentHash, files };
}

/**
 * SHA-256 over the names and contents of a model's files, and over which of them may be executed. Other work gets turns,
 * because a model may have large files.
 *
 * @param files - gets each file with a hash of its own
 */
export async function hashContent(place: ModelPlace, files?: VersionFile[]): Promise<string> {
  const hash = createHash('sha256');
  const turn = turns();
  for (const modelFile of filesOf(place)) {
    const { index, folder, file } = modelFile;
    const stats = statOf(file);
    // the content of a link that leads to no file is its target
    const target = stats?.isFile() ? undefined : Buffer.from(readlinkSync(file));
    const isExecutable = index < place.folders.length && ((stats?.mode ?? 0) & 0o100) !== 0;
    // the length separates the end of one file from the beginning of the next
    const length = target ? target.length : stats!.size;
    hash.update(JSON.stringify([index, path.relative(folder, file), length, ...(isExecutable ? ['x'] : [])]));
    const own = files && createHash('sha256');
    for (const piece of target ? [target] : piecesOf(file)) {
      hash.update(piece);
      own?.update(piece);
      await turn();
    }
    if (own) files.push({ path: publicPath(place, modelFile), sha256: own.digest('hex') });
  }
  return hash.digest('hex');
}

/**
 * The public name of a model's file: its path below the model's folder. The name of shared code begins with the name of
 * its folder, and the name of foray's files begins with `foray`.
 */
function publicPath({ folders }: ModelPlace, { index, folder, file }: ModelFile): string {
  const top = index === 0 ? [] : [index < folders.length ? path.basename(folder) : 'foray'];
  return [...top, ...path.relative(folder, file).split(path.sep)].join('/');
}

/** The content of a file. Each piece is in the same memory. */
function* piecesOf(file: string): Generator<Buffer> {
  const open = openSync(file, 'r');
  try {
    const memory = Buffer.allocUnsafe(PIECE);
    for (let length; (length = readSync(open, memory)) > 0;) yield memory.subarray(0, length);
  } finally {
    closeSync(open);
  }
}

/**
 * The message if changed files of the model are the reason why a run does not start, or why its outputs are not kept.
 */
export const CHANGED = "the model's files were changed since the service read them";

/**
 * A text that changes when a model's files change. It is made from properties of the files, without their content. It
 * has a line for each file: the path, the separator, and the properties.
 */
export function stateOf(place: ModelPlace): string {
  return filesOf(place)
    .map(({ file }) => `${file}${SEPARATOR}${fileStamp(file) ?? readlinkSync(file)}`)
    .join('\n');
}

/** A model's files: first the files of its folders, in the order of the folders, then foray's own files. */
export function filesOf(place: ModelPlace): ModelFile[] {
  const { entry, folders, isSingleFile = false, library, libraryRoot } = place;
  const own = folders.flatMap((folder, index) =>
    (isSingleFile ? [path.join(folder, path.basename(entry))] : filesUnder(folder))
      .filter((file) => index === 0 || SHARED_CODE.test(file))
      .map((file) => ({ index, folder, file })),
  );
  return [...own, ...library.map((file) => ({ index: folders.length, folder: libraryRoot, file }))];
}

/**
 * The files in a folder. A link counts as the file or folder to which it leads, also outside the folder. Sockets and
 * devices do not count.
 *
 * @param above - the real paths of the folders above: a link to one of them counts only as a link
 */
export function filesUnder(folder: string, above: readonly string[] = []): string[] {
  const chain = [...above, realpathSync(folder)];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !PASSING.test(entry.name) && !isEntryOfTools(folder, entry))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(full, chain);
      const isFolder = entry.isSymbolicLink() && statOf(full)?.isDirectory();
      if (isFolder && !chain.includes(realpathSync(full))) return filesUnder(full, chain);
      return entry.isFile() || entry.isSymbolicLink() ? [full] : [];
    });
}

/** What is in a folder, without hidden files and the files of tools, sorted by name. */
function visibleEntries(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && !isEntryOfTools(folder, entry))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a tool made a file or folder in a model's folder. It is then no part of the model. */
export function isOfTools(entry: string): boolean {
  return OF_TOOLS.has(path.basename(entry)) || isEnvironment(entry);
}

/** Like {@link isOfTools}. A file needs no further look at the disk, because only a folder can be an environment. */
function isEntryOfTools(folder: string, entry: Dirent): boolean {
  return entry.isFile() ? OF_TOOLS.has(entry.name) : isOfTools(path.join(folder, entry.name));
}

/** Whether a tool has installed packages in a folder. A model uses the packages that are there when it runs. */
export function isOfPackages(entry: string): boolean {
  return path.basename(entry) === 'node_modules' || isEnvironment(entry);
}

/** Whether a folder is a virtual environment of Python. */
function isEnvironment(entry: string): boolean {
  return ifOpen(() => statOf(path.join(entry, 'pyvenv.cfg'))) !== undefined;
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
