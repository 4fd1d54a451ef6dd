import { isUtf8 } from 'node:buffer';
import { looksLikeMessage } from './lines.ts';

const UTF8 =
  'Set the encoding of its standard output to UTF-8, for example with PYTHONIOENCODING=utf-8 in Python, or with [Console]::OutputEncoding in PowerShell';

/** The text of a line that a program has printed. @throws Error if the line is a message in UTF-16 or UTF-32 */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  const isWide =
    text.includes('\0') && !looksLikeMessage(text) && looksLikeMessage(text.replaceAll('\0', ''));
  if (!isWide) return text;
  throw new Error(
    `its output is UTF-16 or UTF-32 and not UTF-8: it has zero bytes between the letters. ${UTF8}`,
  );
}

/** @throws Error if the bytes of a message are not UTF-8 */
export function checkUtf8(bytes: Buffer, text: string): void {
  if (isUtf8(bytes)) return;
  const at = text.indexOf('\u{fffd}');
  throw new Error(
    `its outputs are not UTF-8, as in ${JSON.stringify(text.slice(Math.max(0, at - 20), at + 20))}. ${UTF8}`,
  );
}
