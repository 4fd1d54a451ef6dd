import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { KeptFiles } from '../../src/server/api/kept-files.ts';
import { problemOf } from '../../src/server/problems.ts';
import { openStore } from '../../src/store/index.ts';
import { testFolder } from '../support/test-folder.ts';

const content = (text: string) => (path: string) => writeFile(path, text);

test('a kept file is made again if its folder is gone', async () => {
  const files = new KeptFiles();
  const first = await files.get('tag', content('one'));
  rmSync(dirname(first.path), { recursive: true });
  const second = await files.get('tag', content('two'));
  expect(readFileSync(second.path, 'utf8')).toBe('two');
  expect((await files.get('tag', content('three'))).path).toBe(second.path);
  await files.close();
  expect(existsSync(dirname(second.path))).toBe(false);
});

test('a full disk is a 507 with a sentence, leaves no part of a file, and the next request tries again', async () => {
  const files = new KeptFiles();
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const { path } = await files.get('other', content('x'));
  const failing = files.get('tag', async (at) => {
    await writeFile(at, 'a part');
    throw full;
  });
  await expect(failing).rejects.toBe(full);
  expect(problemOf(full)).toMatchObject({ status: 507, code: 'STORAGE_FULL' });
  expect(readdirSync(dirname(path))).toHaveLength(1);
  expect((await files.get('tag', content('whole'))).size).toBe(5);
  await files.close();
});

test('a file that is being written is not dropped for others; then the one that was requested longest ago goes first', async () => {
  const files = new KeptFiles();
  const written = Promise.withResolvers<void>();
  const get = (name: string, again = 'again') =>
    files.get(name, async (path) => {
      await written.promise;
      await writeFile(path, made.has(name) ? again : name);
      made.add(name);
    });
  const made = new Set<string>();
  const names = Array.from({ length: 9 }, (_, at) => `file ${at}`);
  const all = names.map((name) => get(name));
  written.resolve();
  for (const [at, { path }] of (await Promise.all(all)).entries())
    if (at > 0) expect(readFileSync(path, 'utf8')).toBe(names[at]);
  const content = async (name: string) => readFileSync((await get(name)).path, 'utf8');
  expect(await content('file 1')).toBe('file 1');
  await content('another');
  expect(await content('file 1')).toBe('file 1');
  expect(await content('file 2')).toBe('again');
  await files.close();
});

test('a file that is being written is given up when all requests for it have gone, and not before', async () => {
  const files = new KeptFiles();
  const clients = [new AbortController(), new AbortController()];
  const given: AbortSignal[] = [];
  const begun = Promise.withResolvers<void>();
  const write = (path: string, gone: AbortSignal) => {
    given.push(gone);
    begun.resolve();
    return once(gone, 'abort').then(() => Promise.reject(new Error('given up')));
  };
  const all = clients.map(({ signal }) =>
    expect(files.get('tag', write, signal)).rejects.toThrow('given up'),
  );
  await begun.promise;
  clients[0]!.abort();
  expect(given.map(({ aborted }) => aborted)).toEqual([false]);
  clients[1]!.abort();
  expect(given.map(({ aborted }) => aborted)).toEqual([true]);
  // a request that comes now does not get the end of the others
  const { path } = await files.get('tag', content('anew'), clients[0]!.signal);
  await Promise.all(all);
  expect(readFileSync(path, 'utf8')).toBe('anew');
  await files.close();
});

test('a new store is for its user only', async () => {
  const folder = testFolder();
  const home = join(folder, 'home');
  const store = await openStore(`sqlite:${join(home, 'store.db')}`);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(home)) expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
  await store.close();
});
