import { openStore } from '../../src/store/index.ts';
import { sqliteDatabase } from './folder.ts';
import { describeStore } from './suite.ts';
import { expect, test } from '@jest/globals';

describeStore('a store in SQLite', sqliteDatabase);

test('a store in memory works, and is gone with its handle', async () => {
  const first = await openStore('sqlite::memory:');
  const second = await openStore('sqlite::memory:');
  expect(first.id).not.toBe(second.id);
  await first.putFile('hash', new Uint8Array([1]));
  expect(await first.getFile('hash')).toBeDefined();
  expect(await second.getFile('hash')).toBeUndefined();
  await first.close();
  await second.close();
});
