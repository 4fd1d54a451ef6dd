import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parquetReadObjects } from 'hyparquet';
import { reportOf } from '../../src/report/of-campaign.ts';
import { resultObjects } from '../../src/index.ts';
import { wilsonHalfWidth, wilsonInterval } from '../../src/statistics/share.ts';
import { writeModel } from '../service/support.ts';
import { command, toTheEnd } from '../support/campaigns.ts';
import { startWorld, type World } from '../support/world.ts';
import { REHEARSAL } from '../service/fixed.ts';

/**
 * The source of a model that draws one number from its seed. If the number is below the input Chance, the outbreak dies
 * out. The peak is 1,000 times the number.
 */
const OUTBREAK = `
  export default {
    name: 'Outbreak', description: '', published: true,
    inputs: [{ name: '{RANDOM_SEED}', type: 'LONG', default: 1 }, { name: 'Chance', type: 'DOUBLE', default: 0.5 }],
    outputs: [{ name: 'Extinct', type: 'BOOLEAN' }, { name: 'Peak size', type: 'DOUBLE' }, { name: 'Ending', type: 'STRING' }],
    async run({ inputs }) {
      let bits = Number(BigInt(inputs['{RANDOM_SEED}']) & 0xffffffffn) | 0;
      for (const factor of [0x45d9f3b, 0x45d9f3b]) bits = Math.imul(bits ^ (bits >>> 16), factor);
      const draw = ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
      return { Extinct: draw < inputs.Chance, 'Peak size': 1000 * draw, Ending: 'over' };
    },
  };`;

const outbreak = (more: string, chances = '[0, 0.1, 0.5]') => ({
  text: `
campaign: outbreak
model: {name: Outbreak}
design: {grid: {Chance: ${chances}}}
outputs: [Extinct, Ending, P(\`Peak size\` > 300), "Q(\`Peak size\`, 0.5)"]
seed: 7
${more}
`,
  file: 'outbreak.yaml',
});
const UNTIL = 'replications: {min: 5, max: 400, output: Extinct, absolute: 15 %}';

let folder: string;
let world: World;
let id: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-shares-'));
  writeModel(folder, 'outbreak', OUTBREAK);
  world = await startWorld({ models: [REHEARSAL, folder] });
  await world.startWorker();
  ({ id } = await world.foray.submit(outbreak(UNTIL)));
  await toTheEnd(world, id);
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => command(world, ...args);

/** For each point, the number of runs and the number of runs in which Extinct is true. */
async function countsOf(campaign: string): Promise<{ n: number; count: number }[]> {
  const points = new Map<string, { n: number; count: number }>();
  for (const { point, outputs } of await world.rows(campaign)) {
    const counts = points.get(point) ?? { n: 0, count: 0 };
    counts.n += 1;
    if (outputs.Extinct === 'true') counts.count += 1;
    points.set(point, counts);
  }
  return [...points.values()];
}

test('points are replicated until a share has the requested precision', async () => {
  const { precision } = await world.foray.status(id);
  expect(precision).toMatchObject({ precise: 3, imprecise: 0 });
  const counts = await countsOf(id);
  for (const { n, count } of counts) {
    expect(wilsonHalfWidth(count / n, n, 0.95)).toBeLessThanOrEqual(0.15);
    // a share of one half needs 39 runs; foray may request some more before it knows the precision
    expect(n).toBeLessThan(60);
  }
  // even a share of 0 needs some runs before it is precise
  expect(counts[0]!.count).toBe(0);
  expect(counts[0]!.n).toBeGreaterThan(8);
  // the counts depend neither on the order of the runs nor on the other points
  const again = await world.foray.submit(outbreak(`${UNTIL}\nconcurrency: 1`, '[0.1]'));
  await toTheEnd(world, again.id);
  expect(await countsOf(again.id)).toEqual([counts[1]]);
});

test('points may be replicated until a formula is precise', async () => {
  const until = UNTIL.replace('Extinct', '"P(`Peak size` > 300)"');
  const formula = await world.foray.submit(outbreak(until, '[0.5]'));
  expect((await toTheEnd(world, formula.id)).precision).toMatchObject({ precise: 1 });
  const { point } = (await world.rows(formula.id))[0]!;
  const { precision } = await world.foray.explain(formula.id, point);
  expect(precision).toMatchObject([{ output: 'P(`Peak size` > 300)', of: 'share', sd: null, reached: true }]);
});

