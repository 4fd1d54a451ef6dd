import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readDefinition } from '../src/campaign/read.ts';
import { foray, ROOT } from './support/cli.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('README', () => {
  test('names only commands that there are', async () => {
    const { stdout } = await foray(ROOT, ['--help']);
    const named = new Set([...readme.matchAll(/(?:npx |`)foray ([a-z]+)/g)].map((match) => match[1]!));
    expect(named.size).toBeGreaterThan(8);
    for (const command of named) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });

  test('names only files that there are', () => {
    const named = [...readme.matchAll(/(?:docs|examples)\/[\w./-]+\.\w+/g)].map((match) => match[0]);
    for (const file of [...named, 'CONTRIBUTING.md', 'docker-compose.yml']) {
      expect({ file, exists: existsSync(join(ROOT, file)) }).toEqual({ file, exists: true });
    }
  });

  test('shows a definition that is one', () => {
    const example = /```yaml\n([^`]+)```/.exec(readme)![1]!;
    expect(readDefinition(example, 'README.md').definition).toMatchObject({ replications: 20, seed: 42 });
  });
});
