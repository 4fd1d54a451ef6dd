import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toTheEnd } from '../../support/campaigns.ts';
import { seeded } from '../../support/durations.ts';
import { report, seeds } from '../../support/seeds.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';

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

const [CONTACT, RECOVERY] = ['`Contact rate`', '`Recovery rate`'];
/** Sets of points that are hard to find. The number from 0 to 1 says how small they are. */
const narrow: ((share: number) => string)[] = [
  (share) => `${CONTACT} > ${RECOVERY} and ${CONTACT} < ${RECOVERY} + ${(10 ** (-3 - 3 * share)).toFixed(8)}`,
  (share) => `${CONTACT} * ${RECOVERY} > ${(0.8 + 0.0099 * share).toFixed(6)}`,
];

test.each(seeds(1, 10).flatMap((seed) => ['direct', 'gp', 'cma'].map((method) => [method, seed] as const)))(
  'while %s searches a set that is hard to find, another campaign of the same worker completes, and a cancel ends the search (seed %i)',
  async (method, seed) => {
    const random = seeded(seed);
    const where = narrow[Math.floor(random() * narrow.length)]!(random());
    const sliver = `search-${method}-${seed}`;
    const bounds = '{ min: 0.3, max: 0.9 }';
    await world.foray.submit(
      campaign(
        sliver,
        `search:
  minimize: Peak infected
  over: { Contact rate: ${bounds}, Recovery rate: ${bounds} }
  where: '${where}'
  method: ${method}
  stop: { points: 100000 }`,
      ),
      { id: sliver },
    );
    await until('the search has points', async () => (await world.foray.status(sliver)).points > 0);
    const delays = monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
    const other = `design-${method}-${seed}`;
    const step = [0.1, 0.05, 0.02][Math.floor(random() * 3)]!;
    await world.foray.submit(
      campaign(other, `design: { grid: { Contact rate: { from: 1, to: 2, step: ${step} } } }`),
      { id: other },
    );
    const status = await toTheEnd(world, other);
    delays.disable();
    expect(status).toMatchObject({ phase: 'completed', points: Math.round(1 / step) + 1 });
    expect((await world.foray.status(sliver)).phase).toBe('running');
    await world.foray.cancel(sliver);
    expect((await toTheEnd(world, sliver)).phase).toBe('cancelled');
    report(
      `seed ${seed}, ${method}, ${where}: the thread was held for ${(delays.max / 1e6).toFixed(0)} ms at most`,
    );
  },
);
