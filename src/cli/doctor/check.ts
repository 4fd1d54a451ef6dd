import { isForayError, messageOf } from '../../errors.ts';

/** The state of one part of an installation. */
export interface Check {
  part: string;
  /** `skipped`: the check was not possible, usually because another part has failed. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  /** What to do about a warning or a failure; empty when there is no advice. */
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

/**
 * A failed check of a part, from the error that the check met. The advice is the hint of the error, or else `advice`.
 */
export function failedWith(part: string, error: unknown, advice = ''): Check {
  const message = isForayError(error) ? error.message : messageOf(error).split('\n')[0]!;
  const hint = isForayError(error) ? error.hint : undefined;
  return failed(part, message.replace(/\.?$/, '.'), hint ?? advice);
}
