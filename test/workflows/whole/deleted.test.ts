import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { environmentOf } from '../../support/worker.ts';
import { rehearsal, startWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.startWorker();
});
afterAll(() => world.close());

const command = (...words: string[]) => foray(world.folder, words, { env: environmentOf(world.settings) });

test('foray delete shows a finished campaign, and deletes it with --yes; a new campaign can then have the id', async () => {
  await world.foray.submit(rehearsal({ count: 3 }), { id: 'old' });
  await toTheEnd(world, 'old');

  const unasked = await command('delete', 'old');
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain('old (completed): 3 points, 3 results');
  expect(unasked.stderr).toContain('Add --yes');
  expect(await world.rows('old')).toHaveLength(3);

  const deleted = await command('delete', 'old', '--yes');
  expect(deleted).toMatchObject({ code: 0, stdout: 'Deleted old. "foray gc" frees its disk space.\n' });
  const gone = await command('delete', 'old', '--yes');
  expect(gone.code).toBe(2);
  expect(gone.stderr).toContain('old');

  await world.foray.submit(rehearsal({ count: 5 }), { id: 'old' });
  const { phase, runs } = await toTheEnd(world, 'old');
  expect({ phase, done: runs.done, reused: runs.reused }).toEqual({ phase: 'completed', done: 5, reused: 3 });
});

test('foray delete refuses an unfinished campaign', async () => {
  await world.foray.submit(rehearsal({ count: 2, seconds: 600, first: 50 }), { id: 'busy' });
  const { code, stderr } = await command('delete', 'busy');
  expect(code).toBe(2);
  expect(stderr).toContain('"foray cancel busy" ends this campaign');
  await world.foray.cancel('busy');
  expect((await toTheEnd(world, 'busy')).phase).toBe('cancelled');
});

test('foray gc removes old files that no campaign names; it keeps young files, because a new campaign may name them soon', async () => {
  const day = 24 * 3_600_000;
  await world.foray['store'].putFile('old', new Uint8Array(3_000_000), Date.now() - day);
  await world.foray['store'].putFile('fresh', new Uint8Array(10), Date.now());
  const shown = await command('gc');
  expect(shown.code).toBe(2);
  expect(shown.stderr).toContain('1 file that no campaign needs: 2.86 MB');
  const freed = await command('gc', '--yes', '--json');
  expect(freed.code).toBe(0);
  expect(JSON.parse(freed.stdout)).toMatchObject({ files: [{ hash: 'old', size: 3_000_000 }] });
  expect((await world.foray['store'].listFiles()).map(({ hash }) => hash)).toEqual(['fresh']);
  expect(await world.foray['store'].spareBytes()).toBe(0);
  expect((await command('gc', '--yes')).stdout).toBe('There is nothing to free.\n');
});
