import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { statOf } from '../../system/file-stamp.ts';
import { filesOf, type ModelPlace } from '../models/folder.ts';

/** Larger files are data, in bytes. */
const MOST_TEXT = 2 ** 20;
/** A path in a text: absolute, below the home folder, or above the folder of the text. */
const PATH = /(?<=^|[\s"'`=(,[])(?:~|\.\.)?\/[^\s"'`<>|;,()[\]{}*?$]+/gm;
/** The folders of the system, whose files belong to the machine. */
const OF_SYSTEM =
  /^\/(?:bin|sbin|lib\w*|usr|etc|dev|proc|sys|opt|run|nix|snap|System|Library|Applications)(?:\/|$)/;
/** Folders that have the files of many programs, such as /tmp. A text that names one does not tell what a run reads. */
const OF_MANY = /^\/(?:[a-z]*)?$|^\/(?:home|Users)\/[^/]+$/;

/**
 * Existing files and folders outside a model's folder whose paths its files name, so that a run probably reads them. A
 * change there makes no new version.
 */
export function namedOutside(place: ModelPlace): string[] {
  const [root] = place.folders as [string];
  const named = new Set<string>();
  for (const { index, file } of filesOf(place)) {
    if (index > 0 || (statOf(file)?.size ?? Infinity) > MOST_TEXT) continue;
    const text = readFileSync(file, 'utf8');
    if (text.includes('\0')) continue;
    for (const [found] of text.matchAll(PATH)) {
      const target = path.resolve(path.dirname(file), found.replace(/^~/, os.homedir()));
      const isOwn = isWithin(target, root) || isWithin(root, target);
      if (!isOwn && !OF_SYSTEM.test(target) && !OF_MANY.test(target) && isThere(target)) named.add(target);
    }
  }
  return [...named];
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
