/** The first and the last byte of a part of a file, counted from 0. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * The part of a file that a header Range requests (RFC 9110, 14.1.2). Undefined means the whole file. The result is
 * also undefined for several parts, other units and invalid ranges, because a server may ignore all of these. Null means
 * that the file has no byte of that part.
 *
 * @param size - of the file, in bytes
 */
export function rangeIn(header: string | undefined, size: number): ByteRange | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  // without a first byte, the second number is the number of bytes from the end
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first > last ? null : { first, last };
}
