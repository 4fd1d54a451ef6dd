import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Database, Sql } from './database.ts';

/**
 * The setting with the id of the data folder that services share, or with the address of their bucket. A service on
 * SQLite has it only after it has used a bucket.
 */
export const FOLDER = 'folder';
/** The setting that exists while `foray service move` has not ended. */
export const MOVE = 'move';

/** The file with the id of a data folder that services share. */
export function folderMark(dataDir: string): string {
  return path.join(dataDir, 'database-id');
}

/** The text of a setting. If there is none, this stores the text that `make` returns. */
export async function settingOrNew(database: Database, name: string, make: () => string): Promise<string> {
  await database.all('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', name, make());
  return (await settingIn(database, name))!;
}

/** The text of a setting; undefined if there is none. */
export async function settingIn(sql: Sql, name: string): Promise<string | undefined> {
  const [row] = await sql.all<{ value: string }>('SELECT value FROM settings WHERE name = ?', name);
  return row?.value;
}

/** Stores the text of a setting, in place of the text it had. */
export async function storeSetting(sql: Sql, name: string, value: string): Promise<void> {
  await sql.all(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}

/** Stores the text of a setting if it still has a known text. */
export async function replaceSetting(sql: Sql, name: string, known: string, value: string): Promise<void> {
  await sql.all('UPDATE settings SET value = ? WHERE name = ? AND value = ?', value, name, known);
}

/** The UUID of the service. It does not depend on the service's address. */
export function serviceIdentity(database: Database): Promise<string> {
  return settingOrNew(database, 'identity', randomUUID);
}
