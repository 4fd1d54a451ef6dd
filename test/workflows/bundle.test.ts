import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundle } from '../../src/dev/workflow-bundle.ts';

test('the workflow bundle holds the scheduler, but neither zod nor HTTP nor SQL', async () => {
  const code = await bundle(resolve(import.meta.dirname, '../../src/workflows/index.ts'));
  expect(code).toContain('campaign/scheduler/index.ts');
  // before the source map, which names what it likes
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
