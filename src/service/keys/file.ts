import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Document } from 'yaml';
import { z } from 'zod';
import { ForayError, messageOf } from '../../errors.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../../yaml.ts';

/**
 * The key file: users with the SHA-256 of their keys, and who may use which model. Keys are random, so a plain
 * SHA-256 is enough, and the file holds no secret. YAML, of which JSON is a part; docs/service.md describes it.
 */

/** Owns the models that nobody else is said to own, and the key that is made at first start. */
export const LOCAL_USER = 'local';

const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.@-]*$/;
const UserName = z
  .string()
  .regex(USER_NAME, 'a user name has letters, digits and _ . @ - and begins with a letter or digit');

const Key = z.strictObject({
  sha256: z
    .string()
    .regex(
      /^[0-9a-f]{64}$/,
      'the SHA-256 of a key is expected, 64 hexadecimal digits in lower case, never the key',
    ),
  created: z.string().optional(),
});

const ModelAccess = z.strictObject({
  owner: UserName.default(LOCAL_USER),
  developers: z.array(UserName).default([]),
  users: z.array(UserName).default([]),
});
export type ModelAccess = z.infer<typeof ModelAccess>;

const KeyFileContent = z.strictObject({
  users: z.record(UserName, z.strictObject({ keys: z.array(Key).default([]) })).default({}),
  models: z.record(z.string(), ModelAccess).default({}),
});
export type KeyFileContent = z.infer<typeof KeyFileContent>;

/** A key file with the means to change it and to say where in it something stands. */
export interface KeyFile extends KeyFileContent {
  document: Document;
  locate: Locate;
}

/** Where a service keeps its keys when nobody says. */
export function keyFileIn(dataDir: string): string {
  return path.join(dataDir, 'keys.yaml');
}

export function isUserName(text: string): boolean {
  return USER_NAME.test(text);
}

/** @throws ForayError KEYS_INVALID with the place; it never repeats what stands there, which may be a key */
export function readKeyFile(file: string): KeyFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ForayError('KEYS_INVALID', `The key file ${file} cannot be read: ${messageOf(error)}.`);
  }
  return parseKeyFile(text, file);
}

/** As {@link readKeyFile}, of the file's text. */
export function parseKeyFile(text: string, file: string): KeyFile {
  const { plain, document, locate } = readText(text, file);
  const result = KeyFileContent.safeParse(plain ?? {});
  if (!result.success) {
    const [issue] = result.error.issues;
    // the issue of a name that is no user name says only that the name is wrong, and why one level below
    const why = issue!.code === 'invalid_key' ? issue.issues[0]!.message : issue!.message;
    const where = issue!.path.length > 0 ? issue!.path.map(String).join('.') : 'the whole';
    throw new ForayError('KEYS_INVALID', `The key file is wrong at ${where}: ${why}.`, {
      place: locate(issue!.path),
    });
  }
  const read: KeyFile = { ...result.data, document, locate };
  checkKeys(read);
  checkUsers(read);
  return read;
}

/** One key names one user. */
function checkKeys({ users, locate }: KeyFile): void {
  const seen = new Set<string>();
  for (const [user, { keys }] of Object.entries(users)) {
    for (const [index, { sha256 }] of keys.entries()) {
      if (seen.has(sha256)) {
        throw new ForayError('KEYS_INVALID', `The key ${sha256.slice(0, 8)} is there twice.`, {
          place: locate(['users', user, 'keys', index]),
        });
      }
      seen.add(sha256);
    }
  }
}

/** A misspelt name in a permission would silently shut somebody out, or let somebody else in later. */
function checkUsers({ users, models, locate }: KeyFile): void {
  const isKnown = (user: string) => user === LOCAL_USER || Object.hasOwn(users, user);
  for (const [model, access] of Object.entries(models)) {
    const named: [PropertyKey[], string][] = [
      [['owner'], access.owner],
      ...access.developers.map((user, at): [PropertyKey[], string] => [['developers', at], user]),
      ...access.users.map((user, at): [PropertyKey[], string] => [['users', at], user]),
    ];
    for (const [at, user] of named) {
      if (isKnown(user)) continue;
      throw new ForayError('KEYS_INVALID', `The key file has no user "${user}".`, {
        place: locate(['models', model, ...at]),
      });
    }
  }
}

function readText(text: string, file: string): ReadYaml {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // what it says may repeat what stands there
    throw new ForayError('KEYS_INVALID', 'The key file is neither YAML nor JSON.', { place: error.place });
  }
}
