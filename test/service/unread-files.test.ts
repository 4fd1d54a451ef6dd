import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { ownModule } from '../../src/package/own-files.ts';
import { placeOf, readCode } from '../../src/service/models/folder.ts';
import { OwnCopy } from '../../src/service/models/own-copy.ts';
import { writeCommandModel } from './command-model.ts';
import { temporaryFolder, writeModel } from './support.ts';

/** Files that a machine does not lack for a moment. A run that needs them waits only so often. */

/** What `act` throws, in a process of its own: Jest cannot load the module that loads models. */
function thrownBy(act: string): { name: string; isLasting: boolean; message: string } {
  const file = path.join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    file,
    `const { checkUnchanged, loadUnchanged } = await import(${JSON.stringify(pathToFileURL(ownModule('src/service/models/load')).href)});
     await ${act}.catch(({ name, isLasting, message }) => console.log(JSON.stringify({ name, isLasting, message })));`,
  );
  return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' })) as ReturnType<
    typeof thrownBy
  >;
}

test('a file that a module reads while it loads, and that does not exist, counts as a lasting reason', async () => {
  const [models, data] = [temporaryFolder(), path.join(temporaryFolder(), 'data.txt')];
  writeFileSync(data, '');
  writeModel(
    models,
    'Reader',
    `import { readFileSync } from 'node:fs';
     readFileSync(${JSON.stringify(data)});
     export default { run: () => ({}) };`,
  );
  const code = await readCode(placeOf(path.join(models, 'Reader', 'model.js'), []));
  rmSync(data);
  const thrown = thrownBy(`loadUnchanged(${JSON.stringify(code)})`);
  expect(thrown).toMatchObject({ name: 'Deferred', isLasting: true });
  expect(thrown.message).toContain('ENOENT');
});

test('files of a model that are gone count as a lasting reason, for a module and for the copy of a command model', async () => {
  const models = temporaryFolder();
  writeCommandModel(models, 'Program', '');
  const folder = path.join(models, 'Program');
  const code = await readCode(placeOf(path.join(folder, 'model.yaml'), []));
  renameSync(folder, `${folder}-aside`);
  const lasting = { name: 'Deferred', isLasting: true };
  expect(thrownBy(`checkUnchanged(${JSON.stringify(code)})`)).toMatchObject(lasting);
  await expect(new OwnCopy(code, temporaryFolder()).prepare()).rejects.toMatchObject(lasting);
});
