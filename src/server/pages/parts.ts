import type { Markup } from '../../report/markup.ts';
import { digestOf } from '../api/etag.ts';

/** A part of a page that is replaced when it has changed: an element with this id, or all that is in it. */
export interface Part {
  id: string;
  /** The same while the part is. */
  hash: string;
  markup: Markup;
}

export function partOf(id: string, markup: Markup): Part {
  return { id, hash: digestOf(markup.text), markup };
}

/** Which parts a page has, for its script: "status=HASH,steering=HASH". */
export function hashesOf(parts: readonly Part[]): string {
  return parts.map(({ id, hash }) => `${id}=${hash}`).join(',');
}
