import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { statOf } from '../../system/file-stamp.ts';
import { filesOf, type ModelPlace } from '../models/folder.ts';

/** The size of the largest file that is searched, in bytes. Larger files are data. */
const MOST_TEXT = 2 ** 20;
/** A path in a text: absolute, below the home folder, or above the folder of the text. */
const PATH = /(?<=^|[\s"'`=(,[])(?:~|\.\.)?\/[^\s"'`<>|;,()[\]{}*?$]+/gm;
/** The folders of the system, whose files belong to the machine. */
const OF_SYSTEM =
  /^\/(?:bin|sbin|lib\w*|usr|etc|dev|proc|sys|opt|run|nix|snap|System|Library|Applications)(?:\/|$)/;
/** The hidden files in which tools keep their settings and caches. */
const OF_TOOLS = /\/\.[^/]+(?:\/|$)/;
/** Folders that have the files of many programs, such as /tmp. A text that names one does not tell what a run reads. */
const OF_MANY = /^\/(?:[a-z]*)?$|^\/(?:home|Users)\/[^/]+$/;

/** What the languages of models write before the quoted name of a variable of the environment, to read it. */
const BEFORE_NAME = [
  /\benviron(?:\.(?:get|pop))?\s*[[(]/, // Python
  /\b[Gg]etenv\s*\(/, // C, Python, R, Go
  /\bGetEnvironmentVariable\s*\(/, // .NET
  /\benv::var\s*\(/, // Rust
  /\bENV(?:\.fetch)?\s*[[(]/, // Julia, Ruby
  /\bprocess\.env\s*\[/, // JavaScript
].map(({ source }) => source);
const NAME = '([A-Za-z_]\\w*)';
// the last two forms are of JavaScript and Perl
const VARIABLE = new RegExp(
  `(?:${BEFORE_NAME.join('|')})\\s*["']${NAME}["']|\\bprocess\\.env\\.${NAME}|\\$ENV\\{["']?${NAME}`,
  'g',
);
/** The variables that foray sets, those that find programs, and those of every user. */
const OF_ALL =
  /^(?:FORAY_MODEL_DIR|TMPDIR|TMP|TEMP|PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|TERM|VIRTUAL_ENV|PYTHON\w*|(?:OMP|OPENBLAS|MKL)_NUM_THREADS)$/;

/** What the files of a model mention although it is no part of the model. */
export interface Named {
  /**
   * Files and folders outside its folder, which a run probably reads. A change there makes no new version. A file that is
   * not there yet counts if its folder is there.
   */
  files: string[];
  /** Variables of the environment. Their values are no part of its version. */
  variables: string[];
}

export function namedOutside(place: ModelPlace): Named {
  const [root] = place.folders as [string];
  const [files, variables] = [new Set<string>(), new Set<string>()];
  for (const { file, text } of textsOf(place)) {
    for (const [found] of text.matchAll(PATH)) {
      const target = path.resolve(path.dirname(file), found.replace(/^~/, os.homedir()));
      const parent = path.dirname(target);
      const mayAppear = !found.startsWith('..') && !OF_MANY.test(parent) && isThere(parent);
      if (isOutside(target, root) && (isThere(target) || mayAppear)) files.add(target);
    }
    for (const [, ...names] of text.matchAll(VARIABLE)) variables.add(names.find((name) => name)!);
  }
  return { files: [...files], variables: [...variables].filter((name) => !OF_ALL.test(name)) };
}

/** Of the files that a model has opened, those outside its folder that belong neither to the system nor to a tool. */
export function openedOutside({ folders }: ModelPlace, opened: readonly string[] = []): string[] {
  return opened.filter((file) => isOutside(file, folders[0]!) && isThere(file) && !OF_TOOLS.test(file));
}

/** Whether a path leads to something that is outside the folder of a model, and does not belong to the system. */
function isOutside(target: string, root: string): boolean {
  const isOwn = isWithin(target, root) || isWithin(root, target);
  return !isOwn && !OF_SYSTEM.test(target) && !OF_MANY.test(target);
}

/** The files of a model's own folder that are texts. */
function* textsOf(place: ModelPlace): Generator<{ file: string; text: string }> {
  for (const { index, file } of filesOf(place)) {
    if (index > 0) continue;
    const stats = statOf(file);
    // a file may be a link to a folder
    if (!stats?.isFile() || stats.size > MOST_TEXT) continue;
    const text = readFileSync(file, 'utf8');
    if (!text.includes('\0')) yield { file, text };
  }
}

function isWithin(target: string, folder: string): boolean {
  return target === folder || target.startsWith(`${folder}${path.sep}`);
}

function isThere(target: string): boolean {
  try {
    return statOf(target) !== undefined;
  } catch {
    return false;
  }
}
