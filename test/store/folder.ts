import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/index.ts';
import type { TestDatabase } from './fixtures.ts';

/** A new folder for the databases of one test. */
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
