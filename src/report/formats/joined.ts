/** Pieces of data that are written or sent. */
export type Parts = AsyncIterable<string | Uint8Array> | Iterable<string>;

/** The least number of characters in a joined piece. Only the last piece, and a piece before bytes, may be shorter. */
const AT_ONCE = 65_536;

/**
 * Joins short texts into longer texts: one write per row would take longer than all other work. Pieces of bytes stay
 * unchanged.
 */
export async function* joined(parts: Parts): AsyncIterable<string | Uint8Array> {
  let text = '';
  for await (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      if (text.length < AT_ONCE) continue;
    }
    if (text !== '') yield text;
    text = '';
    if (typeof part !== 'string') yield part;
  }
  if (text !== '') yield text;
}
