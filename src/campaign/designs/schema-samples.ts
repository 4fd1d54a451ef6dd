import * as z from 'zod';
import { Spread } from './schema-distributions.ts';
import { Growing, type WrittenGrowth } from './schema-growth.ts';
import { byInput, count } from './schema-values.ts';

/** The kinds of design that draw points, as a person writes them. */

const drawn = {
  inputs: byInput(Spread, 'expected input names with their distributions').describe(
    'The distribution of each input: {min, max}, a list of values, or {distribution: …}.',
  ),
  seed: z
    .int('expected a whole number')
    .optional()
    .describe(
      'The seed of the points. By default it is the seed of the campaign, or 0 if the campaign has none.',
    ),
};
const sample = { points: count(1, 'points').describe('The number of points.'), ...drawn };

/** The message for a wrong shape. A setting for correlated inputs gets the message that they are not supported. */
function expecting(shape: string): { error: (issue: { code: string; keys?: string[] }) => string } {
  return {
    error: ({ keys = [] }) =>
      keys.some((key) => /correlat/i.test(key))
        ? 'foray cannot draw correlated inputs: these designs assume that each input is independent of the others.'
        : shape,
  };
}

const SAMPLE = expecting('expected {points: NUMBER, inputs: …}');
export const Sample = z.strictObject(sample, SAMPLE);
export const Sequence = z.strictObject(
  {
    ...sample,
    scramble: z
      .boolean('expected true or false')
      .default(true)
      .describe(
        'Whether the seed randomises the sequence. The points stay evenly spread. false gives the plain sequence.',
      ),
  },
  SAMPLE,
);

export const Morris = z.strictObject(
  {
    trajectories: z
      .union(
        [count(2, 'trajectories'), Growing],
        'expected a whole number of trajectories or {min, max, width}',
      )
      .describe(
        'The number of trajectories. Each has one point more than there are inputs. {min, max, width} adds trajectories until the intervals are narrow enough.',
      ),
    levels: z
      .int('expected a whole number')
      .multipleOf(2, 'expected an even number')
      .min(2, 'expected at least 2')
      .max(100, 'expected at most 100')
      .default(4)
      .describe('The number of levels of each input, an even number.'),
    ...drawn,
  },
  expecting('expected {trajectories: NUMBER, inputs: …}'),
);

export const Saltelli = z.strictObject(
  {
    points: z
      .union([count(2, 'points'), Growing], 'expected a whole number of points or {min, max, width}')
      .describe(
        'The number of base points. For k inputs, each base point gives k + 2 points. {min, max, width} adds base points until the intervals are narrow enough.',
      ),
    secondOrder: z
      .boolean('expected true or false')
      .default(false)
      .describe(
        'Adds points for the indices of pairs of inputs. There are then nearly twice as many points.',
      ),
    scrambles: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .max(1000, 'expected at most 1,000')
      .optional()
      .describe(
        'The number of independent Sobol sequences over which the base points are divided. The default is 1; with at least 4,096 points it is 4, and with at least 8,192 it is 8. In a growing design it is 4 if max is at least 32, and 8 if max is at least 64.',
      ),
    ...drawn,
  },
  expecting('expected {points: NUMBER, inputs: …}'),
);

export interface WrittenSample {
  points: number;
  inputs: Record<string, Spread>;
  seed?: number | undefined;
  scramble?: boolean | undefined;
}
export interface WrittenMorris {
  trajectories: number | WrittenGrowth;
  levels?: number | undefined;
  inputs: Record<string, Spread>;
  seed?: number | undefined;
}

export interface WrittenSaltelli {
  points: number | WrittenGrowth;
  secondOrder?: boolean | undefined;
  scrambles?: number | undefined;
  inputs: Record<string, Spread>;
  seed?: number | undefined;
}
