import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { findModels, hashContent } from '../../src/service/models/folder.ts';
import { ownFile, ownModule } from '../../src/package/own-files.ts';
import { libraryFiles } from '../../src/service/models/library.ts';
import { writeCommandModel } from './command-model.ts';
import { SHIPPED_MODELS, temporaryFolder, writeModel } from './support.ts';

test('a version of a module has all files that Node loads for foray/kernel and foray/model', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    await import('foray/kernel');
    await import('foray/model');
    console.log(JSON.stringify(urls.filter((url) => url.startsWith('file:'))));`;
  const printed = execFileSync(
    process.execPath,
    [
      `--import=${pathToFileURL(ownModule('src/package/own-package')).href}`,
      ...['--input-type=module', '--eval', program],
    ],
    { encoding: 'utf8' },
  );
  const loaded = (JSON.parse(printed) as string[]).map((url) => fileURLToPath(url));
  expect(libraryFiles()).toEqual(loaded.sort());
  expect(libraryFiles().map((file) => path.relative(ownFile('.'), file))).toContain(
    'src/statistics/normal.ts',
  );

  for (const { entry, library } of findModels(SHIPPED_MODELS)) {
    expect([entry, library]).toEqual([entry, libraryFiles()]);
  }
});

test('a change of a library file changes the hash of a module, and a command model has no library files', async () => {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  writeModel(folder, 'module', 'export default {};');
  writeCommandModel(folder, 'Program', '');
  const [program, module] = findModels(folder);
  expect(program!.library).toEqual([]);
  const file = path.join(elsewhere, 'kernel.ts');
  const hashes = new Set<string>();
  for (const content of ['1', '2']) {
    writeFileSync(file, `export default ${content};`);
    hashes.add(await hashContent({ ...module!, library: [file] }));
  }
  expect(hashes.size).toBe(2);
});

test('an import of the unknown package "constructor" is an error, although JavaScript objects inherit this property', () => {
  const program = "await import('constructor').catch(({ code }) => console.log(code));";
  const hook = `--import=${pathToFileURL(ownModule('src/package/own-package')).href}`;
  const printed = execFileSync(process.execPath, [hook, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(printed).toBe('ERR_MODULE_NOT_FOUND\n');
});
