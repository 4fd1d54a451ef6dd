/**
 * Whether an error of got is a timeout. The name decides, because `instanceof` would need the classes of got, and only
 * the first request loads got.
 */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}
