import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/**
 * The folder in which a Temporal server is kept that was made here.
 * @throws Error for a user without a home folder
 */
export function programCache(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'foray');
}

/** The `temporal` on the path. */
export function programOnPath(env: NodeJS.ProcessEnv): string | undefined {
  const onPath = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, PROGRAM));
  return onPath.find(isProgram);
}

/** The Temporal server that is here already: one that is named, one on the path, or one in the cache. */
export function knownProgram(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.FORAY_TEMPORAL_CLI;
  if (named) return isProgram(named) ? named : undefined;
  const onPath = programOnPath(env);
  if (onPath !== undefined) return onPath;
  try {
    const cached = join(programCache(env), PROGRAM);
    return isProgram(cached) ? cached : undefined;
  } catch {
    // a user of a container may have no home
    return undefined;
  }
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // a folder may be entered, which is the same permission
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
