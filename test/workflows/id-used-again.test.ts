import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { closedStatus, toTheEnd } from '../support/campaigns.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** A worker that does not take up, or does not answer, an activity until it is released. */
async function heldWorker(activity: 'change' | 'close') {
  const begun = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const stop = await world.startWorker({
    spoil: (real) => ({
      ...real,
      change: async (input) => {
        if (activity === 'change') {
          begun.resolve();
          await hold.promise;
        }
        return real.change(input);
      },
      close: async (input) => {
        const answer = await real.close(input);
        if (activity === 'close') await hold.promise;
        return answer;
      },
    }),
  });
  return { begun: begun.promise, release: hold.resolve, stop };
}

const isDeleted = (id: string) =>
  until(`${id} is deleted`, async () => !(await world.foray['store'].getCampaign(id)));

test.each(['foray delete', 'a delete that does not reach Temporal'])(
  'a change that no worker took up before %s does not meet the next campaign with the id',
  async (how) => {
    const id = how.replaceAll(' ', '-');
    let stop = await world.startWorker();
    await world.foray.submit(rehearsal({ count: 3 }), { id });
    await toTheEnd(world, id);
    await closedStatus(world, id);
    await stop();
    const change = world.foray.apply(id, rehearsal({ count: 4 }));
    await expect(change).rejects.toMatchObject({ code: 'WORKER_SILENT' });

    if (how === 'foray delete') {
      await world.foray.delete(id);
      expect(await closedStatus(world, id)).toBe('TERMINATED');
    } else await world.foray['store'].deleteCampaign(id);
    expect(await world.foray.submit(rehearsal({ count: 7 }), { id })).toMatchObject({ isNew: true });
    stop = await world.startWorker();
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', points: 7, runs: { done: 7 } });
    expect(await world.foray.submit(rehearsal({ count: 7 }), { id })).toMatchObject({ isNew: false });
    await stop();
  },
);

test('a change of a campaign that is deleted meanwhile is refused, and its workflow ends', async () => {
  const { begun, release, stop } = await heldWorker('change');
  await world.foray.submit(rehearsal({ count: 3, first: 100 }), { id: 'changing' });
  await toTheEnd(world, 'changing');
  await closedStatus(world, 'changing');
  const change = world.foray.apply('changing', rehearsal({ count: 4, first: 100 }));
  const refused = expect(change).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
  await begun;
  await world.foray['store'].deleteCampaign('changing');
  release();
  await refused;
  expect(await closedStatus(world, 'changing')).toBe('FAILED');
  await stop();
});

test('a campaign starts although the workflow of the deleted campaign with its id has not ended', async () => {
  const { release, stop } = await heldWorker('close');
  await world.foray.submit(rehearsal({ count: 3, first: 200 }), { id: 'ending' });
  await toTheEnd(world, 'ending');
  const deleted = world.foray.delete('ending');
  await isDeleted('ending');
  const submitted = world.foray.submit(rehearsal({ count: 5, first: 200 }), { id: 'ending' });
  await until('it is in the store', () => world.foray['store'].getCampaign('ending'));
  expect((await world.foray.status('ending')).points).not.toBe(3);
  release();
  expect(await submitted).toMatchObject({ isNew: true });
  await deleted;
  expect(await toTheEnd(world, 'ending')).toMatchObject({ phase: 'completed', points: 5, runs: { done: 5 } });
  await stop();
});

test('a repeated call starts a campaign whose first call died, also when its id belonged to a deleted campaign', async () => {
  const stop = await world.startWorker();
  const source = rehearsal({ count: 2, first: 300 });
  await world.foray.submit(source, { id: 'died' });
  await toTheEnd(world, 'died');
  await closedStatus(world, 'died');
  const { campaign, definition, digest } = (await world.foray.results('died')).record;
  await world.foray.delete('died');
  await world.foray['store'].addCampaign({ campaign, definition, digest }, Date.now());
  expect(await world.foray.submit(source, { id: 'died' })).toMatchObject({ isNew: false });
  expect(await toTheEnd(world, 'died')).toMatchObject({ phase: 'completed', runs: { done: 2 } });
  await stop();
});
