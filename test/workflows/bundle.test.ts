import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundle, sourceHash, workflowBundle } from '../../src/dev/workflow-bundle.ts';

test('the workflow bundle contains the scheduler, but not zod, got, kysely or the schema of definitions', async () => {
  const code = await bundle(resolve(import.meta.dirname, '../../src/workflows/index.ts'));
  expect(code).toContain('campaign/scheduler/index.ts');
  // workers run the stored bundle, with a mark in its first line. A further line would shift its source map
  const kept = (await workflowBundle()) as { code: string };
  expect(kept.code.split('\n')).toHaveLength(code.split('\n').length);
  // the source map may contain any name, so the test does not search the map
  const modules = code.slice(0, code.indexOf('//# sourceMappingURL'));
  for (const name of [
    'node_modules/zod',
    'node_modules/got',
    'node_modules/kysely',
    'campaign/definition.ts',
  ]) {
    expect(modules).not.toContain(name);
  }
});

test('the hash of the source changes with each lock file, and with each changed or new source file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'foray-bundle-'));
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'node_modules'));
  write('src/a.ts', '1');
  const hashes = [sourceHash(folder)];
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json', 'src/a.ts', 'src/b.ts']) {
    write(file, '2');
    hashes.push(sourceHash(folder));
  }
  rmSync(folder, { recursive: true });
  expect(new Set(hashes).size).toBe(hashes.length);
});
