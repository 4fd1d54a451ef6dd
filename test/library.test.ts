import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { exportsOf, membersOf, tables } from '../scripts/library.ts';
import { withTables } from '../scripts/table.ts';
import { ownFile, PACKAGE, publicModules } from '../src/package/own-files.ts';

const page = readFileSync(ownFile('docs/reference/library.md'), 'utf8');

test('docs/reference/library.md lists all public exports (npm run reference writes the lists)', () => {
  const named = [...page.matchAll(/<!-- generated: (\S+) -->/g)].map((match) => match[1]!);
  expect(named.toSorted()).toEqual(Object.keys(tables).toSorted());
  expect(withTables(page, tables)).toBe(page);
  expect(page).toMatch(/^\| `recentRows` /m);
});

test('every public export has a comment', () => {
  const all = Object.values(publicModules).flatMap((file) => exportsOf(file));
  const members = all.filter(({ kind }) => kind === 'class').flatMap(membersOf);
  expect(members.map(({ name }) => name)).not.toContain('store');
  const ownClasses = exportsOf(publicModules.foray!).filter(({ name }) => name in tables);
  const undocumented = [...all, ...ownClasses.flatMap(membersOf)].filter(({ about }) => about === '');
  expect(undocumented.map(({ name }) => name)).toEqual([]);
});

describe('package.json', () => {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>;
  };

  test('exports only the public modules, each as its built file', () => {
    const built = (file: string, extension: string): string =>
      `./${file.replace(ownFile('.'), 'dist').replace(/\.ts$/, extension)}`;
    expect(exports).toEqual(
      Object.fromEntries(
        Object.entries(publicModules).map(([name, file]) => [
          name.replace(/^foray/, '.'),
          { types: built(file, '.d.ts'), default: built(file, '.js') },
        ]),
      ),
    );
  });
});

test('a program that imports foray does not load the command line', () => {
  const loaded = new Set([publicModules.foray!]);
  // the loop also visits elements that are added to the set during the loop
  for (const file of loaded) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(?!type\b)(?:[^;'"]*\bfrom\s)?'([^']+)'/gm,
    )) {
      if (name!.startsWith('.')) loaded.add(join(file, '..', name!));
      else expect([file, name]).not.toEqual([file, 'commander']);
    }
  }
  expect([...loaded].filter((file) => file.startsWith(ownFile('src/cli/')))).toEqual([]);
  expect(loaded.size).toBeGreaterThan(50);
});
