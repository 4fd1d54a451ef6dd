import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { isForayError } from '../../src/errors.ts';
import { openStore } from '../../src/store/index.ts';
import { migrationsFor, sqliteTypes } from '../../src/store/migrations.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';
import { openInProcess, temporaryFolder } from './folder.ts';

const migrations = migrationsFor(sqliteTypes);

let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'store.db');
});
afterEach(() => folder.remove());

async function refusal(address: string): Promise<{ code: string; line: string; text: string }> {
  try {
    await (await openStore(address)).close();
  } catch (error) {
    if (!isForayError(error)) throw error;
    return { code: error.code, line: error.toLine(), text: `${error.message} ${error.stack} ${error.hint}` };
  }
  throw new Error('the store was opened');
}

/** The number of open files of this process in the folder. */
function handles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder.path);
    } catch {
      return false;
    }
  }).length;
}

describe('openStore', () => {
  test('creates missing folders', async () => {
    const deep = join(folder.path, 'a', 'b', 'store.db');
    await (await openStore(`sqlite:${deep}`)).close();
    expect(existsSync(deep)).toBe(true);
  });

  test.each([
    'mysql://user:secret@db/foray',
    'postgres://user:secret@db:port/foray',
    'store.db',
    'sqlite:',
    '',
  ])('refuses the address "%s", and the error does not contain the password', async (address) => {
    const { code, line, text } = await refusal(address);
    expect(code).toBe('STORE_UNUSABLE');
    expect(line).toMatch(/Write sqlite:PATH/);
    expect(text).not.toContain('secret');
  });

  test('refuses a file that is not a database, does not change the file, and keeps no file open', async () => {
    for (const content of ['campaign: flu\n'.repeat(100), `SQLite format 3\0${'x'.repeat(4_000)}`]) {
      writeFileSync(file, content);
      const { code, line } = await refusal(`sqlite:${file}`);
      expect(code).toBe('STORE_UNUSABLE');
      expect(line).toContain(file);
      expect(readFileSync(file, 'utf8')).toBe(content);
      if (existsSync('/proc/self/fd')) expect(handles()).toBe(0);
    }
  });

  test('refuses a file that was cut off, and says how to go on', async () => {
    const store = await openStore(`sqlite:${file}`);
    await store.putFile('hash', new Uint8Array(100_000), 1);
    await store.close();
    truncateSync(file, 40_960);
    expect(await refusal(`sqlite:${file}`)).toMatchObject({
      code: 'STORE_UNUSABLE',
      line: `The store ${file} is damaged: database disk image is malformed. Restore it from a copy, or move it away to start with an empty one.`,
    });
  });

  test('refuses a folder, and a path through a file', async () => {
    mkdirSync(file);
    expect((await refusal(`sqlite:${file}`)).code).toBe('STORE_UNUSABLE');
    const plain = join(folder.path, 'plain');
    writeFileSync(plain, '');
    expect((await refusal(`sqlite:${plain}/store.db`)).code).toBe('STORE_UNUSABLE');
  });

  test('refuses a store of a newer foray, and keeps no file open', async () => {
    await (await openStore(`sqlite:${file}`)).close();
    const database = new DatabaseSync(file);
    database.exec("insert into kysely_migration values ('999-of-the-future', '2030-01-01T00:00:00Z')");
    database.close();
    const { code, line } = await refusal(`sqlite:${file}`);
    expect(code).toBe('STORE_NEWER');
    expect(line).toBe(`The store ${file} was written by a newer foray. Update foray.`);
    if (existsSync('/proc/self/fd')) expect(handles()).toBe(0);
  });

  test('refuses a read-only file, unless the user is root', async () => {
    await (await openStore(`sqlite:${file}`)).close();
    chmodSync(file, 0o444);
    chmodSync(folder.path, 0o555);
    try {
      // root can write to the file nevertheless
      if (process.getuid?.() === 0) await (await openStore(`sqlite:${file}`)).close();
      else expect((await refusal(`sqlite:${file}`)).code).toBe('STORE_UNUSABLE');
    } finally {
      chmodSync(folder.path, 0o755);
    }
  });

  test('gives one store if a new store is opened many times at once', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(`sqlite:${file}`)));
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    await Promise.all(stores.map((store, n) => store.putFile(String(n), new Uint8Array([n]), 1)));
    for (const n of stores.keys()) expect(await stores[0]!.getFile(String(n))).toEqual(new Uint8Array([n]));
    for (const store of stores) await store.close();
  });

  test('gives one store if several processes open a new store at once', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => openInProcess(file, name)));
    expect(new Set(ids).size).toBe(1);
    const store = await openStore(`sqlite:${file}`);
    expect(store.id).toBe(ids[0]);
    for (const name of ['a', 'b', 'c']) expect(await store.getFile(name)).toBeDefined();
    await store.close();
  });

  test('undoes an interrupted migration, and repeats it at the next opening', async () => {
    const db = new Kysely({ dialect: sqliteDialect(file) });
    const dying: Migration = {
      up: async (tables) => {
        await migrations['001']!.up(tables);
        throw new Error('killed');
      },
    };
    const provider = { getMigrations: () => Promise.resolve({ '001-campaigns': dying }) };
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    expect(String(error)).toContain('killed');
    await db.destroy();
    const store = await openStore(`sqlite:${file}`);
    expect(await store.listCampaigns()).toEqual([]);
    await store.close();
  });

  test('completes a store with an unfinished migration', async () => {
    // this is the state after a process was killed that had created only a table of the migrator
    const database = new DatabaseSync(file);
    database.exec(
      'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    );
    database.close();
    const store = await openStore(`sqlite:${file}`);
    expect(await store.listCampaigns()).toEqual([]);
    await store.close();
  });
});
