import { existsSync, utimesSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ContentFiles } from '../../src/service/files/content.ts';
import { FileCache } from '../../src/service/files/file-cache.ts';
import { temporaryFolder } from './support.ts';

/** The number of copies of 100 bytes that fit into the cache. */
const FIT = 3;

function cacheIn(folder = temporaryFolder()) {
  const cache = new FileCache(new ContentFiles(folder), FIT * 100);
  cache.prepare();
  const { files } = cache;
  /** Writes a file as an executor does, and returns its hash. */
  const write = (name: string): string => files.write(name.padEnd(100, '.'));
  const use = (hash: string): void => {
    cache.hold([hash]);
    cache.release([hash]);
  };
  const there = (hashes: readonly string[]): boolean[] => hashes.map((hash) => files.has(hash));
  return { folder, cache, files, write, use, there };
}

describe('copies of files', () => {
  test('are removed when there are too many; the copy that was unused for the longest time is removed first', () => {
    const { write, use, there } = cacheIn();
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(write) as [string, string, string, string, string];
    // a file counts as a copy only after its first use, because a new file may exist nowhere else
    expect(there([a, b, c, d, e])).toEqual([true, true, true, true, true]);
    for (const hash of [a, b, c, a, d]) use(hash);
    expect(there([a, b, c, d])).toEqual([true, false, true, true]);
    use(e);
    expect(there([a, c, d, e])).toEqual([true, false, true, true]);
  });

  test('stay while a run uses them, even if there are too many', () => {
    const { cache, write, use, there } = cacheIn();
    const hashes = Array.from({ length: 2 * FIT }, (_, number) => write(`${number}`));
    // two runs use the first file
    cache.hold(hashes);
    cache.hold([hashes[0]!]);
    cache.release([hashes[0]!]);
    use(write('another'));
    expect(there(hashes)).toEqual(hashes.map(() => true));
    cache.release(hashes);
    expect(there(hashes)).toEqual([false, false, false, true, true, true]);
  });

  test('from an earlier process are also removed, from the oldest to the newest; a missing copy does not count', () => {
    const first = cacheIn();
    const hashes = ['a', 'b', 'c', 'd'].map(first.write);
    for (const [age, hash] of hashes.entries())
      utimesSync(first.files.pathOf(hash), 1_000 - age, 1_000 - age);
    const { cache, files, write, use, there } = cacheIn(first.folder);
    expect(there(hashes)).toEqual([true, true, true, false]);
    files.remove(hashes[0]!);
    use(hashes[0]!);
    const more = write('e');
    use(more);
    expect(there([...hashes, more])).toEqual([false, true, true, false, true]);
    cache.hold(['A'.repeat(43)]);
    cache.release(['A'.repeat(43)]);
    expect(existsSync(files.pathOf('A'.repeat(43)))).toBe(false);
  });
});
