import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/index.ts';
import {
  add,
  campaign,
  done,
  failed,
  openForEachTest,
  points,
  rowsOf,
  type TestDatabase,
} from '../fixtures.ts';

/** Tests the records of model versions, of the service and of failed attempts, for every store. */
export function describeVersions(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
): void {
  describe(name, () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));
    beforeEach(async () => {
      const ofService = { ...campaign('flu'), serviceId: 'a uuid' };
      await store.addCampaign(
        { campaign: ofService, definition: 'campaign: flu\n', digest: 'digest' },
        1_000,
      );
      await store.addPoints('flu', points(3), 1);
      await store.setPhase('flu', 'running', 1);
    });

    const earlier = async () => (await store.pointStory('flu', 'key 0', []))!.runs[0]!.earlier;
    const versions = [
      { versionId: 'version', version: 1 },
      { versionId: 'version 2', version: 2 },
    ];

    test('a run gets the version of its request, and keeps this version while the run is at the service', async () => {
      await store.intend('flu', [0, 1], 1);
      await store.observe('flu', [done(0)], 2);
      await store.setVersions('flu', versions, 3);
      const planned = await store.intend('flu', [1, 2], 4, 2);
      expect(planned.map(({ seq, version }) => [seq, version])).toEqual([
        [1, null],
        [2, 2],
      ]);
      await store.observe('flu', [failed(1), done(2)], 5);
      expect((await rowsOf(store)).map(({ version }) => version)).toEqual([null, null, 2]);
      await store.resetFailed('flu', false, 6);
      expect((await store.intend('flu', [1], 7, 2))[0]).toMatchObject({ version: 2, attempt: 1 });
    });

    test('the campaign has the last version and the id of the service, also after a change', async () => {
      await store.setVersions('flu', versions, 3);
      const { campaign: now } = (await store.getCampaign('flu'))!;
      expect(now).toMatchObject({ serviceId: 'a uuid', versions, model: versions[1] });
      await store.changeCampaign({ campaign: now, definition: 'other', digest: 'other' }, [], undefined, 4);
      expect((await store.getCampaign('flu'))!.campaign).toEqual(now);
      expect((await store.listCampaigns())[0]!.campaign).toEqual(now);
      expect((await store.getCampaign('flu'))!.campaign.model).toEqual({
        ...campaign('flu').model,
        ...versions[1],
      });
    });

    test('the last five reasons of failed attempts are kept, for automatic and manual retries', async () => {
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        await store.intend('flu', [0], 10 * attempt);
        const again = { seq: 0, state: 'again', reason: `reason ${attempt}`, reseeds: false } as const;
        // an attempt that is observed twice counts once
        await store.observe('flu', [again, again], 10 * attempt + 1);
      }
      for (let attempt = 5; attempt <= 7; attempt += 1) {
        await store.intend('flu', [0, 1], 10 * attempt);
        await store.observe('flu', [failed(0, `reason ${attempt}`), failed(1)], 10 * attempt + 1);
        await store.resetFailed('flu', false, 10 * attempt + 2);
      }
      expect(await earlier()).toEqual(
        [7, 6, 5, 4, 3].map((n) => ({ failedAt: 10 * n + 1, version: null, reason: `reason ${n}` })),
      );
      await store.deleteCampaign('flu');
      await add(store, 'flu', { points: 3, replications: 1 });
      expect(await earlier()).toEqual([]);
    });
  });
}
