import { z } from 'zod';
import { Spread } from './schema-distributions.ts';
import { byInput } from './schema-values.ts';

/** The kinds of design that draw points, as a person writes them. */

export const MOST_POINTS = 10_000_000;

function countOf(what: string, least: number) {
  return z
    .int(`expected a whole number of ${what}`)
    .min(least, `expected at least ${least}`)
    .max(MOST_POINTS, `expected at most ${MOST_POINTS.toLocaleString('en')}`);
}

const drawn = {
  inputs: byInput(Spread, 'expected input names with their distributions').describe(
    'How each input is spread: {min, max}, a list of values, or {distribution: …}.',
  ),
  seed: z
    .int('expected a whole number')
    .optional()
    .describe("The seed of the points; by default the campaign's, or 0."),
};
const sample = { points: countOf('points', 1).describe('How many points are drawn.'), ...drawn };

/** Says of a wrong shape what is expected, and of a name that asks for correlated inputs that there are none. */
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
      .describe('Randomised by the seed, the evenness kept; false gives the plain sequence.'),
  },
  SAMPLE,
);

export const Morris = z.strictObject(
  {
    trajectories: countOf('trajectories', 2).describe(
      'How many trajectories there are, each with a point more than there are inputs.',
    ),
    levels: z
      .int('expected a whole number')
      .multipleOf(2, 'expected an even number')
      .min(2, 'expected at least 2')
      .max(100, 'expected at most 100')
      .default(4)
      .describe('How many levels each input has, an even number.'),
    ...drawn,
  },
  expecting('expected {trajectories: NUMBER, inputs: …}'),
);

export const Saltelli = z.strictObject(
  {
    points: countOf('points', 2).describe(
      'How many base points there are in all; each has a point more per input, and one more.',
    ),
    secondOrder: z
      .boolean('expected true or false')
      .default(false)
      .describe('Whether there are points for the indices of pairs of inputs: nearly twice as many.'),
    scrambles: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .max(1000, 'expected at most 1,000')
      .optional()
      .describe(
        'Over how many independent Sobol sequences the base points are divided; by default 8, and of fewer than 64 points fewer.',
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
  trajectories: number;
  levels?: number | undefined;
  inputs: Record<string, Spread>;
  seed?: number | undefined;
}

export interface WrittenSaltelli {
  points: number;
  secondOrder?: boolean | undefined;
  scrambles?: number | undefined;
  inputs: Record<string, Spread>;
  seed?: number | undefined;
}
