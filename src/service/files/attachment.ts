import path from 'node:path';

/** The header Content-Disposition of a download with this file name (RFC 6266, RFC 8187). */
export function attachment(filename: string): string {
  return `attachment; filename*=UTF-8''${encoded(path.basename(filename))}`;
}

/** A text as the value of a header parameter. Quotes, line breaks and similar characters are encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
