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

test.each([
  [
    'guides/search.md',
    /With strongly skewed outputs, such as a Pareto tail .* the choice is wrong more often/,
  ],
  ['reference/definition.md', /strongly skewed, such as a Pareto tail .* contain the mean less often/],
  ['guides/sensitivity.md', /a factorial whose points partly failed is no longer balanced/],
  [
    'guides/sensitivity.md',
    /INTEGER that is rounded from a distribution other than uniform have half a cell/,
  ],
])('docs/%s says the limit %p', (name, limit) => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');
  expect(page.replaceAll(/\s+/g, ' ')).toMatch(limit);
});
