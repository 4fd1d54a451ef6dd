import { createHash } from 'node:crypto';
import { nameKey } from '../../api/values.ts';

/** A UUID (version 8, RFC 9562: custom) that is a function of its parts, the same on every installation. */
export function stableUuid(...parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20].reduceRight((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, hex);
}

export function modelId(name: string): string {
  return stableUuid('model', nameKey(name));
}

export function versionId(name: string, number: number): string {
  return stableUuid('version', nameKey(name), number);
}
