import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publicModules } from '../../package/own-files.ts';

/** The modules of this package that a model can import. */
export const LIBRARY_MODULES = ['foray/model', 'foray/kernel'];

/** Matches an import or export from a relative path, except `import type`, as formatters and TypeScript write it. */
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^;'"]*\bfrom\s)?['"](\.{1,2}\/[^'"]+)['"]/gm;

let known: readonly string[] | undefined;

/**
 * The files of {@link LIBRARY_MODULES} and of all their imports. They count as part of each model that is a module. The
 * list is sorted, and made only once.
 */
export function libraryFiles(): readonly string[] {
  return (known ??= withImports(LIBRARY_MODULES.map((name) => publicModules[name]!)));
}

/** Modules and all the modules that they import by a relative path, sorted. */
export function withImports(entries: readonly string[]): string[] {
  const files = new Set(entries);
  // the loop also reaches the files that it adds to the set
  for (const file of files) {
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      files.add(path.resolve(path.dirname(file), imported!));
    }
  }
  return [...files].sort();
}
