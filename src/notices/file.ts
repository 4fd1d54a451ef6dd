import { existsSync } from 'node:fs';
import * as z from 'zod';
import { readGuardedText } from '../system/guarded-text.ts';
import { UnknownNameError } from '../unknown-name.ts';
import { guardedMistake, readGuardedYaml } from '../yaml/guarded-yaml.ts';

/**
 * The file of notices of a worker: names, each with the address or the command that is called for it. Definitions have
 * only the names. So whoever submits a campaign cannot make a worker call another address or run another command, and
 * the secret of an address is in this file only. docs/guides/notices.md describes the file.
 */
const NOTICE_FILE = { what: 'file of notices', code: 'NOTICES_INVALID' } as const;
/** The permissions that other users of the machine may not have: all, because the file has secrets. */
const FOR_OTHERS = 0o077;

const Name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'a name has at most 64 letters, digits, - and _, with a letter or a digit first',
  );

const Notice = z
  .strictObject(
    {
      url: z
        .url({ protocol: /^https?$/, error: 'an http or https address is expected' })
        .refine((url) => !URL.parse(url)?.username, 'an address has no user name; put a secret into its path')
        .optional(),
      secret: z
        .string('the secret is a text')
        .refine(
          isSecret,
          'the secret is whsec_ and 24 to 64 bytes in base64, such as whsec_$(openssl rand -base64 32)',
        )
        .optional(),
      command: z
        .array(z.string('an argument is a text'), 'the command is a list: a program and its arguments')
        .min(1, 'the command has no program')
        .optional(),
    },
    'a notice is {url: ADDRESS, secret: SECRET} or {command: [PROGRAM, …]}',
  )
  .refine(
    ({ url, command }) => (url === undefined) !== (command === undefined),
    'a notice has either a url or a command',
  )
  .refine(({ command, secret }) => command === undefined || secret === undefined, 'a command has no secret');

/** What is called for a notice: a webhook (`url`, signed if it has a `secret`) or a command of the worker's machine. */
export type Notice = z.infer<typeof Notice>;

/**
 * Reads the file of notices.
 * @throws ForayError NOTICES_INVALID, with the place but without the text at that place, which may be a secret
 */
export function readNotices(file: string): Map<string, Notice> {
  const { plain, locate } = readGuardedYaml(
    readGuardedText(file, NOTICE_FILE, FOR_OTHERS),
    file,
    NOTICE_FILE,
  );
  const result = z.record(Name, Notice, 'names of notices are expected').safeParse(plain ?? {});
  if (!result.success) throw guardedMistake(result.error, locate, NOTICE_FILE);
  return new Map(Object.entries(result.data));
}

/**
 * The notice of a name. The file is read for each call, so that a change, such as another secret, counts at once.
 * @throws ForayError NOTICES_INVALID, UNKNOWN_NOTICE
 */
export function noticeOf(file: string | undefined, name: string): Notice {
  const notices = file !== undefined && existsSync(file) ? readNotices(file) : new Map<string, Notice>();
  const notice = notices.get(name);
  if (notice) return notice;
  const known = [...notices.keys()];
  throw new UnknownNameError('UNKNOWN_NOTICE', `The worker has no notice "${name}".`, {
    name,
    known,
    // only if no notice is known
    hint: 'It has no file of notices: see docs/guides/notices.md.',
  });
}

function isSecret(text: string): boolean {
  const bytes = secretBytes(text).length;
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes >= 24 && bytes <= 64;
}

/** The bytes of a secret of Standard Webhooks: `whsec_` and base64. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}
