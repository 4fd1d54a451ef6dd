import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');

test('the example of docs/reference/kernel.md prints the output that the page shows', () => {
  const docs = readFileSync(path.join(ROOT, 'docs/reference/kernel.md'), 'utf8');
  const [, example] = /```ts\n(.*?)```/s.exec(docs)!;
  const [, printed] = /prints:\n\n```\n(.*?)```/s.exec(docs)!;
  // Node resolves the imports of a module on standard input relative to the working folder
  const output = execFileSync(process.execPath, ['--input-type=module-typescript', '-'], {
    cwd: ROOT,
    input: example!,
    encoding: 'utf8',
  });
  expect(output).toBe(printed);
});
