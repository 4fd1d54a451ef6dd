import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PACKAGE } from '../package/own-files.ts';

/**
 * The command that starts this program in the working directory: `npx foray` in a checkout and in a project that has
 * the package, otherwise `foray`. Elsewhere, npx would ask the registry for a package of this name.
 */
export function commandName(): string {
  return isInProject(process.cwd()) ? 'npx foray' : 'foray';
}

function isInProject(folder: string): boolean {
  if (folder === PACKAGE || realPath(join(folder, 'node_modules', 'foray')) === realPath(PACKAGE))
    return true;
  const parent = dirname(folder);
  return parent !== folder && isInProject(parent);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
