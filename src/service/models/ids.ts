import { createHash } from 'node:crypto';
import { nameKey } from '../../api/values.ts';

/** A UUID (version 8, RFC 9562: custom) that is a function of its parts, the same on every installation. */
export function stableUuid(...parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80; // the version
  bytes[8] = (bytes[8]! & 0x3f) | 0x80; // the variant
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function modelId(name: string): string {
  return stableUuid('model', nameKey(name));
}

export function versionId(name: string, number: number): string {
  return stableUuid('version', nameKey(name), number);
}
