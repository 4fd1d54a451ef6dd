import { describe, expect, test } from '@jest/globals';
import { type Phase } from '../../../src/campaign/types.ts';
import type { Store } from '../../../src/store/index.ts';
import {
  add,
  campaign,
  done,
  dying,
  open,
  openForEachTest,
  points,
  rowsOf,
  type TestDatabase,
  upTo,
} from '../fixtures.ts';

/** Tests, for every store, how campaigns are added, deleted and opened again, and how their phase changes. */
export function describeCampaigns(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  describe('campaigns', () => {
    let database: TestDatabase;
    let store: Store;
    openForEachTest(createDatabase, (...opened) => ([database, store] = opened));

    describe('campaigns', () => {
      test('are stored as they were added, and listed with the newest first', async () => {
        expect(await store.listCampaigns()).toEqual([]);
        for (const id of ['b', 'a', 'c']) {
          expect(
            await store.addCampaign(
              { campaign: campaign(id), definition: `# “${id}”\n`, digest: id },
              1_780_000_000_123,
            ),
          ).toBe(true);
        }
        expect((await store.listCampaigns()).map(({ campaign: { id } }) => id)).toEqual(['c', 'a', 'b']);
        expect(await store.getCampaign('a')).toEqual({
          campaign: campaign('a'),
          definition: '# “a”\n',
          digest: 'a',
          note: '',
          phase: 'preparing',
          points: 0,
          createdAt: 1_780_000_000_123,
          updatedAt: 1_780_000_000_123,
          owner: null,
        });
        expect(await store.getCampaign('d')).toBeUndefined();
      });

      test('with a known id are refused, and nothing changes', async () => {
        await add(store);
        const before = await store.getCampaign('flu');
        const other = {
          campaign: { ...campaign('flu'), name: 'other' },
          definition: 'other',
          digest: 'other',
        };
        expect(await store.addCampaign(other, 2_000)).toBe(false);
        expect(await store.getCampaign('flu')).toEqual(before);
      });

      test('that are added at the same time under one id become one campaign', async () => {
        const record = { campaign: campaign('flu'), definition: '', digest: '' };
        const added = await Promise.all(upTo(20).map((now) => store.addCampaign(record, now)));
        expect(added.filter(Boolean)).toHaveLength(1);
      });

      test('have a phase and the time of its last change', async () => {
        await add(store);
        await store.setPhase('flu', 'stopping', 4_000, 'enough');
        await store.setPhase('flu', 'completed', 5_000);
        expect(await store.getCampaign('flu')).toMatchObject({
          phase: 'completed',
          note: 'enough',
          createdAt: 1_000,
          updatedAt: 5_000,
          owner: null,
        });
        await store.setPhase('unknown', 'completed', 5_000, 'a note');
      });

      test('keep the note about their end until they get another note', async () => {
        await add(store);
        await store.setPhase('flu', 'stopping', 2_000, 'cancelled: “too dear”');
        await store.setPhase('flu', 'cancelled', 3_000);
        expect(await store.getCampaign('flu')).toMatchObject({
          phase: 'cancelled',
          note: 'cancelled: “too dear”',
        });
        await store.setPhase('flu', 'failed', 4_000, '');
        expect(await store.getCampaign('flu')).toMatchObject({ phase: 'failed', note: '' });
      });

      test.each<Phase>(['stopping', 'cancelled', 'completed', 'failed'])(
        'that are %s do not run again because of a late call',
        async (phase) => {
          await add(store);
          await store.setPhase('flu', phase, 2_000);
          await store.setPhase('flu', 'running', 3_000);
          expect(await store.getCampaign('flu')).toMatchObject({ phase, updatedAt: 2_000 });
        },
      );

      test('that never started can be removed, and their ids used again', async () => {
        await add(store);
        await store.removeCampaign('flu');
        expect(await store.getCampaign('flu')).toBeUndefined();
        await add(store, 'flu', { points: 2, replications: 1 });
        await store.removeCampaign('flu');
        expect(await store.counts('flu')).toMatchObject({ total: 2 });
        await store.removeCampaign('unknown');
      });

      test('count as started if some points of their design are written', async () => {
        await add(store);
        await expect(store.addPoints('flu', dying(1_500), 1)).rejects.toThrow('killed');
        await store.removeCampaign('flu');
        expect(await store.getCampaign('flu')).toBeDefined();
      });

      test('that do not exist are an error', async () => {
        await expect(store.counts('unknown')).rejects.toThrow('unknown');
        await expect(store.addPoints('unknown', points(1), 1)).rejects.toThrow('unknown');
        await expect(rowsOf(store, 'unknown')).rejects.toThrow('unknown');
      });
    });

    describe('deleteCampaign', () => {
      test('removes the runs and results of a campaign but not of others, and frees its id', async () => {
        for (const id of ['flu', 'cold']) {
          await add(store, id, { points: 3_500, replications: 3 });
          await store.observe(
            id,
            upTo(100).map((seq) => done(seq)),
            2,
          );
        }
        await store.deleteCampaign('flu');
        expect((await store.listCampaigns()).map((record) => record.campaign.id)).toEqual(['cold']);
        await expect(rowsOf(store)).rejects.toThrow('flu');
        expect(await rowsOf(store, 'cold')).toHaveLength(100);
        await add(store, 'flu', { points: 2, replications: 1 });
        expect(await rowsOf(store)).toEqual([]);
        expect((await store.counts('flu')).total).toBe(2);
        expect((await store.counts('cold')).total).toBe(10_500);
      });

      test('gives a reader all rows or an error, whenever it begins', async () => {
        let refused = 0;
        for (const turns of [0, 1, 2, 3, 5, 8, 12, 50, 200]) {
          // more than one page of results
          await add(store, 'flu', { points: 2_100, replications: 1 });
          await store.observe(
            'flu',
            upTo(2_100).map((seq) => done(seq)),
            2,
          );
          const deletion = store.deleteCampaign('flu');
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
          const [rows] = await Promise.allSettled([rowsOf(store), deletion]);
          if (rows.status === 'fulfilled') expect(rows.value).toHaveLength(2_100);
          else {
            refused += 1;
            expect(rows.reason).toMatchObject({
              code: 'UNKNOWN_CAMPAIGN',
              // the id is unknown when the last row of the campaign is gone
              message: expect.stringMatching(/^The campaign ("flu" )?was deleted\.$/),
            });
          }
        }
        expect(refused).toBeGreaterThan(0);
      });

      test('makes a later campaign under the same id visible through another handle', async () => {
        await add(store, 'flu', { points: 2, replications: 1 });
        const other = await database.open();
        expect((await other.counts('flu')).total).toBe(2);
        await store.deleteCampaign('flu');
        await add(store, 'flu', { points: 5, replications: 1 });
        expect((await other.counts('flu')).total).toBe(5);
      });
    });

    describe('the pictures of a campaign', () => {
      const text = 'a drawing '.repeat(1_000);

      test('are kept by view for one state, and another state replaces them', async () => {
        await add(store, 'flu', { points: 2, replications: 1 });
        for (const view of ['a', 'b']) await store.keepPictures('flu', view, 'first', text + view, 1);
        expect(await store.keptPictures('flu', 'a', 'first')).toBe(`${text}a`);
        expect(await store.keptPictures('flu', 'a', 'second')).toBeUndefined();
        expect(await store.keptPictures('flu', 'c', 'first')).toBeUndefined();
        await store.keepPictures('flu', 'a', 'second', text, 2);
        expect(await store.keptPictures('flu', 'a', 'second')).toBe(text);
        expect(await store.keptPictures('flu', 'b', 'first')).toBeUndefined();
      });

      test('are kept for the last eight views, and go with the campaign', async () => {
        await add(store, 'flu', { points: 2, replications: 1 });
        for (let view = 0; view < 10; view += 1)
          await store.keepPictures('flu', String(view), 'first', text, view);
        const kept = await Promise.all(
          Array.from({ length: 10 }, (_, view) => store.keptPictures('flu', String(view), 'first')),
        );
        expect(kept.map((one) => one !== undefined)).toEqual([false, false, ...Array<boolean>(8).fill(true)]);
        await store.deleteCampaign('flu');
        await add(store, 'flu', { points: 2, replications: 1 });
        expect(await store.keptPictures('flu', '9', 'first')).toBeUndefined();
      });
    });

    describe('a store that is opened again', () => {
      test('is the same store with the same content', async () => {
        await add(store, 'flu', { points: 3, replications: 1 });
        await store.putFile('hash', new Uint8Array([1, 2, 3]), 1);
        await store.intend('flu', [0, 1, 2], 1);
        await store.observe('flu', [done(0), open(1, 'queued')], 2);
        await store.setPhase('flu', 'running', 3);
        const contentOf = async (of: Store): Promise<unknown[]> => [
          of.id,
          await of.listCampaigns(),
          await of.counts('flu'),
          await rowsOf(of),
          await of.openRuns('flu'),
          [...(await of.getFile('hash'))!],
        ];
        const before = await contentOf(store);
        const beside = await database.open();
        expect(await contentOf(beside)).toEqual(before);
        await store.close();
        await beside.close();
        expect(await contentOf(await database.open())).toEqual(before);
      });

      test('reads through one handle what another handle has written', async () => {
        const other = await database.open();
        await add(store, 'flu', { points: 3, replications: 1 });
        await other.setPhase('flu', 'paused', 2);
        expect(await store.intend('flu', [0, 1, 2], 3)).toEqual([]);
        await other.setPhase('flu', 'running', 4);
        expect(await store.intend('flu', [0], 5)).toHaveLength(1);
        await other.observe('flu', [done(0)], 6);
        expect(await rowsOf(store)).toHaveLength(1);
      });
    });
  });
}
