import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { CampaignDefinition } from '../../campaign/definition.ts';
import type { DefinitionSource } from '../../client/index.ts';
import { ForayError, isForayError, messageOf } from '../../errors.ts';
import { makeFolder } from '../../system/file-system.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import { ServerError } from '../server-error.ts';

/** A definition and the files that it names: the content of each file in Base64, by the name of the file. */
const Envelope = z.strictObject({
  definition: z.union([z.string(), z.record(z.string(), z.unknown())], 'expected a text or an object'),
  files: z
    .record(z.string(), z.base64('expected the content in Base64'), 'expected files by name')
    .default({}),
});

/**
 * A definition as a client sent it: the text of a form with its files (the content of each in Base64, by name), or the
 * body of a request.
 */
export type Sent = { text: string; files?: Readonly<Record<string, string>> } | { body: Uint8Array };

/** The largest text of a definition, in characters. Larger designs are in point files. */
export const MOST_TEXT = 1_000_000;
/** The file name in errors about a definition from a request. */
export const DEFINITION = 'definition';
const FILE_NAME = /^(?!\.{1,2}$)[^/\\\0]+$/;
/** The longest file name that file systems allow, in bytes. */
const LONGEST_NAME = 255;
/** How a missing file comes with a definition: of a form, or of a request. */
const hints = {
  form: 'Upload it at its field.',
  body: 'Send it with the definition: {"definition": …, "files": {NAME: BASE64}}. foray.py sends the files beside the definition, and those under files=[PATH, …].',
};

/**
 * Reads a definition from a request: YAML or JSON, or `{"definition": …, "files": {NAME: BASE64}}`. While `use` runs,
 * the files are in a temporary folder. A definition cannot name other files.
 *
 * @param within - the folder of the temporary folder
 * @throws ServerError BAD_REQUEST, TOO_LARGE, and all errors of `use`
 */
export async function withDefinition<T>(
  within: string,
  sent: Sent,
  use: (source: DefinitionSource) => Promise<T>,
): Promise<T> {
  const { definition, files, hint } = partsOf(sent);
  if (lengthOf(definition) > MOST_TEXT)
    throw new ServerError(
      'TOO_LARGE',
      `A definition may have at most ${MOST_TEXT.toLocaleString('en-US')} characters.`,
      { hint: 'Put the points of a large design into a point file.' },
    );
  // a cleaner of temporary files may have removed the folder
  await makeFolder(within);
  const folder = await mkdtemp(join(within, 'upload-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      if (!FILE_NAME.test(name) || Buffer.byteLength(name) > LONGEST_NAME)
        throw new ServerError(
          'BAD_REQUEST',
          `The name of a file must have no folder and at most ${LONGEST_NAME} bytes.`,
        );
      await writeFile(join(folder, name), Buffer.from(content, 'base64'));
    }
    const uploads = { folder, hint };
    return await use(
      typeof definition === 'string'
        ? { text: definition, file: DEFINITION, uploads }
        : { definition: definition as unknown as CampaignDefinition, file: DEFINITION, uploads },
    );
  } catch (error) {
    throw isForayError(error) ? withSentNames(error, folder) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The definition, its files, and how a missing file comes with it. @throws ServerError BAD_REQUEST */
function partsOf(sent: Sent): z.output<typeof Envelope> & { hint: string } {
  const text = 'text' in sent ? sent.text : new TextDecoder().decode(sent.body);
  if (text.trim() === '')
    throw new ServerError('BAD_REQUEST', 'There is no definition: expected YAML or JSON.');
  if ('text' in sent) return { definition: text, files: sent.files ?? {}, hint: hints.form };
  return { ...(envelopeIn(text) ?? { definition: text, files: {} }), hint: hints.body };
}

/** An error whose places have the names of the sent files. The temporary folder says nothing to the client. */
function withSentNames(error: ForayError, folder: string): ForayError {
  const { code, message, place, hint, others } = error;
  return new ForayError(code, message, {
    place: place && { ...place, file: place.file.replace(`${folder}/`, '') },
    hint,
    others: others.map((other) => withSentNames(other, folder)),
  });
}

function lengthOf(definition: string | Record<string, unknown>): number {
  return typeof definition === 'string' ? definition.length : JSON.stringify(definition).length;
}

function envelopeIn(text: string): z.output<typeof Envelope> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // a definition in YAML has no setting of this name
    if (/^\s*\{\s*"definition"\s*:/.test(text))
      throw new ServerError('BAD_REQUEST', `The body is not JSON: ${messageOf(error)}.`);
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('definition' in value)) return undefined;
  const result = Envelope.safeParse(value);
  if (result.success) return result.data;
  const { message, hint } = schemaError(result.error, Envelope, value, 'body');
  throw new ServerError('BAD_REQUEST', message, { hint });
}