test('foray plan estimates the number of runs from the shares in known replications', async () => {
  const { foreseen, runs } = await world.foray.plan(outbreak(UNTIL));
  expect(runs).toBe(15);
  expect(foreseen!.points).toBe(3);
  expect(foreseen!.runs).toBeGreaterThan(3 * 12);
  expect(foreseen!.runs).toBeLessThan(3 * 60);
});

describe('foray results --points', () => {
  test('has the number of values, the share and its interval, and quantiles with their intervals', async () => {
    const points = await Array.fromAsync(resultObjects(world.foray, id, { points: true }));
    const counts = await countsOf(id);
    expect(points).toHaveLength(3);
    for (const [at, { n, count }] of counts.entries()) {
      const { share, low, high } = wilsonInterval(count / n, n, 0.95);
      expect(points[at]).toMatchObject({
        'Extinct n': n,
        'Extinct share': share,
        'Extinct low': low,
        'Extinct high': high,
        'Extinct reached': true,
        'P(`Peak size` > 300) n': n,
        'Q(`Peak size`, 0.5) n': n,
        // the campaign keeps this output because the formulas need it
        'Peak size n': n,
      });
      const known = points[at] as Record<string, number>;
      expect(known['Q(`Peak size`, 0.5) quantile']).toBe(known['Peak size median']);
      expect(known['Q(`Peak size`, 0.5) low']).toBeLessThan(known['Q(`Peak size`, 0.5) quantile']!);
    }
  });

  test('has only the outputs and formulas that --show names, in CSV and Parquet', async () => {
    const args = ['results', id, '--points', '--show', 'P(`Peak size` <= 300)', '--show', 'extinct'];
    const csv = await run(...args, '--format', 'csv');
    const [head, first] = csv.stdout.split('\n');
    expect(head).toBe(
      'point,Chance,replications,failed,P(`Peak size` <= 300) n,P(`Peak size` <= 300) share,P(`Peak size` <= 300) low,P(`Peak size` <= 300) high,Extinct n,Extinct share,Extinct low,Extinct high,Extinct reached',
    );
    const file = join(folder, 'points.parquet');
    await run(...args, '-o', file);
    const bytes = readFileSync(file);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    expect(Object.keys(rows[0]!).join()).toBe(head);
    expect(Object.values(rows[0]!).map(String)).toEqual(first!.split(','));
    const show = ['P(`Peak size` <= 300)', 'Extinct'];
    const [long] = await Array.fromAsync(resultObjects(world.foray, id, { points: true, long: true, show }));
    expect(long).toMatchObject({
      output: show[0],
      mean: null,
      share: Number(first!.split(',')[5]),
      sd: null,
    });
  });

  test.each([
    ['Ending', 'INVALID_VALUE', /"Ending" is STRING, neither a number nor true or false/],
    ['P(Peek > 3)', 'INVALID_EXPRESSION', /no output of one value "Peek"/],
    ['Peek', 'UNKNOWN_OUTPUT', /keeps no output "Peek"/],
  ])('refuses --show %s', async (show, code, message) => {
    const objects = Array.fromAsync(resultObjects(world.foray, id, { points: true, show: [show] }));
    await expect(objects).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('is needed for --show', async () => {
    const { code, stderr } = await run('results', id, '--show', 'Extinct');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--show needs --points.')]);
  });
});

test('the report shows shares, and foray compare shows the differences of shares', async () => {
  const shown = await reportOf(world.foray, id, { show: ['P(`Peak size` > 900)'] });
  expect(shown).toContain('P(`Peak size` &#62; 900) by Chance');
  const page = await reportOf(world.foray, id, { goal: { output: 'extinct', wants: 'highest' } });
  expect(page).toMatch(/Highest Extinct\s*<strong>(<span title=.*?>)?\d+\.?\d* % \(/);
  const other = await world.foray.submit(outbreak('replications: 40'), { id: 'other' });
  await toTheEnd(world, other.id);
  const { stdout, stderr } = await run('compare', id, other.id, '--format', 'jsonl', '--show', 'Extinct');
  const rows = stdout.trim().split('\n');
  expect(rows).toHaveLength(3);
  expect(JSON.parse(rows[0]!)).toMatchObject({ output: 'Extinct', interval: 'Newcombe paired' });
  expect(stderr).toContain("Intervals of shares (95 %): Newcombe's hybrid score for pairs of replications");
});
