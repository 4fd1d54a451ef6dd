import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { ownModule, PACKAGE } from '../../src/package/own-files.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

/** Returns the command that foray names in its messages (`npx foray` or `foray`) when it runs in the folder `cwd`. */
function commandIn(cwd: string): string {
  const module = pathToFileURL(ownModule('src/cli/command-name')).href;
  const script = `import { commandName } from '${module}'; process.stdout.write(commandName());`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' });
}

test('the command is `npx foray` in a checkout and in a project with foray installed, and `foray` elsewhere', () => {
  const project = join(folder, 'project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  mkdirSync(join(project, 'campaigns'));
  symlinkSync(PACKAGE, join(project, 'node_modules', 'foray'));

  expect(commandIn(join(PACKAGE, 'docs'))).toBe('npx foray');
  expect(commandIn(join(project, 'campaigns'))).toBe('npx foray');
  expect(commandIn(folder)).toBe('foray');
});
