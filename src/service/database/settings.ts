import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/** A text that is made once and kept in the database. */
export async function settingOf(database: Database, name: string, make: () => string): Promise<string> {
  await database.all('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', name, make());
  const [row] = await database.all<{ value: string }>('SELECT value FROM settings WHERE name = ?', name);
  return row!.value;
}

/** The UUID of the service, which stays the same at any address. */
export function serviceIdentity(database: Database): Promise<string> {
  return settingOf(database, 'identity', randomUUID);
}
