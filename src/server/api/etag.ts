import { hash } from 'node:crypto';
import type { Foray } from '../../client/index.ts';

export function etagOf(text: string): string {
  return `"${digestOf(text)}"`;
}

/** An entity tag of content that is made of a campaign's results. The tag changes when a result changes. */
export async function tagOfResults(foray: Foray, id: string, what: unknown): Promise<string> {
  const { digest, updatedAt } = await foray.record(id);
  return etagOf(JSON.stringify([what, id, digest, updatedAt, await foray.counts(id)]));
}

/** A hash of a text: 27 characters (162 bits), each a letter, a digit, `-` or `_`. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 27);
}

/** Whether a header If-None-Match or If-Match contains an entity tag. */
export function hasTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
