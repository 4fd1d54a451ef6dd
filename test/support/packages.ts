import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Packages that Node loads once in each process of Jest. Jest would evaluate the packages again for each test file, so
 * V8 would compile and optimise their code again. The packages keep no state that affects the next test file. The tests
 * get each package through a module with the same exports, which is written for Jest.
 *
 * Objects and errors of the packages belong to another realm than objects and errors of the tests. The same is true for
 * Node's own modules. The packages see the environment variables of the process, but not variables that a test sets. So
 * `@temporalio/envconfig` is not in the list.
 */
const PACKAGES = [
  '@temporalio/activity',
  '@temporalio/client',
  '@temporalio/common',
  '@temporalio/testing',
  '@temporalio/worker',
  '@temporalio/workflow',
  'commander',
  'fastify',
  'kysely',
  'vega',
  'vega-lite',
  'yaml',
  'zod',
];

/** The exports of each package, by the name of the package. */
type Packages = Record<string, object>;

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'reports', 'packages');
const MARK = join(FOLDER, 'versions');
/** The property of a test file's global object that holds the packages. */
const PROPERTY = 'packagesOfNode';

const fileOf = (name: string): string => `${name.replaceAll(/[@/]/g, '_')}.mjs`;

/** The module of each package, as a setting for Jest's `moduleNameMapper`. */
export const packageModules = Object.fromEntries(
  PACKAGES.map((name) => [`^${name}$`, `<rootDir>/reports/packages/${fileOf(name)}`]),
);

/** Whether the modules for Jest exist and match this file and the installed versions. */
export function hasPackageModules(): boolean {
  return existsSync(MARK) && readFileSync(MARK, 'utf8') === versions();
}

/** Writes the modules for Jest. */
export async function writePackageModules(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, exports] of Object.entries(await loadPackages())) {
    writeFileSync(join(FOLDER, fileOf(name)), moduleOf(name, exports));
  }
  writeFileSync(MARK, versions());
}

function versions(): string {
  const sources = [import.meta.filename, join(ROOT, 'package-lock.json')];
  return sources.map((file) => readFileSync(file, 'utf8')).join('');
}

/** Loads the packages into this process, for `givePackages`. */
export async function loadPackages(): Promise<Packages> {
  const loaded = PACKAGES.map(async (name) => [name, (await import(name)) as object] as const);
  return Object.fromEntries(await Promise.all(loaded));
}

/** Gives a test file its packages. */
export function givePackages(global: Record<string, unknown>, packages: Packages): void {
  global[PROPERTY] = packages;
}

/** The text of a module that exports what Node has loaded from a package. */
function moduleOf(name: string, exports: object): string {
  const lines = Object.keys(exports).map((key, at) =>
    key === 'default'
      ? 'export default from.default;'
      : `const v${at} = from[${JSON.stringify(key)}]; export { v${at} as ${JSON.stringify(key)} };`,
  );
  return [`const from = globalThis.${PROPERTY}[${JSON.stringify(name)}];`, ...lines, ''].join('\n');
}
