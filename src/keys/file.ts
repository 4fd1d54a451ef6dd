import path from 'node:path';
import type { Document } from 'yaml';
import * as z from 'zod';
import { ForayError } from '../errors.ts';
import { readGuardedText } from '../system/guarded-text.ts';
import { guardedMistake, readGuardedYaml } from '../yaml/guarded-yaml.ts';
import type { Locate } from '../yaml/yaml.ts';
import { idOf } from './hash.ts';
import { roles } from './roles.ts';

/**
 * The key file of both servers: names with the SHA-256 and the role of each of their keys, and who may use which model.
 * Keys are random, so a plain SHA-256 is enough, and the file holds no secret. The file is YAML or JSON;
 * docs/reference/keys.md describes it.
 */

/** The user of the key that the first start makes. This user also owns all models without another owner. */
export const LOCAL_USER = 'local';

const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.@-]*$/;
const UserName = z
  .string()
  .regex(USER_NAME, 'a name has letters, digits and _ . @ - and begins with a letter or digit');

const Key = z.strictObject({
  sha256: z
    .string()
    .regex(
      /^[0-9a-f]{64}$/,
      'the SHA-256 of a key is expected, 64 hexadecimal digits in lower case, never the key',
    ),
  role: z.enum(roles, 'the role is read, steer, develop or executor').default('steer'),
  created: z.iso.datetime('a time such as 2026-11-21T14:05:38Z is expected').optional(),
});

const ModelRights = z.strictObject({
  owner: UserName.default(LOCAL_USER),
  developers: z.array(UserName).default([]),
  users: z.array(UserName).default([]),
});
export type ModelRights = z.infer<typeof ModelRights>;

const KeyFileContent = z.strictObject({
  /** Users, and executors on other machines. */
  users: z.record(UserName, z.strictObject({ keys: z.array(Key).default([]) })).default({}),
  models: z.record(z.string(), ModelRights).default({}),
});
export type KeyFileContent = z.infer<typeof KeyFileContent>;

/** The content of a key file, as a document that can be changed, and with the place of each part. */
export interface KeyFile extends KeyFileContent {
  document: Document;
  locate: Locate;
}

/** The default path of the key file. */
export function keyFileIn(dataDir: string): string {
  return path.join(dataDir, 'keys.yaml');
}

export function isUserName(text: string): boolean {
  return USER_NAME.test(text);
}

export const KEY_FILE = {
  what: 'key file',
  code: 'KEYS_INVALID',
  whenMissing: 'foray keys add NAME makes it, with a key for this user.',
} as const;

/** @throws ForayError KEYS_INVALID with the place, but without the text at that place, which may be a key */
export function readKeyFile(file: string): KeyFile {
  return parseKeyFile(readGuardedText(file, KEY_FILE), file);
}

/** Like {@link readKeyFile}, for the text of the file. */
export function parseKeyFile(text: string, file: string): KeyFile {
  const { plain, document, locate } = readGuardedYaml(text, file, KEY_FILE);
  const result = KeyFileContent.safeParse(plain ?? {});
  if (!result.success) throw guardedMistake(result.error, locate, KEY_FILE);
  const read: KeyFile = { ...result.data, document, locate };
  checkKeys(read);
  checkUsers(read);
  return read;
}

export interface FoundKey extends z.infer<typeof Key> {
  /** The user, or the executor. */
  name: string;
  /** Its place among the keys with this name. */
  index: number;
}

/** All keys of the file. */
export function keysOf({ users }: Pick<KeyFileContent, 'users'>): FoundKey[] {
  return Object.entries(users).flatMap(([name, { keys }]) =>
    keys.map((key, index) => ({ name, index, ...key })),
  );
}

/** Checks that each key appears only once. */
function checkKeys(file: KeyFile): void {
  const seen = new Set<string>();
  for (const { name, index, sha256 } of keysOf(file)) {
    if (seen.has(sha256)) {
      throw new ForayError('KEYS_INVALID', `The key ${idOf(sha256)} appears twice.`, {
        place: file.locate(['users', name, 'keys', index]),
      });
    }
    seen.add(sha256);
  }
}

/** Refuses unknown names: a misspelt name in a permission would exclude somebody, or admit somebody else later. */
function checkUsers({ users, models, locate }: KeyFile): void {
  const isKnown = (user: string) => user === LOCAL_USER || Object.hasOwn(users, user);
  for (const [model, rights] of Object.entries(models)) {
    const check = (user: string, ...path: PropertyKey[]): void => {
      if (isKnown(user)) return;
      throw new ForayError('KEYS_INVALID', 'The key file has no user of this name.', {
        place: locate(['models', model, ...path]),
      });
    };
    check(rights.owner, 'owner');
    for (const [at, user] of rights.developers.entries()) check(user, 'developers', at);
    for (const [at, user] of rights.users.entries()) check(user, 'users', at);
  }
}
