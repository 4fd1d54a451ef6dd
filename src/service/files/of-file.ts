/** Codes of the service that say that the file itself is the reason, so that a later attempt fails as well. */
const CODES: readonly unknown[] = [
  'UNKNOWN_FILE',
  'FILE_DAMAGED',
  'FILE_REFUSED',
  'CONTENT_DIFFERS',
  'TOO_LARGE',
];

/** Whether a transfer has failed because of the file, and not because the store of files was away. */
export function isOfFile(error: unknown): boolean {
  return CODES.includes((Object(error) as { code?: unknown }).code);
}
