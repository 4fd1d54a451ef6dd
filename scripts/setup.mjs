// Installs the packages of package-lock.json, unless node_modules already has exactly these packages. This program runs
// before `npm run demo` and `npm test`, perhaps on an older Node than the project needs. So it is plain JavaScript and
// imports no module of ours. It compares the packages first, because `npm ci` would remove packages that a running
// `foray dev` uses.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The packages of a lock file as comparable texts; undefined if there is no such file. */
function packagesOf(file) {
  if (!existsSync(file)) return undefined;
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => `${path}@${entry.version}`);
}

const wanted = packagesOf(join(root, 'package-lock.json')) ?? [];
const installed = new Set(packagesOf(join(root, 'node_modules', '.package-lock.json')));
// Optional packages are not compared: those for other platforms are in the lock file and are never installed.
const optional = new Set(
  Object.entries(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages)
    .filter(([, entry]) => entry.optional)
    .map(([path, entry]) => `${path}@${entry.version}`),
);
const missing = wanted.filter((name) => !installed.has(name) && !optional.has(name));
const stray = [...installed].filter((name) => !wanted.includes(name));

if (missing.length + stray.length > 0) {
  console.error(`foray: installing ${wanted.length} packages with npm ci (once, about half a minute)`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  const result = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exit(result.status ?? 1);
}
