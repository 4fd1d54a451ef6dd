import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { CampaignDefinition } from '../../campaign/definition.ts';
import type { DefinitionSource } from '../../client/index.ts';
import { messageOf } from '../../errors.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import { ServerError } from '../problems.ts';

/** A definition and the files that it names: the content of each file in Base64, by the name of the file. */
const Envelope = z.strictObject({
  definition: z.union([z.string(), z.record(z.string(), z.unknown())], 'expected a text or an object'),
  files: z
    .record(z.string(), z.base64('expected the content in Base64'), 'expected files by name')
    .default({}),
});

/** The file name in errors about a definition from a request. */
const NAME = 'definition';
const FILE_NAME = /^(?!\.{1,2}$)[^/\\\0]{1,200}$/;

/**
 * Reads a definition from a request: YAML or JSON, or `{"definition": …, "files": {NAME: BASE64}}`. While `use` runs,
 * the files are in a temporary folder. A definition cannot name other files.
 *
 * @throws ServerError BAD_REQUEST, and all errors of `use`
 */
export async function withDefinition<T>(
  text: string,
  use: (source: DefinitionSource) => Promise<T>,
): Promise<T> {
  const envelope = envelopeIn(text);
  const folder = await mkdtemp(join(tmpdir(), 'foray-upload-'));
  try {
    for (const [name, content] of Object.entries(envelope?.files ?? {})) {
      if (!FILE_NAME.test(name))
        throw new ServerError(
          'BAD_REQUEST',
          'The name of a file must have no folder and at most 200 characters.',
        );
      await writeFile(join(folder, name), Buffer.from(content, 'base64'));
    }
    const definition = envelope?.definition ?? text;
    return await use(
      typeof definition === 'string'
        ? { text: definition, file: NAME, uploads: folder }
        : { definition: definition as unknown as CampaignDefinition, file: NAME, uploads: folder },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
