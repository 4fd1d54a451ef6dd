import type { Markup } from '../../report/html/markup.ts';
import { digestOf } from '../api/etag.ts';

/**
 * A part of a page: the element with this id, or the whole content of that element. The script of the page replaces a
 * part that has changed.
 */
export interface Part {
  id: string;
  hash: string;
  markup: Markup;
}

export function partOf(id: string, markup: Markup): Part {
  return { id, hash: digestOf(markup.text), markup };
}

/** The ids and hashes of the parts of a page as a text for the page's script, such as "status=HASH,steering=HASH". */
export function hashesOf(parts: readonly Part[]): string {
  return parts.map(({ id, hash }) => `${id}=${hash}`).join(',');
}

/** The end of the address after a form that the server has taken. The script of the page then forgets the draft. */
export const TAKEN = '#taken';
