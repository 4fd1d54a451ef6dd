import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

const LOCAL_USER = 'local';

/** API keys. They are random, so a plain SHA-256 of each is kept and nothing else. */
export class Keys {
  readonly #find;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT 1 FROM keys WHERE hash = ?');
  }

  isKnown(key: string): boolean {
    return this.#find.get(hashOf(key)) !== undefined;
  }
}

/**
 * Sees to it that the local user has a key: the given one, which replaces an earlier one, or else the one that the
 * database has, or else a new one. Only a new one is returned, once: the database does not know it.
 */
export function ensureLocalKey(db: DatabaseSync, given: string | undefined): string | undefined {
  const exists = db.prepare('SELECT 1 FROM keys WHERE user = ?').get(LOCAL_USER) !== undefined;
  if (given === undefined && exists) return undefined;
  const key = given ?? randomUUID();
  db.prepare('DELETE FROM keys WHERE user = ?').run(LOCAL_USER);
  db.prepare('INSERT OR REPLACE INTO keys (hash, user, created_at) VALUES (?, ?, ?)').run(
    hashOf(key),
    LOCAL_USER,
    new Date().toISOString(),
  );
  return given === undefined ? key : undefined;
}

/** The secret that pre-signed addresses are signed with; kept, so that they hold over a restart. */
export function signingSecret(db: DatabaseSync): string {
  db.prepare("INSERT OR IGNORE INTO settings (name, value) VALUES ('signing_secret', ?)").run(
    randomBytes(32).toString('base64url'),
  );
  const row = db.prepare("SELECT value FROM settings WHERE name = 'signing_secret'").get() as {
    value: string;
  };
  return row.value;
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
