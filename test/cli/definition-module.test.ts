import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CampaignDefinition } from 'foray';
import { defineCampaign } from '../../src/index.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { foray as run } from '../support/cli.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { EPIDEMIC } from '../service/fixed.ts';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
  folder = join(world.folder, 'somewhere else');
  mkdirSync(join(folder, 'data'), { recursive: true });
  // "npm install" makes such a package.json; Node warns about a TypeScript module beside it
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, 'data/observed.csv'), 'day,infected\n0,1\n1,3\n');
});
afterAll(() => world.close());

const submit = (file: string, ...more: string[]) => {
  const { service, store } = world.settings;
  const env = {
    FORAY_SERVICE_URL: service.url,
    FORAY_API_KEY: KEY,
    FORAY_STORE: store,
    TEMPORAL_ADDRESS: world.environment.address,
  };
  return run(world.folder, ['submit', file, ...more], { env });
};

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join('somewhere else', name);
};

const flu = (more: Partial<CampaignDefinition> = {}): CampaignDefinition => ({
  campaign: 'flu',
  model: { name: 'Epidemic' },
  design: { grid: { Days: [3, 4] } },
  outputs: ['Peak day'],
  ...more,
});

describe('foray submit FILE.ts', () => {
  test('uses the definition that a module in any folder exports; paths in the definition are relative to the module', async () => {
    const module = `import { type CampaignDefinition, defineCampaign } from 'foray';
const days: number[] = [3, 4];
const definition: CampaignDefinition = {
  campaign: 'flu',
  model: { name: 'Epidemic' },
  files: { 'Observed cases': './data/observed.csv' },
  design: { grid: { Days: days } },
};
export default async () => defineCampaign(await Promise.resolve(definition));
`;
    const made = await submit(write('flu.ts', module), '--id', 'flu', '--json');
    // "about": foray asks the service for two seconds at most, and a slow service answers later
    const plan = /^2 points, 2 runs: (about )?0 there, (about )?2 to run\n$/;
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(plan)]);
    expect(JSON.parse(made.stdout)).toMatchObject({ id: 'flu', isNew: true, points: 2 });
    const { record } = await world.foray.results('flu');
    expect(JSON.parse(record.definition)).toMatchObject({
      campaign: 'flu',
      design: { grid: { Days: [3, 4] } },
    });
    const yaml =
      'campaign: flu\nmodel: {name: Epidemic}\nfiles: {Observed cases: data/observed.csv}\ndesign: {grid: {Days: [3, 4]}}\n';
    expect((await submit(write('flu.yaml', yaml), '--id', 'flu')).stdout).toMatch(/^Already submitted: flu/);
  });
});

describe('a definition that is an object', () => {
  test('can be submitted and applied, and is kept as JSON', async () => {
    const { id, points } = await world.foray.submit({ definition: flu() });
    expect(points).toBe(2);
    await toTheEnd(world, id);
    const definition = flu({ design: { grid: { Days: { from: 3, to: 5, step: 1 } } } });
    expect(await world.foray.compare(id, { definition })).toMatchObject({ points: { added: 1, kept: 2 } });
    await world.foray.apply(id, { definition });
    expect((await toTheEnd(world, id)).points).toBe(3);
    const { record } = await world.foray.results(id);
    expect(JSON.parse(record.definition)).toEqual(definition);
  });

  test('gets an error with the path of the wrong setting', async () => {
    const refused = async (definition: unknown, place: object, file?: string): Promise<void> => {
      const source = { definition: definition as CampaignDefinition, file };
      await expect(world.foray.submit(source)).rejects.toMatchObject({ place });
    };
    await refused(flu({ inputs: { 'Contact\nrate': 1, Dais: 14 } }), {
      file: '<definition>',
      path: 'inputs.Contact rate',
    });
    await refused(flu({ outputs: ['Peak day', 'Peak'] }), { file: 'a.ts', path: 'outputs.1' }, 'a.ts');
    await refused(flu({ files: { 'Observed cases': 'none.csv' } }), { path: 'files.Observed cases' });
    await refused({ model: { name: 'Epidemic' } }, { path: 'campaign' });
    await refused([], { path: '' });
    await refused(undefined, { path: '' });
    await refused(flu({ seed: 5n as unknown as number }), { path: '' });
    const itself = flu();
    itself.design = { union: [{ union: [] }] };
    itself.design.union!.push(itself.design);
    await refused(itself, { path: '' });
  });

  test('has types that refuse a misspelt setting and a value of a wrong type', () => {
    const definition = defineCampaign({
      campaign: 'flu',
      model: { name: 'Epidemic', version: 3 },
      inputs: { Days: { value: 14, units: 'DAY' } },
      design: {
        product: [
          { lhs: { points: 8, inputs: { 'Contact rate': { min: 1, max: 3 } } } },
          { grid: { Population: { from: 10, to: 1000, count: 3, scale: 'log' } } },
        ],
        where: 'Population > 10',
      },
      timeouts: { run: '10 min' },
    });
    expect(definition.design?.product).toHaveLength(2);
    defineCampaign({
      ...definition,
      // @ts-expect-error the setting is called seed
      sed: 1,
    });
    defineCampaign({
      ...definition,
      // @ts-expect-error the design is called grid
      design: { product: [{ gird: { Days: [1] } }] },
    });
    // @ts-expect-error the number of points is a number, not a text
    defineCampaign({ ...definition, design: { lhs: { points: '8', inputs: { Days: [1] } } } });
  });
});
