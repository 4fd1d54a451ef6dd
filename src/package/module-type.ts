import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * What to do if a module with `import` or `export` cannot be loaded because its package.json makes it a CommonJS
 * module. `npm init` writes such a package.json. Undefined if the package.json does not have the type "commonjs".
 */
export function moduleTypeHint(file: string): string | undefined {
  if (/\.m[jt]s$/.test(file)) return undefined;
  const manifest = findPackageJSON(pathToFileURL(file));
  if (manifest === undefined || typeIn(manifest) !== 'commonjs') return undefined;
  return `A module with import or export needs "type": "module", but ${manifest} says "type": "commonjs". Change the type with: npm pkg set type=module`;
}

function typeIn(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: unknown }).type;
  } catch {
    return undefined;
  }
}
