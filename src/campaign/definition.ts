import { z } from 'zod';

/**
 * The shape of a definition as a person writes it. Names and values are checked against the model's version later
 * (check.ts); this is only the shape. Never imported by a workflow: zod would double the bundle.
 */

const value = z.union([z.string(), z.number(), z.boolean()], 'expected a number, a text, true or false');

export const Range = z.strictObject({
  from: z.number('expected a number'),
  to: z.number('expected a number'),
  step: z.number('expected a number'),
});
export type Range = z.infer<typeof Range>;

const Values = z.union([z.array(value), Range], 'expected a list of values or {from, to, step}');

export const Definition = z.strictObject({
  campaign: z
    .string('expected the name of the campaign')
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'expected a name of letters, digits, "-", "_" and "."'),
  model: z.strictObject({
    name: z.string("expected the model's name").min(1),
    version: z
      .union(
        [z.literal('latest'), z.int().min(1), z.uuid()],
        'expected latest, a version number from 1, or a version id',
      )
      .default('latest'),
  }),
  experiment: z.string('expected the name of a stored experiment').optional(),
  inputs: z.record(z.string(), value, 'expected input names with their values').default({}),
  files: z
    .record(z.string(), z.string('expected the path of a file'), 'expected input names with file paths')
    .default({}),
  design: z
    .strictObject({ grid: z.record(z.string(), Values, 'expected input names with their values') })
    .optional(),
  replications: z
    .int('expected a whole number')
    .min(1, 'expected at least 1')
    .max(1_000_000, 'expected at most 1,000,000')
    .default(1),
  seed: z.int('expected a whole number').optional(),
  outputs: z.array(z.string()).min(1, 'expected at least one output').optional(),
  concurrency: z
    .union([z.literal('auto'), z.int().min(1)], 'expected auto or a whole number from 1')
    .default('auto'),
});
export type Definition = z.infer<typeof Definition>;
