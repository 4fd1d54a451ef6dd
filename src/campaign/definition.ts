import * as z from 'zod';
import { LONGEST_UNIT } from '../api/index.ts';
import {
  confidence,
  Curve,
  exactlyOne,
  InputName,
  Measured,
  Output,
  Units,
  Value,
} from './designs/schema-values.ts';
import { DesignSchema } from './designs/index.ts';
import { Duration } from './schema-duration.ts';
import { MOST_FLIGHTS } from './scheduler/index.ts';
import { strategySettings } from './strategy.ts';

/**
 * The shape of a definition as a person writes it. check.ts checks names and values against the model's version later.
 * Workflows must not import this file: zod would double their bundle.
 */

/** A value, with or without its units. */
const Given = z.union(
  [Value, z.strictObject({ value: Value.describe('The value.'), units: Units })],
  'expected a number, a text, true, false or {value, units}',
);
export type Given = z.infer<typeof Given>;

const VERSION = 'expected latest, a version number from 1 (without quotes), or a version id';
const MOST_CONCURRENCY = MOST_FLIGHTS.toLocaleString('en-US');
const CONCURRENCY = `expected auto or a whole number from 1 to ${MOST_CONCURRENCY}`;
const PRIORITY = 'expected a whole number from 1 (first) to 5 (last)';
const SHARE = 'expected a share from 0 to 1';

const MOST_REPLICATIONS = 1_000_000;

const replications = (least: number) =>
  z
    .int('expected a whole number')
    .min(least, `expected at least ${least}`)
    .max(MOST_REPLICATIONS, `expected at most ${MOST_REPLICATIONS.toLocaleString('en-US')}`);

/** The limits of the replications of a point. */
const replicationLimits = {
  min: replications(2).describe('The fewest replications of a point.'),
  max: replications(1).describe('The most replications of a point.'),
};

const PERCENT = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/;
const WIDTH = 'expected a number, or for a share a percentage such as 2 %';

const Precise = z
  .strictObject({
    ...replicationLimits,
    output: z
      .union(
        [Measured, z.array(Measured).min(1, 'expected at least one output')],
        'expected the name of an output, or a list of names',
      )
      .describe(
        'The output or outputs whose mean must be precise. For a BOOLEAN output or P(…), the share of the runs in which it is true must be precise.',
      ),
    relative: z
      .number('expected a number such as 0.05')
      .positive('expected more than 0')
      .lt(1, 'expected less than 1')
      .optional()
      .describe('The largest half-width of the interval, as a share of the mean.'),
    absolute: z
      .union([z.number(WIDTH).positive('expected more than 0'), z.string(WIDTH).regex(PERCENT, WIDTH)], WIDTH)
      .optional()
      .describe(
        'The largest half-width of the interval, in the units of the output. For a share it may be in percent, such as 2 %.',
      ),
    confidence: confidence('The confidence of the interval.'),
  })
  .refine(({ min, max }) => min <= max, 'expected "min" not above "max"')
  .refine(exactlyOne('relative', 'absolute'), 'expected either "relative" or "absolute"')
  .meta({ id: 'Precise', oneOf: [{ required: ['relative'] }, { required: ['absolute'] }] });

const Raced = z
  .strictObject(replicationLimits)
  .refine(({ min, max }) => min <= max, 'expected "min" not above "max"')
  .meta({
    id: 'Raced',
    description:
      'In a search: a point gets more replications until it can be distinguished from the best one so far.',
  });

const OutputNames = z.array(Output, 'expected a list of outputs').min(1, 'expected at least one output');

const Axis = z
  .strictObject({
    name: z
      .string('expected a text')
      .max(200, 'expected at most 200 characters')
      .optional()
      .describe('The name of the axis.'),
    units: z
      .string('expected units such as DAY')
      .max(LONGEST_UNIT, `expected at most ${LONGEST_UNIT} characters`)
      .optional()
      .describe('The units of the axis.'),
    scale: z
      .enum(['linear', 'log'], 'expected linear or log')
      .optional()
      .describe('Whether the axis is logarithmic.'),
    start: z.iso
      .date('expected a date such as 2026-01-31')
      .optional()
      .describe('The date of x = 0. The axis then shows dates, and needs units of time.'),
  })
  .meta({ id: 'Axis', description: 'The x axis of a curve.' });

