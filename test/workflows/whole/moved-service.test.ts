import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CampaignStatus, Foray } from '../../../src/client/index.ts';
import { progressText, statusText } from '../../../src/cli/progress-line.ts';
import { type RunningService, startService } from '../../../src/service/service.ts';
import { REHEARSAL } from '../../service/fixed.ts';
import { toTheEnd, untilSomeAreDone } from '../../support/campaigns.ts';
import { until } from '../../support/until.ts';
import { executionsIn, KEY, rehearsal, startWorld, type World } from '../../support/world.ts';

let world: World;
const others: RunningService[] = [];
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
  for (const service of others) await service.close();
});

/** Starts a service with a data folder on its own port. Workers and clients that start from now on use it. */
async function serve(folder: string): Promise<RunningService> {
  const service = await startService({
    dataDir: join(world.folder, folder),
    modelDirs: [REHEARSAL],
    executors: 2,
    apiKey: KEY,
  });
  others.push(service);
  world.settings.service.url = service.url;
  return service;
}

const blocked = (id: string): Promise<CampaignStatus> =>
  until('the campaign cannot continue', async () => {
    const status = await world.foray.status(id);
    return status.blocked !== null && status;
  });

test('the status shows that a campaign has no worker, or that the service refuses the key of the worker', async () => {
  const { id } = await world.foray.submit(rehearsal({ count: 1 }));
  expect(await blocked(id)).toMatchObject({
    blocked: expect.stringContaining('no worker works on its task queue'),
  });
  world.settings.service.key = 'wrong';
  const stop = await world.startWorker();
  const isRefused = async () => /key/i.test((await world.foray.status(id)).blocked ?? '');
  await until('the status shows that the key is refused', isRefused);
  expect((await world.foray.blocked()).get(id)).toMatch(/key/i);
  await stop();
  world.settings.service.key = KEY;
  const stopWorker = await world.startWorker();
  expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', blocked: null });
  await stopWorker();
});

test('a campaign continues with the same service on another port, but with no other service', async () => {
  const stopWorker = await world.startWorker();
  const { id } = await world.foray.submit(
    rehearsal({ count: 6, first: 10, seconds: 1, more: 'concurrency: 2' }),
  );
  await untilSomeAreDone(world, id);
  await stopWorker();
  const campaignsAddress = new URL(world.service.url).origin;
  await world.service.close();

  await serve('another');
  const stopOther = await world.startWorker();
  const status = await blocked(id);
  expect(status).toMatchObject({
    secondsLeft: null,
    blocked: expect.stringMatching(
      // the address of the campaign's service, and how a campaign ends whose service is lost
      `is not the service of the campaign \\(${campaignsAddress}\\)\\. .* \\("foray dev --port ${new URL(campaignsAddress).port}"\\); then "foray cancel ${id}"`,
    ),
  });
  expect(statusText(status)).toMatch(/^Cannot continue: This worker serves the model service at http:/);
  expect(progressText(status)).not.toContain('left');
  expect((await world.foray.list())[0]).toMatchObject({ blocked: status.blocked });
  await stopOther();

  await serve('service');
  await world.startWorker();
  expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', blocked: null, runs: { done: 6 } });
  expect(executionsIn(join(world.folder, 'service')).length).toBe(7);
  // foray finds the same campaign if it is submitted again
  const again = await Foray.open(world.settings);
  const same = rehearsal({ count: 6, first: 10, seconds: 1, more: 'concurrency: 2' });
  expect(await again.submit(same, { id })).toMatchObject({ isNew: false });
  await again.close();
});
