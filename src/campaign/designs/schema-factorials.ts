import * as z from 'zod';
import { byInput, number, Units, Values } from './schema-values.ts';

/** The kinds of design that change inputs between a few values, as a person writes them. */

export const Factorial = z.strictObject(
  {
    inputs: byInput(Values).describe(
      'At least two values of each input. With a resolution, exactly two values of each input.',
    ),
    resolution: z
      .int('expected a whole number')
      .min(3, 'expected at least 3')
      .max(8, 'expected at most 8')
      .optional()
      .describe(
        'Takes the smallest regular fraction with at least this resolution instead of all combinations.',
      ),
  },
  'expected {inputs: …}',
);

const Sides = z.strictObject(
  {
    low: number.describe('A value below the value that the input has outside the design.'),
    high: number.describe('A value above the value that the input has outside the design.'),
    units: Units.optional(),
  },
  'expected {low: NUMBER, high: NUMBER}',
);
export type Sides = z.infer<typeof Sides>;

export const OnePerInput = z
  .strictObject(
    {
      change: number
        .gt(0, 'expected more than 0')
        .lt(1, 'expected less than 1')
        .optional()
        .describe('Each input changes by this share of its value, down and up. By default 0.1.'),
      inputs: z
        .union(
          [
            z.array(z.string('expected the name of an input')).min(1, 'expected at least one input'),
            byInput(Sides, 'expected input names with {low, high}'),
          ],
          'expected a list of input names, or input names with {low, high}',
        )
        .describe('The names of inputs, or {INPUT: {low, high}}.'),
    },
    'expected {inputs: …}',
  )
  .refine(
    ({ change, inputs }) => change === undefined || Array.isArray(inputs),
    'expected no "change" where each input has a "low" and a "high"',
  )
  .meta({ dependentSchemas: { change: { properties: { inputs: { type: 'array' } } } } });

export interface WrittenFactorial {
  inputs: Record<string, Values>;
  resolution?: number | undefined;
}

export interface WrittenOnePerInput {
  change?: number | undefined;
  inputs: string[] | Record<string, Sides>;
}
