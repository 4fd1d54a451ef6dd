/**
 * The forms that a secret may have in a file: unchanged, in JSON, in an address, as hexadecimal digits, and as base64.
 * Base64 has another form at each of three offsets, and its ends depend on the neighbouring bytes.
 */
export function spellings(secret: string): Map<string, string> {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const found = new Map([
    ['plain', secret],
    ['JSON', JSON.stringify(secret).slice(1, -1)],
    ['URL', encodeURIComponent(secret)],
    ['URL, small', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ['form', new URLSearchParams({ '': secret }).toString().slice(1)],
    ['hex', hex],
    ['HEX', hex.toUpperCase()],
  ]);
  for (const encoding of ['base64', 'base64url'] as const) {
    for (const offset of [0, 1, 2]) {
      const coded = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(encoding)
        .replace(/=+$/, '');
      // leaves out the digits at the ends, if they also have bits of neighbouring bytes
      const from = Math.ceil((offset * 8) / 6);
      const to = Math.floor(((offset + bytes.length) * 8) / 6);
      found.set(`${encoding} at ${offset}`, coded.slice(from, to));
    }
  }
  return found;
}

/** The names of the forms of a secret that a text or file contains. */
export function leaksIn(content: string | Buffer, secret: string): string[] {
  return [...spellings(secret)].filter(([, text]) => content.includes(text)).map(([name]) => name);
}
