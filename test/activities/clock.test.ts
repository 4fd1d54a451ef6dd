import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from '@jest/globals';
import { createActivities } from '../../src/activities/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { openStore } from '../../src/store/index.ts';
import { campaign } from '../store/fixtures.ts';

test("an activity writes the time of Temporal's server and not that of its worker", async () => {
  const store = await openStore('sqlite::memory:');
  const service = 'http://127.0.0.1:9/api/open/8.5.0';
  await store.addCampaign({ campaign: campaign('flu'), definition: 'campaign: flu\n', digest: 'flu' }, 0);
  const { enterPhase } = createActivities({
    store,
    cloud: new CloudClient({ url: service, key: 'k' }),
    service,
  });
  const written = async (scheduled: number, phase: 'running' | 'paused'): Promise<number> => {
    const environment = new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: scheduled });
    await environment.run(enterPhase, { campaign: 'flu', createdAt: 0, service, store: store.id, phase });
    return (await store.getCampaign('flu'))!.updatedAt;
  };
  // the first activity may have waited for a worker since yesterday, so its scheduled time tells nothing
  const now = performance.timeOrigin + performance.now();
  expect(await written(now - 86_400_000, 'running')).toBeGreaterThanOrEqual(now - 1);
  // the next one of the same workflow has not waited
  const scheduled = 5_000_000;
  const begin = performance.now();
  const updatedAt = await written(scheduled, 'paused');
  expect(updatedAt).toBeGreaterThanOrEqual(scheduled);
  expect(updatedAt).toBeLessThanOrEqual(scheduled + Math.ceil(performance.now() - begin));
  await store.close();
});
