/** What is wrong with a concurrency that {@link isConcurrency} refuses, for a person who sets it. */
export const WRONG_CONCURRENCY = 'The concurrency must be a whole number from 1, or "auto".';

/** Whether a value can be the concurrency of a running campaign. */
export function isConcurrency(value: unknown): value is number | 'auto' {
  return value === 'auto' || (Number.isInteger(value) && Number(value) >= 1);
}
