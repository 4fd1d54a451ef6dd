import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildIdOf } from '../../src/dev/workflow-bundle.ts';
import { version } from '../../src/package/own-version.ts';
import { testFolder } from '../support/test-folder.ts';

test('the id of a build changes with the code of the workflows only', async () => {
  const bundle = (mark: string, code: string, map: string) =>
    buildIdOf({
      code: `${mark}var a = ${code};\n//# sourceMappingURL=data:application/json;base64,${map}\n`,
    });
  const id = await bundle('/* 0a */', '1', 'eyJ9');
  expect(id).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}-[0-9a-f]{12}$`));
  expect(await bundle('/* 0b */', '1', 'fQ==')).toBe(id);
  expect(await bundle('/* 0a */', '2', 'eyJ9')).not.toBe(id);
  const folder = testFolder();
  const file = join(folder, 'bundle.js');
  writeFileSync(file, 'var a = 1;\n');
  expect(await buildIdOf({ codePath: file })).toBe(await bundle('', '1', 'fQ=='));
});
