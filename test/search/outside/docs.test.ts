import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');

test('docs/guides/search.md shows the whole Optuna example, which has at most 20 lines', () => {
  const script = readFileSync(resolve(ROOT, 'examples/search/outside/optuna_tpe.py'), 'utf8');
  expect(script.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  expect(readFileSync(resolve(ROOT, 'docs/guides/search.md'), 'utf8')).toContain(
    `\`\`\`python\n${script}\`\`\``,
  );
});
