import { stringify } from 'yaml';
import { hashOf } from '../../src/keys/hash.ts';
import type { KeyRole } from '../../src/keys/roles.ts';

/** The text of a key file, for keys that the test knows. */
export function keyFileOf(...keys: readonly [name: string, role: KeyRole, key: string][]): string {
  const users = Map.groupBy(keys, ([name]) => name);
  return stringify({
    users: Object.fromEntries(
      [...users].map(([name, own]) => [
        name,
        { keys: own.map(([, role, key]) => ({ sha256: hashOf(key), role })) },
      ]),
    ),
  });
}
