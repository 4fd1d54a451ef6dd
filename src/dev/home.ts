import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ForayError, messageOf } from '../errors.ts';
import { type FileLock, isLocked, waitForLock } from '../system/file-lock.ts';
import { isSystemError, makeFolder } from '../system/file-system.ts';
import { replaceFile } from '../system/replace-file.ts';

/**
 * The home folder has the data of `foray dev`, and the addresses of its parts for the command line. The address file
 * contains the API key, so only the user may read it.
 */

const Addresses = z.object({
  /** The id of the `foray dev` process that wrote the file. */
  pid: z.int(),
  temporal: z.object({ address: z.string(), webUi: z.string() }),
  service: z.object({ url: z.string(), key: z.string() }),
  store: z.string(),
  page: z.string(),
});
export type Addresses = z.infer<typeof Addresses>;

/** How long to wait for a lock, ms. A command that checks whether a `foray dev` runs holds the lock for a moment. */
const LOCK_MS = 500;
/** The mode of a file that only the user may read and write. */
export const FOR_THE_USER = 0o600;

export function homePaths(home: string) {
  return {
    addresses: join(home, 'addresses.json'),
    key: join(home, 'key'),
    page: join(home, 'page.json'),
    pageLock: join(home, 'page.lock'),
    devPageLock: join(home, 'dev-page.lock'),
    servicePort: join(home, 'service-port'),
    pagePort: join(home, 'page-port'),
    lock: join(home, 'dev.lock'),
    notices: join(home, 'notices.yaml'),
    store: `sqlite:${join(home, 'store.db')}`,
    service: join(home, 'service'),
    temporal: join(home, 'temporal.db'),
    logs: join(home, 'logs'),
  };
}

/**
 * Locks the home for this process until the lock is released or the process ends. Creates the folder if it does not
 * exist.
 * @throws ForayError HOME_IN_USE, HOME_UNUSABLE
 */
export async function holdHome(home: string): Promise<FileLock> {
  const lock = await lockOf(home);
  if (lock) return lock;
  const known = readAddresses(home);
  throw new ForayError(
    'HOME_IN_USE',
    `A foray dev${known ? ` (process ${known.pid})` : ''} already runs in ${home}.`,
    { hint: 'Use it, or choose another folder with --home.' },
  );
}

async function lockOf(home: string): Promise<FileLock | undefined> {
  try {
    await makeFolder(home, 0o700);
    accessSync(home, constants.W_OK);
    const lock = await waitForLock(homePaths(home).lock, LOCK_MS);
    // a foray dev that was killed has left its addresses
    if (lock) removeAddresses(home);
    return lock;
  } catch (error) {
    throw unusable(home, error);
  }
}

/** The addresses of the running `foray dev` of this home. Undefined if no `foray dev` runs or it is not ready yet. */
export function runningDev(home: string): Addresses | undefined {
  const known = readAddresses(home);
  return known && isHeld(home) ? known : undefined;
}

function isHeld(home: string): boolean {
  try {
    return isLocked(homePaths(home).lock);
  } catch {
    return false;
  }
}

/**
 * The addresses that the last `foray dev` of this home wrote. Undefined if there are none, or if that `foray dev` ended
 * normally and removed them.
 */
export function readAddresses(home: string): Addresses | undefined {
  try {
    return Addresses.parse(JSON.parse(readFileSync(homePaths(home).addresses, 'utf8')));
  } catch {
    return undefined;
  }
}

/** @throws ForayError HOME_UNUSABLE */
export async function writeAddresses(home: string, addresses: Addresses): Promise<void> {
  try {
    const text = `${JSON.stringify(addresses, undefined, 2)}\n`;
    await replaceFile(homePaths(home).addresses, text, FOR_THE_USER);
  } catch (error) {
    throw unusable(home, error);
  }
}

export function removeAddresses(home: string): void {
  rmSync(homePaths(home).addresses, { force: true });
}

/** The ports that parts of a home keep from one start to the next if they can. */
type KeptPort = 'servicePort' | 'pagePort';

/** The port that a part of this home had last. Undefined if it is not known. */
export function lastPort(home: string, of: KeptPort): number | undefined {
  try {
    return z.coerce
      .number()
      .int()
      .min(1)
      .max(65_535)
      .parse(readFileSync(homePaths(home)[of], 'utf8'));
  } catch {
    return undefined;
  }
}

/** Notes the port of an address for the next start. @throws ForayError HOME_UNUSABLE */
export async function notePort(home: string, of: KeptPort, address: string): Promise<void> {
  try {
    await replaceFile(homePaths(home)[of], `${new URL(address).port}\n`, FOR_THE_USER);
  } catch (error) {
    throw unusable(home, error);
  }
}

/**
 * The key of the embedded service. Each home has its own key. The first start creates the key.
 * @throws ForayError HOME_UNUSABLE, also when the key cannot be read
 */
export async function localKey(home: string): Promise<string> {
  const { key: path } = homePaths(home);
  try {
    const known = readKey(path);
    if (known) return known;
    const key = crypto.randomUUID();
    await replaceFile(path, `${key}\n`, FOR_THE_USER);
    return key;
  } catch (error) {
    throw unusable(home, error);
  }
}

function readKey(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function unusable(home: string, error: unknown): ForayError {
  return new ForayError('HOME_UNUSABLE', `The home ${home} cannot be used: ${messageOf(error)}.`, {
    hint: 'Check its permissions and the free space on its disk, or choose another folder with --home or FORAY_HOME.',
  });
}
