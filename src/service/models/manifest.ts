import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { publicModules } from '../../package/own-files.ts';
import { version } from '../../package/own-version.ts';
import { statOf } from '../../system/file-stamp.ts';
import { firstItems } from '../../text/list-items.ts';
import type { Declaration } from './declaration.ts';
import type { Described } from './describe.ts';
import { filesOf, isModule, isOfTools, type ModelCode, type ModelFile, type ModelPlace } from './folder.ts';
import type { PythonBuild } from './python-build.ts';

export interface ManifestFile {
  /** The path below the folder of the version, with slashes. */
  path: string;
  /** The permission bits. */
  mode: number;
  /** The SHA-256 of the content, in hexadecimal digits. */
  sha256: string;
  /** The size of the content in bytes. */
  size: number;
  /** The target, if this is a symbolic link that leads to no file. */
  link?: string;
}

/** The environment in which a version was made. */
export interface Build {
  /** The version of foray. */
  foray: string;
  /** SHA-256 over foray's own files that a module runs with; null for a command model. */
  library: string | null;
  /** The major version of Node, which runs a module; null for a command model. */
  node: number | null;
  /** The Python and the packages of a model in Python; null for other models. */
  python: PythonBuild | null;
}

/** Everything that is needed to run a version again, except the contents of its files. */
export interface Manifest {
  /** The path of the model's entry, in the same form as the paths of the files. */
  entry: string;
  /** The names of the model's own folder and of the shared folders beside it. */
  folders: string[];
  contentHash: string;
  files: ManifestFile[];
  /** The files that a module gets when it imports this package, by the name that it imports. */
  imports: Record<string, string>;
  build: Build;
  declaration: Declaration;
  /**
   * Files that the model loads or names but that are outside its folders. A version with such files cannot be run from
   * its kept files.
   */
  outside: string[];
}

/** The folder with the model's folders, in the folder of a version. */
export const MODELS = 'models';
/** The folder with foray's files, in the folder of a version. */
export const LIBRARY = 'library';

/** The maximum number of outside files that a message names. */
const MOST_NAMED = 3;

/** Describes a model's current files, so that they can be kept. @throws Error of the system */
export function manifestOf(code: ModelCode, declaration: Declaration, outside: readonly string[]): Manifest {
  const ofModule = isModule(code.entry);
  const hashes = code.files.map(({ sha256 }) => sha256);
  const files = filesOf(code).map((found, at) => manifestFile(code, found, hashes[at]!));
  return {
    entry: pathInVersion(code, { index: 0, folder: code.folders[0]!, file: code.entry }),
    folders: code.folders.map((folder) => path.basename(folder)),
    contentHash: code.contentHash,
    files,
    imports: ofModule ? importsOf(code) : {},
    build: {
      foray: version,
      library: ofModule ? libraryHash(files) : null,
      node: ofModule ? nodeMajor() : null,
      python: code.python ?? null,
    },
    declaration,
    outside: [...outside],
  };
}

/** Why a version cannot be run from its manifest; undefined if it can. */
export function whyNotRunnable({ outside, build }: Manifest): string | undefined {
  if (outside.length > 0) {
    const [are, were] = outside.length === 1 ? ['is', 'was'] : ['are', 'were'];
    return `it uses ${firstItems(outside, MOST_NAMED)}, which ${are} outside its folder and ${were} not kept with it`;
  }
  if (build.node !== null && build.node !== nodeMajor()) {
    return `it was made with Node ${build.node}, and this service runs Node ${nodeMajor()}, with which its results might differ`;
  }
  return undefined;
}

/** A warning for the author of a model about files outside its folder; undefined if there are none. */
export function outsideWarning(
  { name }: Declaration,
  outside: readonly string[],
  { isSingleFile = false }: Pick<ModelPlace, 'isSingleFile'>,
): string | undefined {
  if (outside.length === 0) return undefined;
  const beside = outside.filter((file) => !path.isAbsolute(file) && !file.startsWith('..'));
  if (isSingleFile && beside.length > 0)
    return `The model "${name}" is a single file, so ${firstItems(beside, MOST_NAMED)} beside it is no part of it, and its runs do not find it. Put the files into a folder, name that of the model model.py, and give the folder.`;
  return `The model "${name}" uses ${firstItems(outside, MOST_NAMED)} from outside its folder. A change there makes no new version, and this version cannot be run any more once the model has changed. Put what it needs into its folder.`;
}

/**
 * The files that a model uses but that are not part of it: loaded files, links to folders outside, and files that a
 * command names by absolute paths. Loaded files in node_modules or in a virtual environment are left out, because they
 * belong to the machine.
 */
export function filesOutside(
  place: ModelPlace,
  { loaded, absolute }: Pick<Described, 'loaded' | 'absolute'>,
): string[] {
  const files = filesOf(place);
  const own = new Set(files.map(({ file }) => realOf(file)));
  const outside = [
    ...loaded.filter((file) => !own.has(realOf(file)) && !isInstalled(file)),
    ...files.filter(({ folder, file }) => isLinkOut(folder, file)).map(({ file }) => file),
  ];
  return [...new Set(outside.map((file) => path.relative(place.folders[0]!, file))), ...absolute];
}

/** Total size of a version's files, in bytes. */
export function sizeOf({ files }: Manifest): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function manifestFile(code: ModelCode, modelFile: ModelFile, sha256: string): ManifestFile {
  const { file } = modelFile;
  const found = statOf(file);
  const isFile = found?.isFile() ?? false;
  const { mode, size } = isFile ? found! : lstatSync(file);
  return {
    path: pathInVersion(code, modelFile),
    mode: mode & 0o777,
    sha256,
    size,
    ...(!isFile && { link: readlinkSync(file) }),
  };
}

/** The path of a model's file below the folder of a version. */
function pathInVersion({ folders }: ModelPlace, { index, folder, file }: ModelFile): string {
  const top = index < folders.length ? [MODELS, path.basename(folder)] : [LIBRARY];
  return [...top, ...path.relative(folder, file).split(path.sep)].join('/');
}

function importsOf(place: ModelPlace): Record<string, string> {
  const { folders, library, libraryRoot: folder } = place;
  return Object.fromEntries(
    Object.entries(publicModules)
      .filter(([, file]) => library.includes(file))
      .map(([name, file]) => [name, pathInVersion(place, { index: folders.length, folder, file })]),
  );
}

function libraryHash(files: readonly ManifestFile[]): string {
  const library = files.filter((file) => file.path.startsWith(`${LIBRARY}/`));
  return createHash('sha256')
    .update(JSON.stringify(library.map((file) => [file.path, file.sha256])))
    .digest('hex');
}

function nodeMajor(): number {
  return Number(process.versions.node.split('.')[0]);
}

/** Follows links, as Node does before it loads a module. */
function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Whether a file in a folder is a link to a folder that is not in it, or whose path in the link is absolute. */
function isLinkOut(folder: string, file: string): boolean {
  if (!statOf(file)?.isDirectory()) return false;
  const place = path.relative(realOf(folder), realOf(file));
  return path.isAbsolute(readlinkSync(file)) || place === '..' || place.startsWith(`..${path.sep}`);
}

/** Whether a tool has installed the file. */
function isInstalled(file: string): boolean {
  const folder = path.dirname(file);
  return folder !== file && (isOfTools(folder) || isInstalled(folder));
}
