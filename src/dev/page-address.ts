import { readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { isLocked, tryLock } from '../system/file-lock.ts';
import { makeFolder } from '../system/file-system.ts';
import { replaceFile } from '../system/replace-file.ts';
import { FOR_THE_USER, homePaths } from './home.ts';

/**
 * The address of the page and the API of a home, and their key. They are in a file that only the user may read. The
 * command line reads the address of the page from this file, and the Python module reads the address of the API.
 */
const PageAddress = z.object({ url: z.string(), key: z.string() });
export type PageAddress = z.infer<typeof PageAddress>;

/**
 * The address of the running page of a home; undefined when no page runs. A lock shows whether the page runs: the
 * number of a process would say nothing, because another process may have it, and in containers always has it.
 */
export async function runningPage(home: string): Promise<PageAddress | undefined> {
  const { page, pageLock, devPageLock } = homePaths(home);
  try {
    if (!isLocked(devPageLock) && !isLocked(pageLock)) return undefined;
    return PageAddress.parse(JSON.parse(await readFile(page, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Writes the address of the page of a home. The page of `foray dev` replaces the address of another page. Any other
 * page writes nothing while a page runs. Returns a function that removes the address, if it is still the same.
 *
 * @param isOfDev - whether the page is a part of `foray dev`
 * @throws Error when the home cannot be written
 */
export async function notePage(home: string, address: PageAddress, isOfDev: boolean): Promise<() => void> {
  const { page, pageLock, devPageLock } = homePaths(home);
  await makeFolder(home, 0o700);
  if (!isOfDev && isLocked(devPageLock)) return () => undefined;
  const lock = tryLock(isOfDev ? devPageLock : pageLock);
  if (!lock) return () => undefined;
  const text = `${JSON.stringify(address, undefined, 2)}\n`;
  await replaceFile(page, text, FOR_THE_USER);
  return () => {
    if (textIn(page) === text) rmSync(page, { force: true });
    lock.release();
  };
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Requests an address that logs a browser in. The address works once.
 * @throws Error when the page does not answer
 */
export async function loginAddress({ url, key }: PageAddress): Promise<string> {
  const answer = await fetch(`${url}/login/code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(5_000),
  });
  if (!answer.ok) throw new Error(`the page answers ${answer.status}`);
  return z.object({ url: z.string() }).parse(await answer.json()).url;
}
