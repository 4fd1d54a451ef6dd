import { createHash } from 'node:crypto';
import { extname } from 'node:path';

/**
 * The maximum number of encoded characters of a name. A longer name is cut. File systems allow 255 bytes, and foray
 * adds a hash and an extension.
 */
const LONGEST = 150;
/** Names that Windows reserves for devices, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
const EXTENSION = /^\.[A-Za-z0-9]{1,10}$/;

/**
 * File names for the outputs of a campaign. ASCII letters, digits, "-" and "_" stay, and all other characters are
 * percent-encoded. In a name that Windows reserves, the first letter is percent-encoded. A name that is empty, too long
 * or not unique gets a hash at its end. No two names are equal, even on a file system that ignores case.
 */
export function fileNames(outputs: readonly string[]): Map<string, string> {
  // each character gives at least one encoded character, so `LONGEST` + 1 characters show whether the name must be cut
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

/**
 * The extension of a file name from the service, with the dot. Empty if it does not consist of 1 to 10 letters and
 * digits.
 */
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