const Outputs = z
  .strictObject({
    names: OutputNames.optional().describe(
      'The outputs to keep, by default all. P(…) and Q(…) are formulas over outputs.',
    ),
    files: z
      .enum(['keep', 'link'], 'expected keep or link')
      .default('link')
      .describe(
        'What foray keeps of an OUTPUT_FILE. link: only the reference to the file at the service. keep: the file as well.',
      ),
    axes: z
      .record(Curve, Axis, 'expected {OUTPUT: {name, units, scale, start}}')
      .optional()
      .describe(
        'The x axes of curves (DATA_SET) in reports, by output. They replace what the model declares.',
      ),
  })
  .meta({ id: 'Outputs' });

const Goal = z
  .strictObject(
    {
      maximize: Measured.optional().describe('The output or formula whose higher values are better.'),
      minimize: Measured.optional().describe('The output or formula whose lower values are better.'),
    },
    'expected {maximize: OUTPUT} or {minimize: OUTPUT}',
  )
  .refine(exactlyOne('maximize', 'minimize'), 'expected either "maximize" or "minimize"')
  .meta({ id: 'Goal', oneOf: [{ required: ['maximize'] }, { required: ['minimize'] }] });

const Failures = z
  .strictObject(
    {
      attempts: z
        .int('expected a whole number')
        .min(1, 'expected at least 1')
        .max(100, 'expected at most 100')
        .default(1)
        .describe('The most attempts of a run, including the first.'),
      backoff: Duration.prefault('10 s').describe(
        'The wait before the second attempt. It doubles before each further attempt, up to 1 h.',
      ),
      seed: z
        .enum(['same', 'new'], 'expected same or new')
        .default('same')
        .describe('The seed of further attempts: the same one, or a new one for each attempt.'),
      rate: z
        .number(SHARE)
        .min(0, SHARE)
        .max(1, SHARE)
        .optional()
        .describe('The largest allowed share of failed runs among the finished runs.'),
      after: z
        .int('expected a whole number')
        .min(1, 'expected at least 1')
        .default(20)
        .describe('The rate is checked only after this number of finished runs.'),
      count: z
        .int('expected a whole number')
        .min(0, 'expected at least 0')
        .optional()
        .describe('The largest allowed number of failed runs.'),
      then: z
        .enum(['pause', 'stop', 'cancel'], 'expected pause, stop or cancel')
        .default('pause')
        .describe(
          'What happens to the campaign when more runs have failed than allowed. pause: it is paused. stop: it ends after its requested runs. cancel: it ends, and its requested runs are stopped.',
        ),
    },
    'expected {attempts: NUMBER}, {rate: SHARE} or {count: NUMBER}',
  )
  .refine(
    ({ attempts, rate, count }) => attempts > 1 || rate !== undefined || count !== undefined,
    'expected "attempts" above 1, a "rate" or a "count"',
  )
  .meta({
    id: 'Failures',
    anyOf: [
      { required: ['attempts'], properties: { attempts: { minimum: 2 } } },
      { required: ['rate'] },
      { required: ['count'] },
    ],
  });

const Timeouts = z
  .strictObject(
    {
      run: Duration.optional().describe(
        'The longest time of a run from its start at the service. After this time, the run is stopped and the attempt counts as failed.',
      ),
      campaign: Duration.optional().describe(
        'The longest time of the campaign from its start, including pauses. After this time, the campaign fails, and its requested runs are stopped.',
      ),
    },
    'expected {run: DURATION, campaign: DURATION}',
  )
  .meta({ id: 'Timeouts' });

const NOTICES = 'expected the name of a notice, or a list of names';
const NoticeName = z.string(NOTICES).regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, NOTICES);

/** Names of notices, here and in the settings of a client. */
export const Notify = z.union(
  [NoticeName, z.array(NoticeName, NOTICES).max(10, 'expected at most 10 notices')],
  NOTICES,
);

/** An empty setting (all of its lines are comments, for example) counts as absent. */
function maybeEmpty<S extends z.ZodType<Record<string, unknown>>>(schema: S) {
  return schema.nullish().transform((given) => given ?? ({} as z.output<S>));
}

/** The model's name, reduced to the characters that a campaign's name may have. */
export function campaignName(model: string): string {
  const name = model
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    // a letter without a counterpart, such as ß, has two in upper case
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    // (?<!-) tries a long row of hyphens only once
    .replaceAll(/^[^a-z0-9]+|(?<!-)-+$/g, '')
    .slice(0, 100);
  return name === '' ? 'campaign' : name;
}

