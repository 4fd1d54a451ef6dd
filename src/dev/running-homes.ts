import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { type FileLock, tryLock } from '../system/file-lock.ts';
import { makeFolder } from '../system/file-system.ts';
import { replaceFile } from '../system/replace-file.ts';
import { runningDev } from './home.ts';

/**
 * The homes of this user on this machine in which a `foray dev` runs. For each home, `$XDG_STATE_HOME/foray/homes/HOST`
 * or `~/.local/state/foray/homes/HOST` has a file with the path of the home. The lock of the home shows whether a
 * `foray dev` really runs there.
 */

/** @throws Error when the user has no home folder, or the folder cannot be written */
export async function noteHome(home: string): Promise<void> {
  const folder = registry();
  await makeFolder(folder);
  await replaceFile(join(folder, entryOf(home)), home);
}

export function forgetHome(home: string): void {
  try {
    rmSync(join(registry(), entryOf(home)), { force: true });
  } catch {
    // an entry that stays is harmless, because the lock of the home decides
  }
}

/**
 * The absolute paths of the homes in which a `foray dev` runs, in alphabetical order. Removes the entries of other
 * homes.
 */
export function runningHomes(): string[] {
  const homes: string[] = [];
  for (const home of notedHomes()) {
    if (runningDev(home)) homes.push(home);
    else forgetHome(home);
  }
  return homes.sort();
}

function notedHomes(): string[] {
  try {
    const folder = registry();
    const entries = readdirSync(folder).filter((name) => name.endsWith(ENTRY));
    return entries.flatMap((name) => homeIn(join(folder, name)));
  } catch {
    // the folder does not exist yet, or cannot be read
    return [];
  }
}

function homeIn(entry: string): string[] {
  try {
    return [readFileSync(entry, 'utf8')];
  } catch {
    // another command has removed the entry in the meantime
    return [];
  }
}

/**
 * Takes the lock on the usual ports. Only its holder may take these ports, of all `foray dev` of this user on this
 * machine. Undefined while another `foray dev` that starts holds the lock.
 */
export async function lockUsualPorts(): Promise<FileLock | undefined> {
  try {
    const folder = registry();
    await makeFolder(folder);
    return tryLock(join(folder, 'usual-ports.lock'));
  } catch {
    // without a folder for the lock, two foray dev that start at the same moment may take the same ports
    return { release: () => undefined };
  }
}

const ENTRY = '.home';

function entryOf(home: string): string {
  return `${hash('sha256', home).slice(0, 16)}${ENTRY}`;
}

/** @throws Error when the user has no home folder */
function registry(): string {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  return join(state, 'foray', 'homes', hostname());
}
