import { createHash } from 'node:crypto';
import { extname } from 'node:path';

/** The longest file name; longer ones are cut. File systems allow 255 bytes, and extensions are added. */
const LONGEST = 150;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
const EXTENSION = /^\.[A-Za-z0-9]{1,10}$/;

/**
 * File names for the outputs of a campaign: letters, digits, "-" and "_" stay, and all other characters are
 * percent-encoded. All names differ, even on a file system that ignores case.
 */
export function fileNames(outputs: readonly string[]): Map<string, string> {
  // a cut name needs no more characters, because each gives at least one
  const names = outputs.map((output) => encoded(output.slice(0, LONGEST + 1)));
  const folded = names.map((name) => name.toLowerCase());
  return new Map(
    outputs.map((output, at) => {
      const name = names[at]!;
      const isShort = name.length > 0 && name.length <= LONGEST;
      const isUnique = isShort && folded.indexOf(folded[at]!) === folded.lastIndexOf(folded[at]!);
      return [output, isUnique ? name : `${name.slice(0, LONGEST)}~${digest(output)}`];
    }),
  );
}

/** The extension in the service's name of a file, with its point, if it is a plain one; otherwise empty. */
export function extensionOf(localPath: string): string {
  const extension = extname(localPath);
  return EXTENSION.test(extension) ? extension : '';
}

function encoded(name: string): string {
  return name.replaceAll(DEVICE.test(name) ? /^./g : /[^A-Za-z0-9_-]+/g, percent);
}

function percent(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function digest(name: string): string {
  return createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, 16);
}
