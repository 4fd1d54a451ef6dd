import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { released, withVersion } from '../scripts/release.ts';
import { version } from '../src/package/own-version.ts';
import { ROOT } from './support/cli.ts';

const OWN_VERSION = [
  'package.json',
  'Dockerfile',
  '.dockerignore',
  'docker-compose.yml',
  'README.md',
  'docs/getting-started.md',
  'docs/guides/several-machines.md',
  'docs/internals/releasing.md',
  'docs/reference/library.md',
  'python/foray.py',
  'python/pyproject.toml',
];

test.each(OWN_VERSION)('a release changes each mention of the version in %s', (file) => {
  const before = readFileSync(join(ROOT, file), 'utf8');
  expect(before).toContain(version);
  const after = withVersion(before, version, '98.7.6');
  expect(after).not.toContain(version);
  expect(after.split('98.7.6')).toHaveLength(before.split(version).length);
});

test('a release does not change other version numbers', () => {
  const other = `acorn ${version}, 1${version}, 10.2.0.1`;
  expect(withVersion(other, version, '98.7.6')).toBe(other);
});

test('a release puts its version above the unreleased changes', () => {
  const text = '# Changelog\n\n## [Unreleased]\n\n- A.\n\n## [0.1.0] - 2026-01-01\n\n- B.\n';
  expect(released(text, '0.2.0', '2026-02-03')).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n- A.\n\n## [0.1.0] - 2026-01-01\n\n- B.\n',
  );
  expect(() => released('## [Unreleased]\n\n## [0.1.0] - x\n', '0.2.0', 'y')).toThrow(
    'no unreleased changes',
  );
});