export const Definition = z.strictObject({
  campaign: z
    .string('expected a name, in quotes if it looks like a number')
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      'expected at most 100 letters, digits, "-", "_" and ".", with a letter or a digit first',
    )
    .describe("The campaign's name. Its id is the name with a short suffix, unless you give an id."),
  model: z
    .strictObject(
      {
        name: z
          .string("expected the model's name")
          .min(1, "expected the model's name")
          .describe('The model.'),
        version: z
          .union(
            [
              z.literal('latest'),
              z.int(VERSION).min(1, VERSION),
              z.uuid(VERSION).meta({ title: 'version id' }),
            ],
            VERSION,
          )
          .default('latest')
          .describe(
            'latest, a version number, or a version id. The version is looked up once, when the campaign is submitted.',
          ),
      },
      'expected {name: MODEL}',
    )
    .describe('The model, and which version of it.'),
  experiment: z
    .string('expected the name of a stored experiment')
    .optional()
    .describe('A stored experiment of the version. Its inputs replace the defaults of the version.'),
  inputs: maybeEmpty(z.record(InputName, Given, 'expected input names with their values')).describe(
    'Values that are the same in every point: {INPUT: VALUE}, or {INPUT: {value, units}}. oneAtATime and onePerInput change inputs from these values.',
  ),
  files: maybeEmpty(
    z.record(InputName, z.string('expected the path of a file'), 'expected input names with file paths'),
  ).describe("The path of the file for each input of type INPUT_FILE, relative to the definition's folder."),
  design: DesignSchema.optional(),
  ...strategySettings,
  replications: z
    .union(
      [replications(1), Precise, Raced],
      'expected a whole number or {min, max, output, relative or absolute}',
    )
    .optional()
    .meta({ default: 1 })
    .describe(
      'The repeats of each point, each with its own seed: a number, or {min, max, output, …} to replicate until a mean is precise. In a search also {min, max}. With "select" it is the number of replications that each point gets at first, 10 by default.',
    ),
  commonRandomNumbers: z
    .boolean('expected true or false')
    .default(false)
    .describe('Whether replication n has the same seed in every point.'),
  seed: z
    .int('expected a whole number')
    .optional()
    .describe(
      "The campaign's seed. Without it, it is 0 with replications, and without them all runs keep the seed of the version or experiment.",
    ),
  outputs: z
    .union([OutputNames, Outputs], 'expected a list of outputs or {names: [OUTPUT, …], files: keep}')
    .optional()
    .describe('The outputs to keep, by default all: a list, or {names, files, axes}.'),
  goal: Goal.optional().describe(
    'The output that the campaign is about: {maximize: OUTPUT} or {minimize: OUTPUT}. A goal has no effect on the runs.',
  ),
  concurrency: z
    .union(
      [z.literal('auto'), z.int(CONCURRENCY).min(1, CONCURRENCY).max(MOST_FLIGHTS, CONCURRENCY)],
      CONCURRENCY,
    )
    .default('auto')
    .describe(
      `The most runs that are requested at once, up to ${MOST_CONCURRENCY}. auto follows the number of runs that the service executes at once.`,
    ),
  failures: Failures.optional().describe(
    'How often a run is tried, how many runs may fail, and what happens when more fail.',
  ),
  timeouts: Timeouts.optional().describe('The longest time of a run, and of the campaign.'),
  fresh: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          salt: z
            .string('expected the name of an input')
            .describe('An input that takes a number or text and does not change the result.'),
        }),
      ],
      'expected true or {salt: INPUT}',
    )
    .default(false)
    .describe(
      'true: a new seed, so that no results are reused. {salt: INPUT}: a new number in that input does the same.',
    ),
  priority: z
    .int(PRIORITY)
    .min(1, PRIORITY)
    .max(5, PRIORITY)
    .default(3)
    .describe('The priority among the campaigns of one fleet of workers, from 1 (first) to 5 (last).'),
  notify: Notify.optional().describe(
    'The notices to call when the campaign ends or pauses, and at its first failure: names in the file of notices of the workers.',
  ),
});
export type Definition = z.infer<typeof Definition>;
/** A definition as a person writes it, in YAML, JSON or TypeScript. */
export type CampaignDefinition = z.input<typeof Definition>;
