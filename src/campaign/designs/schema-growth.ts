import * as z from 'zod';
import { confidence, count, Measured } from './schema-values.ts';

/** The rule by which a design grows. A definition gives it in place of a number of points. */
export const Growing = z
  .strictObject({
    min: count(2).describe('The first number of base points or trajectories.'),
    max: count(2).describe('The largest number of base points or trajectories.'),
    width: z
      .number('expected a number')
      .positive('expected more than 0')
      .max(2, 'expected at most 2')
      .describe(
        "The largest allowed width of an interval, from end to end: of a Sobol' index, or of μ* relative to the largest μ*.",
      ),
    output: z
      .union([Measured, z.array(Measured).min(1, 'expected at least one output')])
      .optional()
      .describe(
        'The outputs whose indices must be known, by default all numeric and BOOLEAN outputs and the formulas under "outputs".',
      ),
    confidence: confidence('The confidence of the intervals.'),
  })
  .refine(({ min, max }) => min <= max, 'expected "min" not above "max"')
  .meta({
    id: 'Growing',
    description: 'Doubles the number of base points or trajectories until all intervals are narrow enough.',
  });

export type WrittenGrowth = z.input<typeof Growing>;

/** The size of a design. For a growing design it is the size that the design starts with. */
export function firstSize(written: number | WrittenGrowth): number {
  return typeof written === 'number' ? written : written.min;
}
