import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Activities } from '../../src/activities/index.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { startWorld, type World } from '../support/world.ts';
import { EPIDEMIC } from '../service/fixed.ts';
import { only } from '../support/strategy.ts';

/** Temporal repeats an activity that dies after its work and before its answer. No part of this work may be lost. */

const observed = fileURLToPath(new URL('../../examples/boarding-school-flu/observed.csv', import.meta.url));

let world: World;
const lost = { advance: 0, propose: 0 };

/**
 * Loses the first two answers of each activity that adds runs. The activity does its work, but then reports a failure.
 */
function losing(activities: Activities): Activities {
  const once = new Set<string>();
  const spoilt =
    <Input, Output>(name: keyof typeof lost, activity: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      const answer = await activity(input);
      const key = `${name} ${JSON.stringify(input)} ${lost[name]}`;
      if (once.has(key) || lost[name] > 1) return answer;
      once.add(key);
      lost[name] += 1;
      throw new Error('its worker died');
    };
  return {
    ...activities,
    advance: spoilt('advance', activities.advance),
    propose: spoilt('propose', activities.propose),
  };
}

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  await world.startWorker({ spoil: losing });
});
afterAll(() => world.close());

const head = `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 763, Stochastic: true }
files: { Observed cases: ${JSON.stringify(observed)} }
outputs: [Fit error, Peak day]
`;

test('a campaign that repeats points until they are precise gets all replications although answers of the activity advance are lost', async () => {
  const text = `${head}
design: { grid: { Contact rate: [1.4, 1.8, 2.2] } }
replications: { min: 3, max: 8, output: Peak day, relative: 0.02 }
seed: 3
`;
  await world.foray.submit({ file: 'flu.yaml', text }, { id: 'precise' });
  const { phase, runs, precision } = await toTheEnd(world, 'precise');
  expect(phase).toBe('completed');
  expect(lost.advance).toBe(2);
  expect(runs).toMatchObject({ waiting: 0, queued: 0, running: 0, total: runs.done });
  expect(precision!.precise + precision!.imprecise).toBe(3);
});

test('a search runs all its points although answers of the activity propose are lost', async () => {
  const text = `${head}
search:
  minimize: Fit error
  over: { Contact rate: { min: 1.2, max: 2.2, digits: 3 } }
  method: cma
  parallel: 3
  stop: { points: 9 }
replications: 2
seed: 3
`;
  await world.foray.submit({ file: 'flu.yaml', text }, { id: 'search' });
  const { phase, runs, strategy } = await toTheEnd(world, 'search');
  const search = only('search', strategy);
  expect(phase).toBe('completed');
  expect(lost.propose).toBe(2);
  expect(runs).toMatchObject({ waiting: 0, total: 18, done: 18 });
  expect(search).toMatchObject({ asked: 9, told: 9, stage: 'over' });
});
