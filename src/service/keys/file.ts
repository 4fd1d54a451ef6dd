import path from 'node:path';
import type { Document } from 'yaml';
import * as z from 'zod';
import { ForayError, messageOf, type Place } from '../../errors.ts';
import { readSmallFile } from '../../system/watched-content.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../../yaml/yaml.ts';

/**
 * The key file: users and executors with the SHA-256 of their keys, and who may use which model. Keys are random, so a
 * plain SHA-256 is enough, and the file holds no secret. The file is YAML or JSON; docs/reference/service.md describes
 * it.
 */

/** The user of the key that the first start makes. This user also owns all models without another owner. */
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
  executors: z.record(UserName, Holder).default({}),
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

/** @throws ForayError KEYS_INVALID with the place, but without the text at that place, which may be a key */
export function readKeyFile(file: string): KeyFile {
  let text: string;
  try {
    text = readSmallFile(file);
  } catch (error) {
    throw new ForayError('KEYS_INVALID', `The key file ${file} cannot be read: ${messageOf(error)}.`);
  }
  return parseKeyFile(text, file);
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
export interface FoundKey {
  kind: KeyKind;
  /** The user, or the executor. */
  name: string;
  /** Its place among the keys of this user or executor. */
  index: number;
  sha256: string;
  created?: string | undefined;
}

/** The parts of the file with keys. */
export const keyKinds = ['users', 'executors'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** All keys of the file. */
export function keysOf(content: KeyFileContent): FoundKey[] {
  return keyKinds.flatMap((kind) =>
    Object.entries(content[kind]).flatMap(([name, { keys }]) =>
      keys.map((key, index) => ({ kind, name, index, ...key })),
    ),
  );
}

/** Checks that each key belongs to only one user or executor. */
function checkKeys(file: KeyFile): void {
  const seen = new Set<string>();
  for (const { kind, name, index, sha256 } of keysOf(file)) {
    if (seen.has(sha256)) {
      throw new ForayError('KEYS_INVALID', `The key ${sha256.slice(0, 8)} appears twice.`, {
        place: file.locate([kind, name, 'keys', index]),
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
