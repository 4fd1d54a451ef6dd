import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/index.ts';
import { add, done, failed, openForEachTest, type TestDatabase, upTo } from '../fixtures.ts';

/** Tests files, output files and logs of runs, for every store. */
export function describeFiles(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  describe('files', () => {
    let database: TestDatabase;
    let store: Store;
    openForEachTest(createDatabase, (...opened) => ([database, store] = opened));

    describe('files', () => {
      test('are kept byte for byte under their hash, and a later content under the same hash does not replace the first', async () => {
        const bytes = Uint8Array.from({ length: 256 * 300 }, (_, n) => n % 256);
        await store.putFile('hash', bytes, 1);
        await store.putFile('hash', new Uint8Array([1]), 2);
        await store.putFile('empty', new Uint8Array(), 3);
        expect(Buffer.from((await store.getFile('hash'))!).equals(bytes)).toBe(true);
        expect((await store.getFile('empty'))!.length).toBe(0);
        expect(await store.getFile('other')).toBeUndefined();
        expect(await store.listFiles()).toEqual([
          { hash: 'empty', size: 0, putAt: 3, isKept: false },
          { hash: 'hash', size: bytes.length, putAt: 2, isKept: false },
        ]);
      });

      test('are gone after a deletion, except a file that was stored again in the meantime', async () => {
        for (const hash of ['a', 'b']) await store.putFile(hash, new Uint8Array([1]), 1);
        const found = await store.listFiles();
        await store.putFile('b', new Uint8Array([1]), 2);
        for (const file of found) await store.deleteFile(file);
        expect((await store.listFiles()).map(({ hash }) => hash)).toEqual(['b']);
        await store.compact();
        expect(await store.spareBytes()).toBe(0);
        expect(await store.getFile('b')).toBeDefined();
      });
    });

    describe('files of outputs', () => {
      const content = new Uint8Array([1, 2, 3]);

      test('are stored once, under the hash of their content, whatever their names at the service', async () => {
        for (const id of ['flu', 'cold']) await add(store, id);
        expect(await store.keptFiles('flu', ['a', 'b'])).toEqual(new Map());
        for (const [id, hash] of [
          ['flu', 'a'],
          ['flu', 'a'],
          ['flu', 'b'],
          ['cold', 'a'],
        ] as const)
          expect(await store.keepFile(id, hash, { sha256: 'sha', content }, 5)).toBe(true);
        expect(await store.keptFiles('flu', ['a', 'b', 'c'])).toEqual(
          new Map([
            ['a', 'sha'],
            ['b', 'sha'],
          ]),
        );
        expect(await store.keptFiles('cold', ['a', 'b'])).toEqual(new Map([['a', 'sha']]));
        expect(await store.listFiles()).toEqual([{ hash: 'sha', size: 3, putAt: 5, isKept: true }]);
        expect([...(await store.getFile('sha'))!]).toEqual([1, 2, 3]);
      });

      test('can be added without their content only if the content is already stored', async () => {
        await add(store);
        expect(await store.keepFile('flu', 'a', { sha256: 'sha' }, 5)).toBe(false);
        expect(await store.keptFiles('flu', ['a'])).toEqual(new Map());
        await store.putFile('sha', content, 1);
        expect(await store.keepFile('flu', 'a', { sha256: 'sha' }, 6)).toBe(true);
        expect(await store.listFiles()).toEqual([{ hash: 'sha', size: 3, putAt: 6, isKept: true }]);
      });

      test('can be looked up in thousands with one call', async () => {
        await add(store);
        const hashes = Array.from({ length: 2_500 }, (_, n) => `hash ${n}`);
        for (const hash of hashes.slice(0, 3))
          await store.keepFile('flu', hash, { sha256: 'sha', content }, 1);
        await store.keepFile('flu', hashes.at(-1)!, { sha256: 'sha', content }, 1);
        expect([...(await store.keptFiles('flu', hashes)).keys()].toSorted()).toEqual(
          [...hashes.slice(0, 3), hashes.at(-1)!].toSorted(),
        );
      });

      test('are counted by reason while they are missing', async () => {
        for (const id of ['flu', 'cold']) await add(store, id);
        for (const [hash, lack] of [
          ['a', 'not-found'],
          ['b', 'not-found'],
          ['b', 'not-found'],
          ['c', 'failing'],
          ['c', 'too-large'],
        ] as const)
          await store.recordMissingFile('flu', hash, lack);
        await store.recordMissingFile('cold', 'a', 'refused');
        expect(await store.keptFiles('flu', ['a'])).toEqual(new Map());
        expect(await store.missingFiles('flu')).toEqual([
          { lack: 'not-found', count: 2 },
          { lack: 'too-large', count: 1 },
        ]);
        await store.keepFile('flu', 'a', { sha256: 'sha', content }, 1);
        await store.recordMissingFile('flu', 'a', 'not-found');
        expect(await store.keptFiles('flu', ['a'])).toEqual(new Map([['a', 'sha']]));
        expect((await store.missingFiles('flu')).map(({ count }) => count)).toEqual([1, 1]);
        expect(await store.missingFiles('cold')).toEqual([{ lack: 'refused', count: 1 }]);
      });

      test('stay while a campaign keeps them, and can be deleted after the last such campaign is deleted', async () => {
        for (const id of ['flu', 'cold']) {
          await add(store, id);
          await store.keepFile(id, 'a', { sha256: 'sha', content }, 1);
          await store.recordMissingFile(id, 'b', 'not-found');
        }
        const collect = async (): Promise<boolean[]> => {
          const files = await store.listFiles();
          for (const file of files) await store.deleteFile(file);
          return files.map(({ isKept }) => isKept);
        };
        expect(await collect()).toEqual([true]);
        await store.deleteCampaign('flu');
        expect(await collect()).toEqual([true]);
        expect(await store.getFile('sha')).toBeDefined();
        expect(await store.keptFiles('cold', ['a'])).toEqual(new Map([['a', 'sha']]));
        await store.deleteCampaign('cold');
        expect(await collect()).toEqual([false]);
        expect(await store.getFile('sha')).toBeUndefined();
      });

      test('stay if a campaign keeps them again after they were found unused', async () => {
        await add(store);
        await store.putFile('sha', content, 1);
        const [seen] = await store.listFiles();
        expect(await store.keepFile('flu', 'a', { sha256: 'sha' }, 1)).toBe(true);
        await store.deleteFile(seen!);
        expect(await store.getFile('sha')).toBeDefined();
      });

      test('are stored once if two handles store them at the same time', async () => {
        await add(store);
        const handles = [store, await database.open()];
        const hashes = upTo(40).map((n) => `hash ${n % 20}`);
        const kept = await Promise.all(
          hashes.map((hash, n) =>
            handles[n % 2]!.keepFile('flu', hash, { sha256: `sha of ${hash}`, content }, n),
          ),
        );
        expect(kept).toEqual(hashes.map(() => true));
        expect((await store.keptFiles('flu', hashes)).size).toBe(20);
        expect(await store.listFiles()).toHaveLength(20);
      });
    });

    describe('logs of runs', () => {
      const log = (seq: number, lines: string[]) => ({ seq, cause: `cause ${seq % 2}`, lines, omitted: 3 });

      test('are stored unchanged until their run is done, and later logs replace them', async () => {
        await add(store, 'flu', { points: 4, replications: 1 });
        await store.intend('flu', upTo(4), 1);
        await store.observe('flu', [failed(0), failed(1), failed(2)], 2);
        const strange = ['red \u001b[31m', 'nul \u0000', 'half \ud800'];
        await store.keepRunLogs('flu', [log(0, ['first']), log(1, strange), log(2, ['other'])], 3);
        await store.keepRunLogs('flu', [{ ...log(0, ['second']), command: 'sh x' }], 4);
        expect(await store.runLogs('flu')).toMatchObject([
          { seq: 0, lines: ['second'], omitted: 3, command: 'sh x', replication: 1, reason: 'no reason' },
          { seq: 1, lines: strange },
          { seq: 2, lines: ['other'] },
        ]);
        expect(await store.lastRunLog('flu')).toMatchObject({ seq: 0, lines: ['second'] });
        const [first] = await store.runLogs('flu');
        const story = await store.pointStory('flu', first!.point, []);
        expect(story!.runs[0]!.log).toEqual({ lines: ['second'], omitted: 3, command: 'sh x' });

        await store.resetFailed('flu', false, 5);
        await store.intend('flu', [2], 6);
        await store.observe('flu', [done(2)], 6);
        expect(await store.loggedRuns('flu')).toEqual(
          new Map([
            [0, 'cause 0'],
            [1, 'cause 1'],
          ]),
        );
        await store.keepRunLogs('flu', [log(3, ['more'])], 7);
        expect((await store.runLogs('flu')).map(({ seq }) => seq)).toEqual([0, 1, 3]);
        await store.deleteCampaign('flu');
        await add(store, 'flu', { points: 4, replications: 1 });
        expect([await store.runLogs('flu'), await store.lastRunLog('flu')]).toEqual([[], undefined]);
      });
    });
  });
}
