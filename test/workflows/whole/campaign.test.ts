import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunCounts } from '../../../src/campaign/types.ts';
import { toTheEnd, untilRunning } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { environmentOf } from '../../support/worker.ts';
import { rehearsal, startWorld, type World } from '../../support/world.ts';

const EXECUTORS = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld({ executors: EXECUTORS });
  await world.startWorker();
});
afterAll(() => world.close());

/** Some short runs and then some long runs. A test sees the long runs in flight even on a slow machine, and cancels them. */
function shortAndLong(
  short: number,
  seconds: number,
  long: number,
  more = '',
): { text: string; file: string } {
  const all = [
    ...Array.from({ length: short }, (_, at) => seconds + at / 1_000),
    ...Array.from({ length: long }, (_, at) => 600 + at),
  ];
  const text = `
campaign: short-and-long
model: {name: Rehearsal}
design: {grid: {Seconds: [${all.join(', ')}]}}
${more}
`;
  return { text, file: 'short-and-long.yaml' };
}

describe('a campaign', () => {
  test('never has more runs at the service than its concurrency allows', async () => {
    const { id } = await world.foray.submit(shortAndLong(6, 1, 3, 'concurrency: 3'));
    let most = 0;
    for await (const { runs } of world.foray.follow(id, 200)) {
      most = Math.max(most, runs.running + runs.queued);
      if (runs.done === 6 && most > 0) break;
    }
    await world.foray.cancel(id);
    await toTheEnd(world, id);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(3);
  });

  test('shows at most twice as many running runs as the service has executors, and the sum of its counts is the number of runs', async () => {
    const { id } = await world.foray.submit(shortAndLong(38, 0.25, 2));
    const looks: RunCounts[] = [];
    for await (const { runs, source } of world.foray.follow(id, 100)) {
      if (source !== 'workflow') continue;
      looks.push(runs);
      if (runs.done === 38 && runs.running > 0) break;
    }
    await world.foray.cancel(id);
    await toTheEnd(world, id);
    expect(looks.some(({ running }) => running > 0)).toBe(true);
    for (const { total, done, failed, running, queued, waiting } of looks) {
      expect(done + failed + running + queued + waiting).toBe(total);
      // the number is an estimate, because on a busy machine the polls of a tick happen at different times
      expect(running).toBeLessThanOrEqual(2 * EXECUTORS);
    }
  });
});

describe('cancelling', () => {
  test('is the advice of foray results --follow if the workflow of the campaign was terminated', async () => {
    const { id } = await world.foray.submit(
      rehearsal({ count: 2, first: 6_500, seconds: 60, more: 'concurrency: 1' }),
    );
    await untilRunning(world, id);
    await world.environment.client.workflow.getHandle(id).terminate();
    const env = environmentOf(world.settings);
    const { code, stdout, stderr } = await foray(
      world.folder,
      ['results', id, '--follow', '--format', 'csv'],
      {
        env,
      },
    );
    expect([code, stdout.split('\n')]).toEqual([1, [expect.stringMatching(/^point,replication,/), '']]);
    expect(stderr).toMatch(
      /^Cannot continue: its workflow has ended \(terminated\); .* "foray cancel \S+" ends it\. \[ {2}0%\] running: 0 of 2: .*\n$/,
    );
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });
});
