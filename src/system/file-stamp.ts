import { type Stats, statSync } from 'node:fs';

/**
 * A text that changes when the file or folder at a path changes: its content, its owner or its permissions. A link
 * counts as its target. The stamp has the time of the last change (ctime), which no program can set. So a write that
 * restores the size and the time of the content changes the stamp too.
 *
 * @returns undefined if the path leads to nothing
 * @throws Error of the system, for example EACCES
 */
export function fileStamp(path: string): string | undefined {
  const stats = statOf(path);
  if (!stats) return undefined;
  const { ino, size, mtimeMs, ctimeMs, mode } = stats;
  return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`;
}

/** The properties of a file or folder; undefined if the path leads to nothing. Any other failure is an error. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code!)) return undefined;
    throw error;
  }
}
