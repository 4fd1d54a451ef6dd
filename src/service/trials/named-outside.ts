import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { filesOf, type ModelPlace, statOf } from '../models/folder.ts';

/** Larger files are data, in bytes. */
const MOST_TEXT = 2 ** 20;
/** A path in a text: absolute, below the home folder, or above the folder of the text. */
const PATH = /(?<=^|[\s"'`=(,[])(?:~|\.\.)?\/[^\s"'`<>|;,()[\]{}*?$]+/gm;
/** The folders of the system, whose files belong to the machine. */
const OF_SYSTEM =
  /^\/(?:bin|sbin|lib\w*|usr|etc|dev|proc|sys|opt|run|nix|snap|System|Library|Applications)\//;

/**
 * Existing files outside a model's folder whose paths its files name, so that a run probably reads them. A change of such
 * a file makes no new version.
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
      const isInside = target.startsWith(`${root}${path.sep}`);
      if (!isInside && !OF_SYSTEM.test(target) && isFile(target)) named.add(target);
    }
  }
  return [...named];
}

function isFile(target: string): boolean {
  try {
    return statOf(target)?.isFile() ?? false;
  } catch {
    return false;
  }
}
