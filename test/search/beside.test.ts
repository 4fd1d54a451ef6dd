import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toTheEnd } from '../support/campaigns.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { EPIDEMIC } from '../service/fixed.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker();
});
afterAll(() => world.close());

const campaign = (name: string, rest: string) => ({
  file: `${name}.yaml`,
  text: `
campaign: ${name}
model: { name: Epidemic }
outputs: [Peak infected]
${rest}
`,
});

test.each(['direct', 'gp'])(
  'while %s searches a sliver, another campaign of the same worker completes, and a cancel ends the search',
  async (method) => {
    const sliver = `search-${method}`;
    const bounds = '{ min: 0.3, max: 0.9 }';
    await world.foray.submit(
      campaign(
        sliver,
        `search:
  minimize: Peak infected
  over: { Contact rate: ${bounds}, Recovery rate: ${bounds} }
  where: '\`Contact rate\` > \`Recovery rate\` and \`Contact rate\` < \`Recovery rate\` + 0.00001'
  method: ${method}
  stop: { points: 100000 }`,
      ),
      { id: sliver },
    );
    await until('the search has points', async () => (await world.foray.status(sliver)).points > 0);
    const other = `design-${method}`;
    await world.foray.submit(
      campaign(other, 'design: { grid: { Contact rate: { from: 1, to: 2, step: 0.1 } } }'),
      { id: other },
    );
    const status = await toTheEnd(world, other);
    expect(status).toMatchObject({ phase: 'completed', points: 11 });
    expect((await world.foray.status(sliver)).phase).toBe('running');
    await world.foray.cancel(sliver);
    expect((await toTheEnd(world, sliver)).phase).toBe('cancelled');
  },
);
