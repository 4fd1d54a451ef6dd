import { createHash } from 'node:crypto';
import { extname } from 'node:path';

/** Names that are longer as files are cut. File systems take 255 bytes; an extension and what is unfinished come behind. */
const LONGEST = 150;
/** Names that Windows keeps for devices, whatever comes behind the point. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
const EXTENSION = /^\.[A-Za-z0-9]{1,10}$/;

/**
 * Names of files for the outputs of a campaign, by their names: letters, digits, "-" and "_" as they are, all else
 * percent-encoded as in addresses. No two are the same, also where a file system does not tell capitals.
 */
export function fileNames(outputs: readonly string[]): Map<string, string> {
  // of a name that is cut no more is needed: each character gives one at least
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

/** The extension of a file as the service names it, with its point, if it is a plain one; else empty. */
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
