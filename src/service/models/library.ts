import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of this package. */
export const PACKAGE = path.resolve(import.meta.dirname, '../../..');

/** What models import of this package, by its exports. */
const EXPORTS = ['./model', './kernel'];

/** An import of a file that is loaded, not only its types; as Prettier writes it. */
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^;'"]*\bfrom\s)?'(\.{1,2}\/[^']+)'/gm;

let known: readonly string[] | undefined;

/**
 * The files of this package that run as a part of every model that is a module: `foray/model`, `foray/kernel` and all that these
 * import. Sorted; read once.
 */
export function libraryFiles(): readonly string[] {
  return (known ??= findFiles());
}

function findFiles(): string[] {
  const { exports } = JSON.parse(readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const files = new Set(EXPORTS.map((name) => path.join(PACKAGE, exports[name]!)));
  // a set yields what is added while it is walked through
  for (const file of files) {
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      files.add(path.resolve(path.dirname(file), imported!));
    }
  }
  return [...files].sort();
}
