import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { writeProgram } from './program.ts';

/**
 * Writes `dist`, the code of the package: the program, the declarations of the public modules, and the licences of the
 * packages that are part of the program.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** The entries that package.json exports. */
const entries = ['src/index', 'src/service/models/model', 'models/kernel/index'];

const parts = await writeProgram(dist);
writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(parts));
await declare();

/**
 * Writes one file of declarations per entry, with the public declarations only. The declarations of all modules would
 * make a strict project check the declarations of every package that foray uses. The build does not check types:
 * `npm run lint` does this.
 */
async function declare(): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  const files = entries.map((entry) => `${join(dist, entry)}.d.ts`);
  const texts: string[] = [];
  for (const input of files) {
    const rolled = await rollup({ input, plugins: [dts()], external: /^[^./]/ });
    texts.push((await rolled.generate({})).output[0].code);
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist })) rmSync(join(dist, file));
  files.forEach((file, at) => writeFileSync(file, texts[at]!));
}

/** The licences of packages. Most licences require that copies include their text. */
function licencesOf(files: string[]): string {
  const folders = new Set(files.map((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)![0]));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    ) as {
      name: string;
      version: string;
      license: string;
    };
    const [file] = globSync('{LICEN[CS]E,licen[cs]e,COPYING}*', { cwd: join(root, folder) });
    const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return `foray contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
