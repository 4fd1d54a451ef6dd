import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The content of each file in a folder and its subfolders, by the path from the folder. The folder may be in use: a file
 * that disappears meanwhile, like the journal of a database, is left out.
 */
export function contentsIn(folder: string): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (const entry of unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      for (const [name, content] of contentsIn(path)) contents.set(join(entry.name, name), content);
      continue;
    }
    const content = unlessGone(() => (statSync(path).isFile() ? readFileSync(path) : undefined));
    if (content) contents.set(entry.name, content);
  }
  return contents;
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
