import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Document } from 'yaml';
import * as z from 'zod';
import { ForayError, messageOf, type Place } from '../errors.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../yaml/yaml.ts';

/**
 * The key file of both servers: names with the SHA-256 and the role of each of their keys, and who may use which model.
 * Keys are random, so a plain SHA-256 is enough, and the file holds no secret. The file is YAML or JSON;
 * docs/reference/keys.md describes it.
 */

/**
 * What a key may do. `steer` may do everything that its user may do, except push models through foray's own server.
 * `develop` may do this too. `read` may only read campaigns at foray's own
 * server. `executor` may only execute runs of a model service, on another machine.
 */
export const roles = ['read', 'steer', 'develop', 'executor'] as const;
export type KeyRole = (typeof roles)[number];

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

/** A user, or an executor on another machine. */
const Holder = z.strictObject({ keys: z.array(Key).default([]) });

const ModelRights = z.strictObject({
  owner: UserName.default(LOCAL_USER),
  developers: z.array(UserName).default([]),
  users: z.array(UserName).default([]),
});
export type ModelRights = z.infer<typeof ModelRights>;

const KeyFileContent = z.strictObject({
  users: z.record(UserName, Holder).default({}),
  models: z.record(z.string(), ModelRights).default({}),
});
export type KeyFileContent = z.infer<typeof KeyFileContent>;

/** A key file that can be changed, and that can tell the place of each of its parts. */
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

/** The largest file that is read, in bytes. */
const MOST = 16 * 1024 ** 2;
const FOR_OWNER = 0o400;

/**
 * The text of a key file. A pipe or a very large file could hold the process, so they are refused. A file that its owner
 * may not read is refused also if this process belongs to root, who may read every file.
 *
 * @param tooOpen - the permissions that other users of the machine may not have, as bits of the file's mode
 * @throws ForayError KEYS_INVALID
 */
export function readKeyText(file: string, tooOpen = 0): string {
  let text: string;
  let mode: number;
  try {
    const stats = statSync(file);
    mode = process.platform === 'win32' ? FOR_OWNER : stats.mode;
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > MOST) throw new Error(`it has more than ${MOST} bytes`);
    if ((mode & FOR_OWNER) === 0) throw new Error('its permissions do not allow it');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ForayError('KEYS_INVALID', `The key file ${file} cannot be read: ${messageOf(error)}.`);
  }
  if ((mode & tooOpen) === 0) return text;
  throw new ForayError('KEYS_INVALID', `Other users have access to the key file ${file}.`, {
    hint: 'Remove their access with chmod 600.',
  });
}

/** @throws ForayError KEYS_INVALID with the place, but without the text at that place, which may be a key */
export function readKeyFile(file: string): KeyFile {
  return parseKeyFile(readKeyText(file), file);
}

/** Like {@link readKeyFile}, for the text of the file. */
export function parseKeyFile(text: string, file: string): KeyFile {
  const { plain, document, locate } = readText(text, file);
  const result = KeyFileContent.safeParse(plain ?? {});
  if (!result.success) {
    const { why, place } = mistakeIn(result.error.issues[0]!, locate);
    throw new ForayError('KEYS_INVALID', `The key file is wrong here: ${why}.`, { place });
  }
  const read: KeyFile = { ...result.data, document, locate };
  checkKeys(read);
  checkUsers(read);
  return read;
}

/** What is wrong, and where. The names in the message and in the path of an issue may be keys, so they are left out. */
function mistakeIn(issue: z.core.$ZodIssue, locate: Locate): { why: string; place: Place } {
  const { code, path: at, message } = issue;
  if (code === 'unrecognized_keys')
    return { why: 'this name is unknown', place: locate([...at, issue.keys[0]!], 'key') };
  // this issue says only that the name of a user is wrong; the reason is one level below
  if (code === 'invalid_key') return { why: issue.issues[0]!.message, place: locate(at, 'key') };
  return { why: message, place: locate(at) };
}

/** A key of the file. */
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
      throw new ForayError('KEYS_INVALID', `The key ${sha256.slice(0, 8)} appears twice.`, {
        place: file.locate(['users', name, 'keys', index]),
      });
    }
    seen.add(sha256);
  }
}

/** Refuses unknown names: a misspelt name in a permission would exclude somebody, or admit somebody else later. */
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
      throw new ForayError('KEYS_INVALID', 'The key file has no user of this name.', {
        place: locate(['models', model, ...at]),
      });
    }
  }
}

/** Reads the text. Its places have no text of the file, because commands print the text of a place. */
function readText(text: string, file: string): ReadYaml {
  try {
    const { locate, ...read } = readYaml(text, file);
    return { ...read, locate: (...of) => withoutText(locate(...of)) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // the parser's message may repeat the text at this place, which may be a key
    throw new ForayError('KEYS_INVALID', 'The key file is neither YAML nor JSON.', {
      place: withoutText(error.place),
    });
  }
}

function withoutText(place: Place): Place {
  return { ...place, text: undefined };
}
