import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunCounts } from '../../../src/campaign/types.ts';
import { command, toTheEnd, untilRunning } from '../../support/campaigns.ts';
import { rehearsal, startWorld, type World } from '../../support/world.ts';

const EXECUTORS = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld({ executors: EXECUTORS });
  await world.startWorker();
});
afterAll(() => world.close());

const run = (...words: string[]) => command(world, ...words);

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
    const { id } = await world.foray.submit(shortAndLong(6, 0.5, 3, 'concurrency: 3'));
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
    const { id } = await world.foray.submit(shortAndLong(18, 0.25, 2));
    const looks: RunCounts[] = [];
    for await (const { runs, source } of world.foray.follow(id, 100)) {
      if (source !== 'workflow') continue;
      looks.push(runs);
      if (runs.done === 18 && runs.running > 0) break;
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
    const { code, stdout, stderr } = await run('results', id, '--follow', '--format', 'csv');
    expect([code, stdout.split('\n')]).toEqual([1, [expect.stringMatching(/^point,replication,/), '']]);
    expect(stderr).toMatch(
      /^Cannot continue: its workflow has ended \(terminated\); .* "foray cancel \S+" ends it\. \[ {2}0%\] running: 0 of 2: .*\n$/,
    );
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });
});

describe('foray delete and foray gc', () => {
  test('foray delete shows a finished campaign, and deletes it with --yes; a new campaign can then have the id', async () => {
    await world.foray.submit(rehearsal({ count: 3 }), { id: 'old' });
    await toTheEnd(world, 'old');

    const unasked = await run('delete', 'old');
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('old (completed): 3 points, 3 results');
    expect(unasked.stderr).toContain('Add --yes');
    expect(await world.rows('old')).toHaveLength(3);

    const deleted = await run('delete', 'old', '--yes');
    expect(deleted).toMatchObject({ code: 0, stdout: 'Deleted old. "foray gc" frees its disk space.\n' });
    const gone = await run('delete', 'old', '--yes');
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('old');

    await world.foray.submit(rehearsal({ count: 5 }), { id: 'old' });
    const { phase, runs } = await toTheEnd(world, 'old');
    expect({ phase, done: runs.done, reused: runs.reused }).toEqual({
      phase: 'completed',
      done: 5,
      reused: 3,
    });
  });

  test('foray delete refuses an unfinished campaign', async () => {
    await world.foray.submit(rehearsal({ count: 2, seconds: 600, first: 50 }), { id: 'busy' });
    const { code, stderr } = await run('delete', 'busy');
    expect(code).toBe(2);
    expect(stderr).toContain('"foray cancel busy" ends this campaign');
    await world.foray.cancel('busy');
    expect((await toTheEnd(world, 'busy')).phase).toBe('cancelled');
  });

  test('foray gc removes old files that no campaign names; it keeps young files, because a new campaign may name them soon', async () => {
    const day = 24 * 3_600_000;
    await world.foray['store'].putFile('old', new Uint8Array(3_000_000), Date.now() - day);
    await world.foray['store'].putFile('fresh', new Uint8Array(10), Date.now());
    const shown = await run('gc');
    expect(shown.code).toBe(2);
    expect(shown.stderr).toContain('1 file that no campaign needs: 2.86 MB');
    const freed = await run('gc', '--yes', '--json');
    expect(freed.code).toBe(0);
    expect(JSON.parse(freed.stdout)).toMatchObject({ files: [{ hash: 'old', size: 3_000_000 }] });
    expect((await world.foray['store'].listFiles()).map(({ hash }) => hash)).toEqual(['fresh']);
    expect(await world.foray['store'].spareBytes()).toBe(0);
    expect((await run('gc', '--yes')).stdout).toBe('There is nothing to free.\n');
  });
});
