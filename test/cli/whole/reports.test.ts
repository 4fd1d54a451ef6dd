import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { campaign, done } from '../../store/fixtures.ts';
import { folder, run, store } from '../flu-store.ts';

test('status, --best and the report of a design with a goal name the same best point, and what its interval knows', async () => {
  const grid = {
    ...campaign('grid'),
    varied: [{ name: 'Days', type: 'INTEGER', units: 'DAY' } as const],
    base: [
      { name: 'Days', type: 'INTEGER', units: 'DAY', value: '1' } as const,
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' } as const,
    ],
    outputs: [{ name: 'Cost', type: 'DOUBLE', units: null } as const],
    replications: 3,
    goal: { output: 'Cost', wants: 'highest' } as const,
  };
  await store.addCampaign({ campaign: grid, definition: 'campaign: grid\n', digest: '' }, 1);
  const points = ['a', 'b', 'c'].map((key, ordinal) => ({ ordinal, key, values: [String(ordinal)] }));
  await store.addPoints('grid', points, 3);
  await store.setPhase('grid', 'running', 2);
  const none = await run('status', 'grid');
  expect(none.stdout).not.toContain('Best');
  // the points have the values 1, 2, 3; 6, 8, 10 and 5, 8, 11
  const values = [1, 6, 5, 2, 8, 8, 3, 10, 11];
  await store.intend('grid', [...values.keys()], 1);
  await store.observe(
    'grid',
    values.map((value, seq) => done(seq, 'new', { Cost: String(value) })),
    3,
  );
  // the best variance is at least the mean one of the others, 5; scipy 1.15: t.ppf(1 - 0.05 / 6, 2) = 7.648849, times
  // (5 / 3)^0.5 is 9.875
  const told =
    'Days 1 day: Cost 8.0 ± 9.9 (3 runs); 1 other point has exactly this value; the interval allows for the choice among 3 points';
  const status = await run('status', 'grid');
  expect(status.stdout).toContain(
    `Best so far: ${told}\n  If chance affects the output, the best value tends to be too good`,
  );
  const json: unknown = JSON.parse((await run('status', 'grid', '--json')).stdout);
  expect(json).toMatchObject({ best: { key: 'b', value: 8, among: 3, tied: 1, runs: 3 } });
  const best = await run('results', 'grid', '--best', '--format', 'jsonl');
  expect(best.stderr).toContain(told);
  expect(JSON.parse(best.stdout)).toMatchObject({ point: 'b', Days: 1, Cost: 8, runs: 3 });
  await run('report', 'grid', '-o', 'grid.html');
  const page = readFileSync(join(folder.path, 'grid.html'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(page).toMatch(/8\.0 ± 9\.9.* at Days 1 day .*1 other point has exactly this value/);
  const flu = await run('results', 'flu', '--best');
  expect(flu).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no goal, so it has no best point'),
  });
});

test('foray report --show draws another output', async () => {
  expect((await run('report', 'flu', '-o', '-', '--show', 'Orders')).stdout).toMatch(
    /class="answer">\s*Orders\s*<strong>/,
  );
  const { code, stderr } = await run('report', 'flu', '--show', 'Order');
  expect([code, stderr]).toEqual([
    2,
    'foray: The campaign keeps no output "Order". Did you mean "Orders"?\n',
  ]);
});

test('foray report says that no finished point is in the reference', async () => {
  const known = join(folder.path, 'known.csv');
  writeFileSync(known, 'Days,Fit error\n77,1\n');
  const { code, stdout, stderr } = await run('report', 'flu', '-o', '-', '--reference', known);
  const notice = 'Nothing is compared: no finished point has a value for any value of known.csv.';
  expect([code, stderr]).toEqual([0, `${notice}\n`]);
  expect(stdout).toContain(notice);
  // without --show, the first output
  expect(stdout).toMatch(/class="answer">\s*Fit error\s*<strong>/);
});
