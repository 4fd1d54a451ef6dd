import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/**
 * The folder for a Temporal server that foray downloaded or built.
 * @throws Error when the user has no home folder
 */
export function programCache(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'foray');
}

/**
 * The installed Temporal server: from FORAY_TEMPORAL_CLI, from the PATH, or from the cache. Undefined if there is none.
 */
export function knownProgram(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.FORAY_TEMPORAL_CLI;
  if (named) return isProgram(named) ? named : undefined;
  const onPath = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, PROGRAM));
  const found = onPath.find(isProgram);
  if (found !== undefined) return found;
  try {
    const cached = join(programCache(env), PROGRAM);
    return isProgram(cached) ? cached : undefined;
  } catch {
    // a user in a container may have no home folder
    return undefined;
  }
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // the permission to execute is not enough: for a folder it means that the folder can be entered
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
