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

const VERSION = 'expected latest, a version number from 1 (without quotes), or a version id';
const CONCURRENCY = 'expected auto or a whole number from 1';

export const Definition = z.strictObject({
  campaign: z
    .string('expected a name, in quotes if it looks like a number')
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'expected a name of letters, digits, "-", "_" and "."'),
  model: z.strictObject(
    {
      name: z.string("expected the model's name").min(1, "expected the model's name"),
      version: z
        .union([z.literal('latest'), z.int(VERSION).min(1, VERSION), z.uuid(VERSION)], VERSION)
        .default('latest'),
    },
    'expected {name: MODEL}',
  ),
  experiment: z.string('expected the name of a stored experiment').optional(),
  inputs: z.record(z.string(), value, 'expected input names with their values').default({}),
  files: z
    .record(z.string(), z.string('expected the path of a file'), 'expected input names with file paths')
    .default({}),
  design: z
    .strictObject(
      {
        grid: z
          .record(z.string(), Values, 'expected input names with their values')
          .refine(
            (grid) => Object.keys(grid).length > 0,
            'expected at least one input; without a design there is one point',
          ),
      },
      'expected {grid: …}',
    )
    .optional(),
  replications: z
    .int('expected a whole number')
    .min(1, 'expected at least 1')
    .max(1_000_000, 'expected at most 1,000,000')
    .default(1),
  seed: z.int('expected a whole number').optional(),
  outputs: z
    .array(z.string('expected the name of an output'), 'expected a list of outputs')
    .min(1, 'expected at least one output')
    .optional(),
  concurrency: z
    .union([z.literal('auto'), z.int(CONCURRENCY).min(1, CONCURRENCY)], CONCURRENCY)
    .default('auto'),
  failures: z
    .strictObject(
      {
        rate: z
          .number('expected a share from 0 to 1')
          .min(0, 'expected a share from 0 to 1')
          .max(1, 'expected a share from 0 to 1')
          .optional(),
        after: z.int('expected a whole number').min(1, 'expected at least 1').default(20),
        count: z.int('expected a whole number').min(0, 'expected at least 0').optional(),
        then: z.enum(['pause', 'stop', 'cancel'], 'expected pause, stop or cancel').default('pause'),
      },
      'expected {rate: SHARE} or {count: NUMBER}',
    )
    .refine(({ rate, count }) => rate !== undefined || count !== undefined, 'expected a "rate" or a "count"')
    .optional(),
});
export type Definition = z.infer<typeof Definition>;
