import { z } from 'zod';
import { Design, Units, Value } from './designs/schema.ts';

/**
 * The shape of a definition as a person writes it. Names and values are checked against the model's version later
 * (check.ts); this is only the shape. Never imported by a workflow: zod would double the bundle.
 */

/** A value, which may say the units it is in. */
const Given = z.union(
  [Value, z.strictObject({ value: Value, units: Units })],
  'expected a number, a text, true, false or {value, units}',
);
export type Given = z.infer<typeof Given>;

const DURATION = 'expected seconds, or a text such as 90 s, 10 min, 2 h or 1 d';
const UNITS = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
/** Setting a timer for longer than this is a slip of the pen. */
const LONGEST_MS = 366 * UNITS.d;

/** A duration as people write it; parsed into ms. */
const Duration = z
  .union([z.number(), z.string()], DURATION)
  .transform((written) => {
    if (typeof written === 'number') return written * UNITS.s;
    const [, amount = '', unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(s|min|h|d)?\s*$/.exec(written) ?? [];
    return amount === '' ? NaN : Number(amount) * UNITS[unit as keyof typeof UNITS];
  })
  .refine((ms) => Number.isFinite(ms), DURATION)
  .refine((ms) => ms > 0 && ms <= LONGEST_MS, 'expected more than 0, and at most 366 days');

const VERSION = 'expected latest, a version number from 1 (without quotes), or a version id';
const CONCURRENCY = 'expected auto or a whole number from 1';

const MOST_REPLICATIONS = 1_000_000;

const Replications = z
  .int('expected a whole number')
  .min(1, 'expected at least 1')
  .max(MOST_REPLICATIONS, 'expected at most 1,000,000');

const Output = z.string('expected the name of an output');

const Precise = z
  .strictObject({
    min: Replications.min(2, 'expected at least 2').describe('Replications that every point gets.'),
    max: Replications.describe('Replications that no point gets more of.'),
    output: z
      .union([Output, z.array(Output).min(1, 'expected at least one output')])
      .describe('The numeric output, or outputs, whose mean is to be precise.'),
    relative: z
      .number('expected a number')
      .positive('expected more than 0')
      .lt(1, 'expected less than 1')
      .optional()
      .describe('Half the width of the interval, at most, as a share of the mean.'),
    absolute: z
      .number('expected a number')
      .positive('expected more than 0')
      .optional()
      .describe("Half the width of the interval, at most, in the output's units."),
    confidence: z
      .number('expected a number')
      .gt(0.5, 'expected more than 0.5')
      .lt(1, 'expected less than 1')
      .default(0.95)
      .describe('The confidence of the interval.'),
  })
  .refine(({ min, max }) => min <= max, 'expected "min" not above "max"')
  .refine(
    ({ relative, absolute }) => (relative === undefined) !== (absolute === undefined),
    'expected either "relative" or "absolute"',
  );

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
  inputs: z.record(z.string(), Given, 'expected input names with their values').default({}),
  files: z
    .record(z.string(), z.string('expected the path of a file'), 'expected input names with file paths')
    .default({}),
  design: Design.optional(),
  replications: z
    .union([Replications, Precise], 'expected a whole number or {min, max, output, relative or absolute}')
    .default(1),
  commonRandomNumbers: z.boolean('expected true or false').default(false),
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
        attempts: z
          .int('expected a whole number')
          .min(1, 'expected at least 1')
          .max(100, 'expected at most 100')
          .default(1),
        backoff: Duration.default(10_000),
        seed: z.enum(['same', 'new'], 'expected same or new').default('same'),
        rate: z
          .number('expected a share from 0 to 1')
          .min(0, 'expected a share from 0 to 1')
          .max(1, 'expected a share from 0 to 1')
          .optional(),
        after: z.int('expected a whole number').min(1, 'expected at least 1').default(20),
        count: z.int('expected a whole number').min(0, 'expected at least 0').optional(),
        then: z.enum(['pause', 'stop', 'cancel'], 'expected pause, stop or cancel').default('pause'),
      },
      'expected {attempts: NUMBER}, {rate: SHARE} or {count: NUMBER}',
    )
    .refine(
      ({ attempts, rate, count }) => attempts > 1 || rate !== undefined || count !== undefined,
      'expected "attempts" above 1, a "rate" or a "count"',
    )
    .optional(),
  timeouts: z
    .strictObject(
      { run: Duration.optional(), campaign: Duration.optional() },
      'expected {run: DURATION, campaign: DURATION}',
    )
    .optional(),
  fresh: z
    .union(
      [z.boolean(), z.strictObject({ salt: z.string('expected the name of an input') })],
      'expected true or {salt: INPUT}',
    )
    .default(false),
  priority: z
    .int('expected a whole number from 1 (first) to 5 (last)')
    .min(1, 'expected a whole number from 1 (first) to 5 (last)')
    .max(5, 'expected a whole number from 1 (first) to 5 (last)')
    .default(3),
});
export type Definition = z.infer<typeof Definition>;
