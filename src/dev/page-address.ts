import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { makeFolder } from '../system/file-system.ts';
import { replaceFile } from '../system/replace-file.ts';
import { homePaths } from './home.ts';

/**
 * The address of the page and the API of a home, and their key. They are in a file that only the user may read. The
 * command line reads the address of the page from this file, and the Python module reads the address of the API.
 */
const PageAddress = z.object({
  /** The id of the process that serves the page. */
  pid: z.int(),
  url: z.string(),
  key: z.string(),
});
export type PageAddress = z.infer<typeof PageAddress>;

const FOR_THE_USER = 0o600;

/** The address of the running page of a home; undefined when no page runs. */
export async function runningPage(home: string): Promise<PageAddress | undefined> {
  try {
    const address = PageAddress.parse(JSON.parse(await readFile(homePaths(home).page, 'utf8')));
    return isAlive(address.pid) ? address : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the address of the page of a home, unless another process serves a page of this home. Returns a function that
 * removes the address.
 * @throws Error when the home cannot be written
 */
export async function notePage(home: string, address: PageAddress): Promise<() => void> {
  if (await runningPage(home)) return () => undefined;
  const { page } = homePaths(home);
  await makeFolder(home);
  await replaceFile(page, `${JSON.stringify(address, undefined, 2)}\n`, FOR_THE_USER);
  return () => rmSync(page, { force: true });
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
