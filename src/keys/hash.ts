import { hash } from 'node:crypto';

/** SHA-256 in hexadecimal. Keys are kept and compared in this form. */
export function hashOf(key: string): string {
  return hash('sha256', key);
}

/** The visible id of a key: the first eight digits of its SHA-256. */
export function idOf(sha256: string): string {
  return sha256.slice(0, 8);
}
