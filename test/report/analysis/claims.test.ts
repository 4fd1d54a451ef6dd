import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SCOPES } from '../../../src/report/analysis/claims.ts';

test('docs/guides/sensitivity.md has the table of what each method can and cannot show', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/guides/sensitivity.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, method, ...cells]) => [method, ...cells.map((cell) => cell.trim())],
  );
  const ours = Object.entries(SCOPES).map(([method, { shows, test: how, cannot }]) => [
    method,
    shows,
    how,
    cannot,
  ]);
  expect(rows).toEqual(ours);
});
