import { isForayError, messageOf } from '../../errors.ts';

/** How a part of an installation is. */
export interface Check {
  part: string;
  /** `skipped`: it cannot be looked at, as another part has failed. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  /** What to do about it; empty where there is nothing to do. */
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

/** A part that failed with an error, and what the error says to do. */
export function failedWith(part: string, error: unknown, advice = ''): Check {
  if (isForayError(error)) return failed(part, error.message, error.hint ?? advice);
  return failed(part, `${messageOf(error).split('\n')[0]}.`, advice);
}
