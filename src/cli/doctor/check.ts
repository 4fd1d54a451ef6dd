import { isForayError, messageOf } from '../../errors.ts';

/** The state of one part of an installation. */
export interface Check {
  part: string;
  /** `skipped`: the check is not possible, because another part has failed. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  /** What to do about a warning or a failure; empty when there is nothing to do. */
  advice: string;
}

export function ok(part: string, message: string): Check {
  return { part, state: 'ok', message, advice: '' };
}

export function warning(part: string, message: string, advice: string): Check {
  return { part, state: 'warning', message, advice };
}

export function failed(part: string, message: string, advice: string): Check {
  return { part, state: 'failed', message, advice };
}

export function skipped(part: string, message: string): Check {
  return { part, state: 'skipped', message, advice: '' };
}

/** The check of a part that failed with an error. The advice is the hint of the error, or else the given advice. */
export function failedWith(part: string, error: unknown, advice = ''): Check {
  const message = isForayError(error) ? error.message : messageOf(error).split('\n')[0]!;
  const hint = isForayError(error) ? error.hint : undefined;
  return failed(part, message.replace(/(?<!\.)$/, '.'), hint ?? advice);
}
