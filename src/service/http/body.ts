import type { FastifyInstance } from 'fastify';
import type * as z from 'zod';
import { Reader } from '../../http/endpoints/reader.ts';
import { ServiceError } from '../errors.ts';
import { tooLargeUpload } from '../files/upload.ts';

/** Reads queries and bodies. It throws a ServiceError INVALID_QUERY or INVALID_BODY with the name of the wrong part. */
export const reader = new Reader(({ where, value, error }) => {
  if (where === 'query') {
    const name = error!.issues[0]!.path.join('.');
    return new ServiceError('INVALID_QUERY', `The query parameter ${name} is missing, empty or repeated.`);
  }
  const isJson = error && value !== undefined;
  return new ServiceError(
    'INVALID_BODY',
    isJson ? describeIssue(error, value, where) : `The ${where} is not JSON.`,
  );
});

export function notUtf8(message: string): ServiceError {
  return new ServiceError('INVALID_BODY', message);
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

function describeIssue(error: z.ZodError, value: unknown, where: string): string {
  const [issue] = error.issues;
  const field = issue!.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const input = inputAt(value, issue!.path);
  const named = input === undefined ? '' : ` (input "${input}")`;
  return `The ${where} is not as it should be: ${field.replace(/^\./, '') || 'as a whole'}${named}: ${issue!.message}.`;
}

/** The name of the input that an issue is about, if any. Its position in the list would say little to a reader. */
function inputAt(value: unknown, [list, index]: readonly PropertyKey[]): string | undefined {
  if (list !== 'inputs' || typeof index !== 'number') return undefined;
  const item = (value as { inputs: unknown[] }).inputs[index] as { name?: unknown } | null;
  return typeof item?.name === 'string' ? item.name : undefined;
}
