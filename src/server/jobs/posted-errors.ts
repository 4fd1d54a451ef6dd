import type { ErrorCode } from '../../error-codes.ts';
import { ForayError, isForayError, messageOf, type Place } from '../../errors.ts';
import { ServerError, type ServerErrorCode, type ServerErrorOptions } from '../server-error.ts';

/** An error in a form that can be posted between threads. The receiver makes the same error from it. */
export type PostedError =
  | {
      kind: 'foray';
      code: ErrorCode;
      message: string;
      place: Place | undefined;
      hint: string | undefined;
      others: PostedError[];
    }
  | { kind: 'server'; code: ServerErrorCode; message: string; options: ServerErrorOptions }
  | { kind: 'system'; code: string; message: string }
  | { kind: 'fault'; message: string };

export function toPosted(error: unknown): PostedError {
  if (isForayError(error)) {
    const { code, message, place, hint, others } = error;
    return { kind: 'foray', code, message, place, hint, others: others.map(toPosted) };
  }
  const message = messageOf(error);
  if (error instanceof ServerError)
    return { kind: 'server', code: error.code, message, options: error.options };
  const { code, stack } = (error ?? {}) as { code?: unknown; stack?: unknown };
  if (typeof code === 'string') return { kind: 'system', code, message };
  // the log of the server shows where the fault is
  return { kind: 'fault', message: typeof stack === 'string' ? stack : message };
}

export function fromPosted(posted: PostedError): Error {
  switch (posted.kind) {
    case 'foray': {
      const { code, message, place, hint, others } = posted;
      return new ForayError(code, message, { place, hint, others: others.map(fromPosted) as ForayError[] });
    }
    case 'server':
      return new ServerError(posted.code, posted.message, posted.options);
    case 'system':
      return Object.assign(new Error(posted.message), { code: posted.code });
    case 'fault':
      return new Error(posted.message);
  }
}
