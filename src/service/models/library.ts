import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publicModules } from '../../own-files.ts';

/** What models import of this package. */
const ENTRIES = ['foray/model', 'foray/kernel'];

/** An import of a file that is loaded, not only its types; as Prettier writes it, and TypeScript in the package. */
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^;'"]*\bfrom\s)?['"](\.{1,2}\/[^'"]+)['"]/gm;

let known: readonly string[] | undefined;

/**
 * The files of this package that run as a part of every model that is a module: `foray/model`, `foray/kernel` and all that these
 * import. Sorted; read once.
 */
export function libraryFiles(): readonly string[] {
  return (known ??= findFiles());
}

function findFiles(): string[] {
  const files = new Set(ENTRIES.map((name) => publicModules[name]!));
  // a set yields what is added while it is walked through
  for (const file of files) {
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      files.add(path.resolve(path.dirname(file), imported!));
    }
  }
  return [...files].sort();
}
