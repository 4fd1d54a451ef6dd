import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { tooLargeUpload } from '../files/upload.ts';

/**
 * Reads the body of an endpoint that takes JSON. A body that is one JSON string may also be plain text.
 *
 * @throws ServiceError INVALID_BODY, with the name of the invalid field if there is one
 */
export function readBody(schema: z.ZodType, text = ''): unknown {
  return schema instanceof z.ZodString ? bareOrJsonString(text) : readJson(schema, text, 'body');
}

/**
 * Reads JSON text by a schema. `where` is the name of the text in errors.
 *
 * @throws ServiceError INVALID_BODY, with the name of the invalid field if there is one
 */
export function readJson<S extends z.ZodType>(schema: S, text: string, where: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_BODY', `The ${where} is not JSON.`);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw new ServiceError('INVALID_BODY', describeIssue(result.error, value, where));
  return result.data;
}

/** The error for a body that is not UTF-8. */
export function notUtf8(message: string): ServiceError {
  return new ServiceError('INVALID_BODY', message);
}

/** @throws ServiceError INVALID_QUERY with the name of the parameter */
export function readQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const result = schema.safeParse(query);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new ServiceError(
      'INVALID_QUERY',
      `The query parameter ${issue!.path.join('.')} is missing, empty or repeated.`,
    );
  }
  return result.data;
}

/**
 * Gives these routes their bodies as streams. A body may have any content type. The reader of a stream must count its
 * bytes, because only a body with an announced size is checked here.
 */
export function acceptBytes(scope: FastifyInstance, limit: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, stream, done) => {
    // such a body is refused before it is read
    const tooLarge = Number(request.headers['content-length']) > limit;
    done(tooLarge ? tooLargeUpload(limit) : null, stream);
  });
}

function bareOrJsonString(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // bare text
  }
  return text;
}

function describeIssue(error: z.ZodError, value: unknown, where: string): string {
  const [issue] = error.issues;
  const field = issue!.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const input = inputAt(value, issue!.path);
  const of = input === undefined ? '' : ` (input "${input}")`;
  return `The ${where} is not as it should be: ${field.replace(/^\./, '') || 'as a whole'}${of}: ${issue!.message}.`;
}

/**
 * The name of the input that an issue is about, if any. The position in the list alone would say little to a reader.
 */
function inputAt(value: unknown, [list, index]: readonly PropertyKey[]): string | undefined {
  if (list !== 'inputs' || typeof index !== 'number') return undefined;
  const item = (value as { inputs: unknown[] }).inputs[index] as { name?: unknown } | null;
  return typeof item?.name === 'string' ? item.name : undefined;
}
