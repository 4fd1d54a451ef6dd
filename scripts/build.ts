import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { bundle, bundles, modules } from '../src/dev/workflow-bundle.ts';

/**
 * Writes `dist`, the code of the package: the modules as JavaScript with source maps, the declarations of the public
 * modules, the files that modules read, and the workflow bundle. It has the same folders as the checkout.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** The entries that package.json exports. */
const entries = ['src/index', 'src/service/models/model', 'models/kernel/index'];

rmSync(dist, { recursive: true, force: true });
compile();
await declare();
for (const folder of [
  'src/cli/scaffold',
  'src/service/animation/player',
  'src/server/login',
  'src/server/page',
  'examples',
  'python',
]) {
  cpSync(join(root, folder), join(dist, folder), { recursive: true, filter: isSource });
}
keepModelsBare();
// made in advance, so that a worker starts without webpack
for (const kind of ['campaigns', 'lanes'] as const) {
  const code = await bundle(join(dist, `${modules[kind]}.js`));
  writeFileSync(join(dist, `${bundles[kind]}.js`), withSlimMap(code));
}

/** False for files that Python creates when it imports or installs a module. */
function isSource(path: string): boolean {
  return !/__pycache__|\.egg-info|python.build/.test(path.slice(root.length));
}

function compile(): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

/**
 * Writes one file of declarations per entry, with the public declarations only. The declarations of all modules would
 * make a strict project check the declarations of every package that foray uses.
 */
async function declare(): Promise<void> {
  const files = entries.map((entry) => `${join(dist, entry)}.d.ts`);
  const texts: string[] = [];
  for (const input of files) {
    const rolled = await rollup({ input, plugins: [dts()], external: /^[^./]/ });
    texts.push((await rolled.generate({})).output[0].code);
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist })) rmSync(join(dist, file));
  files.forEach((file, at) => writeFileSync(file, texts[at]!));
}

/**
 * Removes the source maps of models: everything in the folder of a model is part of the model, so it must have only
 * code.
 */
function keepModelsBare(): void {
  for (const file of globSync('models/**/*.js', { cwd: dist })) {
    const path = join(dist, file);
    rmSync(`${path}.map`);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\/\/# sourceMappingURL=.*\s*$/, ''));
  }
}

/**
 * Makes the source map in the bundle smaller. The worker needs the map, but not the sources and not the path of this
 * folder.
 */
function withSlimMap(code: string): string {
  const [, head, encoded] = /^(.*base64,)(\S+)\s*$/s.exec(code)!;
  const map = JSON.parse(Buffer.from(encoded!, 'base64').toString()) as { sources: string[] };
  const sources = map.sources.map((source) => source.replace(`${root}${sep}`, ''));
  const slim = { ...map, sources, sourcesContent: undefined };
  return `${head}${Buffer.from(JSON.stringify(slim)).toString('base64')}\n`;
}
