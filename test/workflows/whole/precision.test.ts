import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishedPercent } from '../../../src/campaign/precise-points.ts';
import { startWorld, type World } from '../../support/world.ts';
import { precise, queue } from '../queue.ts';
import { SERVICE_SYSTEM } from '../../service/fixed.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ models: [SERVICE_SYSTEM] });
  await world.startWorker();
});
afterAll(() => world.close());

describe('replications until the mean is precise enough', () => {
  test('the progress never falls by more than 10 percentage points and ends at 100 %; the number of precise points never falls', async () => {
    const { id } = await world.foray.submit(
      queue(precise(400).replace('0.04', '0.02'), '[8, 9, 10, 11, 12]'),
    );
    const shares: number[] = [];
    const precisePoints: number[] = [];
    for await (const status of world.foray.follow(id, 100)) {
      if (!status.precision) continue;
      expect(status.precision.mostRuns).toBe(2_000);
      expect(status.precision.expectedRuns).toBeLessThanOrEqual(2_000);
      shares.push(finishedPercent(status));
      precisePoints.push(status.precision.precise);
    }
    expect(shares.at(-1)).toBe(100);
    expect(precisePoints).toEqual(precisePoints.toSorted((a, b) => a - b));
    const falls = shares.map((share, at) => Math.max(...shares.slice(0, at + 1)) - share);
    expect(Math.max(...falls)).toBeLessThanOrEqual(10);
  });
});
