import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openStore, stateOfStore, type Store, tellLost } from '../../src/store/index.ts';
import { until } from '../support/until.ts';
import { add, done } from './fixtures.ts';

let folder: string;
let file: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-lost-'));
  file = join(folder, 'store.db');
  store = await openStore(`sqlite:${file}`);
  await add(store, 'flu', { points: 2, replications: 1 });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const isLost = () => until('the loss is noticed', () => store.whyLost() !== undefined, 5);

test.each<[string, () => void]>([
  ['removed', () => rmSync(file)],
  ['renamed', () => renameSync(file, `${file}-aside`)],
  [
    'replaced by a copy',
    () => {
      copyFileSync(file, `${file}-copy`);
      renameSync(`${file}-copy`, file);
    },
  ],
  [
    'replaced by another file',
    () => {
      rmSync(file);
      writeFileSync(file, 'x');
    },
  ],
  ['without its log', () => rmSync(`${file}-wal`)],
  [
    'given another log',
    () => {
      rmSync(`${file}-wal`);
      writeFileSync(`${file}-wal`, '');
    },
  ],
])('a store whose file is %s is neither read nor written, and the errors say why', async (_what, lose) => {
  lose();
  await isLost();
  const refused = { code: 'STORE_LOST', message: expect.stringContaining('removed or replaced') };
  await expect(store.getCampaign('flu')).rejects.toMatchObject(refused);
  await expect(store.observe('flu', [done(0)], 2_000)).rejects.toMatchObject(refused);
  await expect(add(store, 'other')).rejects.toMatchObject(refused);
  await expect(Array.fromAsync(store.results('flu'))).rejects.toMatchObject(refused);
});

test('a store goes on when the same file is back, and both are told', async () => {
  const lines: string[] = [];
  const end = tellLost(store, (line) => lines.push(line));
  renameSync(file, `${file}-aside`);
  await until('the loss is told', () => lines.length === 1, 5);
  renameSync(`${file}-aside`, file);
  await until('the return is told', () => lines.length === 2, 5);
  end();
  expect(lines).toEqual([
    expect.stringContaining(`The file of the store ${file} or its log (-wal) was removed or replaced.`),
    'The store is back.',
  ]);
  await store.observe('flu', [done(0)], 2_000);
  expect(await Array.fromAsync(store.results('flu'))).toHaveLength(1);
});

test('while the file of an open store is away, nobody makes a new store in its place, so that nothing is lost when it is back', async () => {
  renameSync(file, `${file}-aside`);
  const refused = { code: 'STORE_LOST', message: expect.stringContaining('its log') };
  for (const whenMissing of ['make', 'refuse', 'in-memory'] as const)
    await expect(openStore(`sqlite:${file}`, whenMissing)).rejects.toMatchObject(refused);
  await expect(stateOfStore(`sqlite:${file}`)).rejects.toMatchObject(refused);
  expect(existsSync(file)).toBe(false);
  renameSync(`${file}-aside`, file);
  const other = await openStore(`sqlite:${file}`);
  expect((await other.getCampaign('flu'))?.campaign.id).toBe('flu');
  await other.close();
});
