import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { rooms } from '../scripts/rooms.ts';

const ROOT = resolve(import.meta.dirname, '..');

describe('modules', () => {
  test('import in no circle, not even types, which ESLint passes over', () => {
    const files = ['worker.ts', ...globSync('{src,models}/**/*.ts', { cwd: ROOT })];
    const imports = new Map(files.map((file) => [file, importsOf(file)]));
    expect(circleIn(imports)).toBeUndefined();
  });

  test('are found by their imports of every kind', () => {
    expect(importsOf('src/activities/ask.ts')).toEqual(
      expect.arrayContaining(['src/campaign/types.ts', 'src/campaign/points.ts']),
    );
    expect(
      circleIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual(['b', 'c', 'b']);
  });
});

describe('docs/architecture.md', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

  test('has the rooms of the lint rule, and what each may import', () => {
    const rows = [...page.matchAll(/^\| `src\/(\w+)` *\|[^|]*\|([^|]*)\|$/gm)];
    const table = Object.fromEntries(rows.map(([, room, list]) => [room!, roomsIn(list!)]));
    const { cli, ...others } = table;
    expect(cli).toEqual(['all']);
    expect(others).toEqual(
      Object.fromEntries(Object.entries(rooms).map(([room, open]) => [room, [...open].toSorted()])),
    );
  });
});

/** Names of rooms in a cell, without what stands in brackets behind them. */
function roomsIn(cell: string): string[] {
  const list = cell.replaceAll(/\([^)]*\)/g, '').trim();
  return list === 'nothing of ours' ? [] : list.split(/\s*,\s*/).toSorted();
}

/** The files of this repository that a file imports, as paths from the root. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => relative(ROOT, resolve(ROOT, file, '..', fileName)));
}

/** The first circle of imports, from a file back to itself. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const isDone = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (isDone.has(file)) return undefined;
    isDone.add(file);
    for (const other of imports.get(file) ?? []) {
      const circle = visit(other, [...path, file]);
      if (circle) return circle;
    }
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}
