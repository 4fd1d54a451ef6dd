import { hash } from 'node:crypto';

/** SHA-256 in hexadecimal: how a key is kept and compared. */
export function hashOf(key: string): string {
  return hash('sha256', key);
}

/** What a key is called where people see it: the first eight digits of its SHA-256. */
export function idOf(sha256: string): string {
  return sha256.slice(0, 8);
}
