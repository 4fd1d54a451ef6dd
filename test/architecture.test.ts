import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importsOf } from '../scripts/imports.ts';
import { rooms, serviceRooms, sharedRooms } from '../scripts/rooms.ts';
import { cleanEnv } from './support/cli.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Code that prints the address of each module that Node loads afterwards, one address per line. */
const PRINT_MODULES = `
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });`;

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

test('an executor starts without packages of node_modules, because packages would take most of the time of the start', () => {
  const program = `
    ${PRINT_MODULES}
    await import('./src/service/executors/runner.ts');`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(loaded).toContain('src/service/executors/runner.ts');
  expect(loaded).not.toContain('node_modules');
});

test('a command starts without the modules of other commands', () => {
  const loaded = loadedBy('campaign-ids');
  expect(loaded).toContain('src/cli/campaign-ids.ts');
  expect(loaded).not.toMatch(/src\/(cli\/(submit|report|worker)\.ts|client\/|report\/index)/);
});

test('a command that reads no definition starts without the schema of definitions', () => {
  const loaded = loadedBy('list', '--help');
  expect(loaded).toContain('src/client/client.ts');
  expect(loaded).not.toContain('src/campaign/definition.ts');
});

test('nothing of OpenTelemetry is loaded while traces are off', () => {
  const program = `
    ${PRINT_MODULES}
    for (const file of ['worker', 'src/cli/main', 'src/server/app', 'src/service/service'])
      await import(\`./\${file}.ts\`);
    for (const file of ['remote-executor/remote-executor', 'http/app', 'fleet/lane-keeper'])
      await import(\`./src/service/\${file}.ts\`);`;
  const args = ['--input-type=module', '--eval', program, 'foray', 'submit', '--help'];
  const modules = (env: NodeJS.ProcessEnv): string =>
    execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: { ...cleanEnv(), ...env } });
  const off = modules({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  expect(off).toContain('src/tracing.ts');
  expect(off).not.toMatch(/opentelemetry/);
  expect(modules({})).not.toMatch(/opentelemetry/);
  expect(modules({ OTEL_TRACES_EXPORTER: 'otlp' })).toMatch(/@opentelemetry\/sdk-trace-base/);
});

/** The modules that a command of foray loads, one module per line. */
function loadedBy(...args: string[]): string {
  const flag = `--import=data:text/javascript,${encodeURIComponent(PRINT_MODULES)}`;
  return execFileSync(process.execPath, [flag, 'src/cli/main.ts', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: cleanEnv(),
  });
}

test('a service on one machine starts without the packages for PostgreSQL, S3 and Temporal', () => {
  const program = `
    ${PRINT_MODULES}
    const { startService } = await import('./src/service/service.ts');
    const service = await startService({ dataDir: process.argv[1], modelDirs: [], apiKey: 'key', executors: 1 });
    await service.close();`;
  const folder = mkdtempSync(join(tmpdir(), 'foray-modules-'));
  try {
    const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program, folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(loaded).toContain('src/service/runs/replica.ts');
    expect(loaded).not.toMatch(/node_modules\/(pg|kysely|aws4fetch|@temporalio)\//);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
