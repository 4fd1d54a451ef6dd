import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStore, type Store } from '../../src/store/index.ts';
import type { TestDatabase } from './fixtures.ts';

/** Makes a new folder for the databases of one test. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'foray-store-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function sqliteDatabase(): TestDatabase {
  const folder = temporaryFolder();
  const stores: Store[] = [];
  return {
    async open() {
      const store = await openStore(`sqlite:${join(folder.path, 'store.db')}`);
      stores.push(store);
      return store;
    },
    async remove() {
      for (const store of stores) await store.close();
      folder.remove();
    },
  };
}

/** Opens the store in another process, which adds a file to it. Returns the id of the store. */
export async function openInProcess(file: string, name: string): Promise<string> {
  const entry = join(import.meta.dirname, 'entry.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [entry, `sqlite:${file}`, name]);
  return stdout.trim();
}
