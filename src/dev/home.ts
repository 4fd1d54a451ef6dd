import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * The home folder: what `foray dev` keeps, and where the command line finds what runs. Its address file holds the API
 * key, so only the user may read it.
 */

const Addresses = z.object({
  /** The process of `foray dev` that wrote this. */
  pid: z.int(),
  temporal: z.object({ address: z.string(), webUi: z.string() }),
  service: z.object({ url: z.string(), key: z.string() }),
  store: z.string(),
});
export type Addresses = z.infer<typeof Addresses>;

export function homePaths(home: string) {
  return {
    addresses: join(home, 'addresses.json'),
    key: join(home, 'key'),
    store: `sqlite:${join(home, 'store.db')}`,
    service: join(home, 'service'),
    temporal: join(home, 'temporal.db'),
    logs: join(home, 'logs'),
  };
}

/** What the last `foray dev` of this home wrote; undefined when there was none. */
export function readAddresses(home: string): Addresses | undefined {
  try {
    return Addresses.parse(JSON.parse(readFileSync(homePaths(home).addresses, 'utf8')));
  } catch {
    return undefined;
  }
}

/** True while the process that wrote the addresses lives. */
export function isAlive({ pid }: Pick<Addresses, 'pid'>): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function writeAddresses(home: string, addresses: Addresses): void {
  const { addresses: path } = homePaths(home);
  writeSecret(`${path}.new`, `${JSON.stringify(addresses, undefined, 2)}\n`);
  renameSync(`${path}.new`, path);
}

export function removeAddresses(home: string): void {
  rmSync(homePaths(home).addresses, { force: true });
}

/** The key of the embedded service: made once a home. */
export function localKey(home: string): string {
  const { key: path } = homePaths(home);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    const key = crypto.randomUUID();
    mkdirSync(home, { recursive: true });
    writeSecret(path, `${key}\n`);
    return key;
  }
}

function writeSecret(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600 });
}
