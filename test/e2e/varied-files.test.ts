import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { command } from '../support/campaigns.ts';
import type { Ran } from '../support/cli.ts';
import { testFolder } from '../support/test-folder.ts';
import { startWorld, type World } from '../support/world.ts';

/** Campaigns whose points differ by a file, from the definition to the report. */

const MODEL = `export default {
  name: 'Rain',
  description: 'Adds up rain.',
  inputs: [
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Weather', type: 'INPUT_FILE', default: '' },
    { name: 'Factor', type: 'DOUBLE', default: 1 },
  ],
  outputs: [{ name: 'Total', type: 'DOUBLE' }],
  run({ inputs, readFile }) {
    const rain = new TextDecoder().decode(readFile('Weather')).trim().split('\\n').map(Number);
    return { Total: inputs.Factor * rain.reduce((sum, value) => sum + value, 0) };
  },
};
`;
const GRID = `campaign: years
model: { name: Rain }
design: { grid: { Weather: [weather/dry.txt, weather/wet.txt], Factor: [1, 2] } }
`;

let world: World;
const run = (...args: string[]): Promise<Ran> => command(world, ...args);

beforeAll(async () => {
  const rain = testFolder();
  writeFileSync(join(rain, 'model.js'), MODEL);
  writeFileSync(join(rain, 'package.json'), '{"type": "module"}');
  world = await startWorld({ models: [rain] });
  await world.startWorker();
  const { folder } = world;
  mkdirSync(join(folder, 'weather'));
  writeFileSync(join(folder, 'weather/dry.txt'), '1\n2\n');
  writeFileSync(join(folder, 'weather/wet.txt'), '30\n40\n');
  writeFileSync(join(folder, 'weather/points.csv'), 'Weather,Factor\nwet.txt,3\ndry.txt,4\n');
  writeFileSync(join(folder, 'years.yaml'), GRID);
});
afterAll(() => world.close());

/** The results of a campaign: the file, the factor and the total of each run. */
async function rowsOf(id: string): Promise<unknown[]> {
  const { stdout } = await run('results', id, '--format', 'jsonl');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ Weather, Factor, Total }) => [Weather, Factor, Total]);
}

test('the path names the point wherever a person looks, and the run has the content', async () => {
  const plan = await run('plan', 'years.yaml');
  expect(plan.stdout).toContain('weather/wet.txt');
  const submitted = await run('submit', 'years.yaml', '--id', 'years', '--watch');
  expect(submitted).toMatchObject({ code: 0 });
  expect(await rowsOf('years')).toEqual([
    ['weather/dry.txt', 1, 3],
    ['weather/dry.txt', 2, 6],
    ['weather/wet.txt', 1, 70],
    ['weather/wet.txt', 2, 140],
  ]);
  const csv = (await run('results', 'years', '--format', 'csv')).stdout;
  expect(csv).toMatch(/^.*,weather\/wet\.txt,2,140,$/m);
  const hashes = ['1\n2\n', '30\n40\n'].map((text) => createHash('sha256').update(text).digest('base64url'));
  await run('report', 'years', '--output', 'report.html');
  const report = readFileSync(join(world.folder, 'report.html'), 'utf8');
  expect(report).toContain('weather/dry.txt');
  const { point } = JSON.parse(
    (await run('results', 'years', '--format', 'jsonl')).stdout.split('\n')[3]!,
  ) as {
    point: string;
  };
  const explained = await run('explain', 'years', point, '--json');
  expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining('weather/wet.txt') });
  for (const hash of hashes)
    for (const shown of [plan.stdout, csv, report, explained.stdout]) expect(shown).not.toContain(hash);
  const files = readdirSync(join(world.folder, 'service'), { recursive: true });
  for (const hash of hashes) expect(files.filter((name) => name.includes(hash))).toHaveLength(1);
});

test('a search and a point file use the same runs, and a change keeps the points of unchanged files', async () => {
  writeFileSync(
    join(world.folder, 'search.yaml'),
    'campaign: wettest\nmodel: { name: Rain }\nsearch: { maximize: Total, over: { Weather: [weather/dry.txt, weather/wet.txt] }, stop: { points: 2 } }\n',
  );
  expect(await run('submit', 'search.yaml', '--id', 'wettest', '--watch')).toMatchObject({ code: 0 });
  const status = (await run('status', 'wettest')).stdout;
  expect(status).toContain('weather/wet.txt');
  writeFileSync(
    join(world.folder, 'file.yaml'),
    'campaign: listed\nmodel: { name: Rain }\ndesign: { points: weather/points.csv }\n',
  );
  expect(await run('submit', 'file.yaml', '--id', 'listed', '--watch')).toMatchObject({ code: 0 });
  expect(await rowsOf('listed')).toEqual([
    ['weather/wet.txt', 3, 210],
    ['weather/dry.txt', 4, 12],
  ]);
  writeFileSync(join(world.folder, 'weather/mild.txt'), '5\n');
  writeFileSync(join(world.folder, 'years.yaml'), GRID.replace('dry', 'mild'));
  expect(await run('apply', 'years', 'years.yaml', '--yes')).toMatchObject({ code: 0 });
  await run('watch', 'years');
  expect(await rowsOf('years')).toEqual([
    ['weather/mild.txt', 1, 5],
    ['weather/mild.txt', 2, 10],
    ['weather/wet.txt', 1, 70],
    ['weather/wet.txt', 2, 140],
    // these points are no longer in the design, and keep their results
    ['weather/dry.txt', 1, 3],
    ['weather/dry.txt', 2, 6],
  ]);
  const compared = await run('compare', 'years', 'wettest', '--format', 'jsonl');
  expect(compared).toMatchObject({ code: 0, stdout: expect.stringContaining('weather/wet.txt') });
  expect(compared.stdout).not.toMatch(/[A-Za-z0-9_-]{43}/);
});

test('a definition that was sent comes with its files, or the error says how', async () => {
  const sent = (folder: string) =>
    world.foray.plan({ text: GRID, file: 'definition', uploads: { folder, hint: 'Send them.' } });
  await expect(sent(join(world.folder, 'service'))).rejects.toMatchObject({
    message: expect.stringContaining('"dry.txt" for "Weather" is not there'),
    hint: expect.stringContaining('Send them.'),
  });
  expect(await sent(join(world.folder, 'weather'))).toMatchObject({ points: 4 });
});
