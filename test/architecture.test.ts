import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importsOf } from '../scripts/imports.ts';
import { rooms, serviceRooms, sharedRooms } from '../scripts/rooms.ts';

const ROOT = resolve(import.meta.dirname, '..');

describe('modules', () => {
  test('have no circular imports, not even of types', () => {
    const files = ['worker.ts', ...globSync('{src,models,test,bench,scripts}/**/*.ts', { cwd: ROOT })];
    const imports = new Map(files.map((file) => [file, importsOf(file)]));
    expect(circleIn(imports)).toBeUndefined();
  });

  test('the search finds imports of values and imports of types, and it finds a cycle', () => {
    expect(importsOf('src/activities/run-requests.ts')).toEqual(
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

  test('of a room (a folder of src or src/service) import only the rooms in scripts/rooms.ts', () => {
    const all = { cli: Object.keys(rooms), ...rooms };
    const mayImport = { ...withShared(all), ...sharedRooms };
    expect(forbiddenImports('src', mayImport)).toEqual([]);
    expect(forbiddenImports('src/service', serviceRooms)).toEqual([]);
    // the search finds an import that is not in the list
    expect(forbiddenImports('src', { ...mayImport, cloud: [] })).toContainEqual(
      expect.stringMatching(/^src\/cloud\/.*\.ts imports src\/api\//),
    );
  });

  test('of a room have no type with the name of an exported type of the room', () => {
    const declared = Map.groupBy(
      globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) => {
        const [, room = 'src'] = /^src\/(service\/[^/]+|[^/]+)\//.exec(file) ?? [];
        const types = readFileSync(join(ROOT, file), 'utf8').matchAll(
          /^(export )?(?:abstract )?(?:interface|type|class) (\w+)/gm,
        );
        return [...types].map(([, isExported, name]) => ({ name: `${room}: ${name}`, isExported }));
      }),
      ({ name }) => name,
    );
    expect(declared.get('campaign: Design')).toHaveLength(1);
    const twice = [...declared].filter(([, all]) => all.length > 1 && all.some((each) => each.isExported));
    expect(twice.map(([name]) => name)).toEqual([]);
  });

  test('do not use the pathname of import.meta.url, because %20 stands for a blank in it', () => {
    const use =
      /import\.meta\b[^;]*\)\s*\.pathname\b|\{[^{}]*\bpathname\b[^{}]*\}\s*=\s*new URL\([^;]*import\.meta/;
    // in two parts, because the test also searches this file
    const meta = ['import', 'meta.url'].join('.');
    for (const code of [
      `new URL('..', ${meta}).pathname`,
      `new URL(\n  '..',\n  ${meta},\n).pathname`,
      `const { pathname } = new URL('..', ${meta})`,
    ]) {
      expect(code).toMatch(use);
    }
    const files = globSync(
      ['*.{ts,js}', 'docs/site/.vitepress/*.js', '{src,models,examples,test,bench,scripts}/**/*.{ts,js,mjs}'],
      { cwd: ROOT },
    );
    expect(files.filter((file) => use.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });
});

describe('docs/internals/architecture.md', () => {
  const page = readFileSync(join(ROOT, 'docs/internals/architecture.md'), 'utf8');

  test('has the rooms of scripts/rooms.ts and their allowed imports', () => {
    const { cli, ...others } = tableOf(page, 'src');
    expect(cli).toEqual(['all']);
    expect(others).toEqual(sorted({ ...rooms, ...sharedRooms }));
    expect(tableOf(page, 'service')).toEqual(sorted(serviceRooms));
  });
});

function withShared(table: Record<string, readonly string[]>): Record<string, readonly string[]> {
  const shared = Object.keys(sharedRooms);
  return Object.fromEntries(Object.entries(table).map(([room, open]) => [room, [...open, ...shared]]));
}

/** The imports from one room of a folder to another room that it may not import. */
function forbiddenImports(folder: string, mayImport: Record<string, readonly string[]>): string[] {
  const roomOf = (file: string) => new RegExp(`^${folder}/([^/]+)/`).exec(file)?.[1];
  return globSync(`${folder}/*/**/*.ts`, { cwd: ROOT }).flatMap((file) => {
    const open = [roomOf(file), ...mayImport[roomOf(file)!]!];
    return importsOf(file)
      .filter((imported) => roomOf(imported) !== undefined && !open.includes(roomOf(imported)))
      .map((imported) => `${file} imports ${imported}`);
  });
}

/** The rooms of a table, and the rooms that each may import. */
function tableOf(page: string, folder: string): Record<string, string[]> {
  const rows = [...page.matchAll(/^\| `(\w+)\/([\w-]+)` *\|[^|]*\|([^|]*)\|$/gm)];
  return Object.fromEntries(
    rows.flatMap(([, of, room, list]) => (of === folder ? [[room!, roomsIn(list!)]] : [])),
  );
}

function sorted(table: Record<string, readonly string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(table).map(([room, open]) => [room, [...open].toSorted()]));
}

/** The names of rooms in a cell, without the notes in brackets. */
function roomsIn(cell: string): string[] {
  const list = cell.replaceAll(/\([^)]*\)/g, '').trim();
  return list === 'no other room' ? [] : list.split(/\s*,\s*/).toSorted();
}

/** The first import cycle, from a file back to itself. */
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
