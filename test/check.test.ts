import { expect, test } from '@jest/globals';
import { testsOf } from '../scripts/check.ts';

test('npm run check runs the quick tests of changed files', () => {
  expect(testsOf(['src/text/suggest.ts'])).toContain('test/text/suggest.test.ts');
  expect(testsOf(['docs/concepts.md'])).toEqual(['test/docs.test.ts']);
  expect(testsOf(['test/check.test.ts', 'test/e2e/dev.test.ts'])).toEqual(['test/check.test.ts']);
  expect(testsOf(['LICENSE'])).toEqual([]);
});
