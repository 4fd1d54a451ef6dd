import * as z from 'zod';
import {
  byInput,
  confidence,
  exactlyOne,
  InputName,
  Measured,
  number,
  Units,
  Value,
} from '../designs/schema-values.ts';
import { Duration } from '../schema-duration.ts';
import { methodNames } from './search.ts';

/** The shape of a search as a person writes it. Workflows must not import this file: zod would double their bundle. */

/** The number of points of a search whose definition gives no end. */
export const DEFAULT_POINTS = 100;

const count = (what = 'expected a whole number of at least 1') => z.int(what).min(1, what);

const Bounds = z
  .strictObject({
    min: number.describe('The least value.'),
    max: number.describe('The greatest value.'),
    digits: z
      .int('expected a whole number of digits')
      .min(0, 'expected no less than 0')
      .max(15, 'expected at most 15')
      .optional()
      .describe('The number of digits after the decimal point to which values are rounded.'),
    step: number
      .positive('expected more than 0')
      .optional()
      .describe('The distance between allowed values, starting at min.'),
    scale: z
      .enum(['linear', 'log'], 'expected linear or log')
      .optional()
      .describe(
        'Whether the search compares values by differences (linear, the default) or by ratios (log).',
      ),
    units: Units.optional(),
  })
  .refine(
    ({ digits, step }) => digits === undefined || step === undefined,
    'expected only one of "digits" and "step"',
  )
  .refine(({ min, max }) => min < max, 'expected "min" below "max"')
  .refine(({ min, scale }) => scale !== 'log' || min > 0, 'expected "min" above 0 with "scale: log"')
  .meta({ id: 'Bounds' });
export type Bounds = z.infer<typeof Bounds>;

const choices = z.array(Value, 'expected a list of values').min(2, 'expected at least two values');

/** The allowed values of an input: an interval, or a list. */
export const Searched = z.union(
  [Bounds, choices, z.strictObject({ values: choices.describe('The values.'), units: Units.optional() })],
  'expected {min, max} or a list of values',
);
export type Searched = z.infer<typeof Searched>;

const Limit = z
  .strictObject(
    {
      min: number.optional().describe('The least allowed mean of the output.'),
      max: number.optional().describe('The greatest allowed mean of the output.'),
      chance: number
        .gt(0, 'expected a share above 0')
        .max(1, 'expected a share of at most 1')
        .optional()
        .describe(
          'The share of the runs that must keep the limits. Without a chance, the mean must keep the limits.',
        ),
    },
    'expected {min: NUMBER} or {max: NUMBER}',
  )
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'expected a "min" or a "max"')
  .meta({ id: 'Limit', anyOf: [{ required: ['min'] }, { required: ['max'] }] });

const limits = z
  .record(Measured, Limit, 'expected outputs with their limits')
  .optional()
  .describe('Limits for the outputs of a point: {OUTPUT: {max: NUMBER}}.');

const Stop = z
  .strictObject(
    {
      points: count()
        .max(1_000_000, 'expected at most 1,000,000')
        .optional()
        .describe('The search ends after this number of points.'),
      runs: count()
        .max(10_000_000, 'expected at most 10,000,000')
        .optional()
        .describe('The search ends after this number of runs.'),
      value: number.optional().describe('The search ends when a point has this value or a better one.'),
      gain: number
        .positive('expected more than 0')
        .optional()
        .describe(
          'The search ends when the method gp expects less improvement than this from the next point. Only gp has this rule.',
        ),
      stall: count()
        .optional()
        .describe(
          'The search ends after this number of points without a better one. If no point meets the requirements, it ends after at least 100 points.',
        ),
    },
    'expected {points: NUMBER}, {runs: NUMBER}, {value: NUMBER}, {gain: NUMBER} or {stall: NUMBER}',
  )
  .meta({ id: 'Stop' });

const report = z
  .int('expected a whole number')
  .min(2, 'expected at least 2')
  .max(100_000, 'expected at most 100,000')
  .default(30)
  .describe('The number of further replications of the winner, which give its value.');

const Confirm = z
  .strictObject(
    {
      best: count()
        .max(100, 'expected at most 100')
        .default(10)
        .describe('The number of points that are compared.'),
      replications: z
        .int('expected a whole number')
        .min(2, 'expected at least 2')
        .max(10_000, 'expected at most 10,000')
        .default(10)
        .describe(
          'The number of new replications of each compared point before the first point is left out.',
        ),
      indifference: number
        .positive('expected more than 0')
        .describe("A difference that does not matter, in the output's units."),
      confidence: confidence('The confidence that no other point is better by more than the indifference.'),
      report,
    },
    'expected {indifference: NUMBER}',
  )
  .meta({ id: 'Confirm' });

/** The longest time for an answer, ms. An activity must end within 30 minutes. */
const LONGEST_ANSWER_MS = 20 * 60_000;

const methods = ['auto', ...methodNames] as const;

const COMMAND = 'expected a program and its arguments, as a list of texts';

const Outside = z
  .strictObject(
    {
      command: z
        .array(z.string(COMMAND).regex(/^\P{Cc}+$/u, COMMAND), COMMAND)
        .min(1, COMMAND)
        .describe(
          'The program and its arguments. A word that names a file in the folder of the definition means that file.',
        ),
      options: z
        .record(z.string(), z.unknown(), 'expected names with values')
        .default({})
        .describe('Options that foray sends to the optimiser with the problem.'),
      timeout: Duration.refine((ms) => ms <= LONGEST_ANSWER_MS, 'expected at most 20 min')
        .prefault('10 min')
        .describe('The longest time for an answer, at most 20 min.'),
    },
    'expected {command: [PROGRAM, ARGUMENT]}',
  )
  .meta({ id: 'Outside', description: 'An optimiser that is a separate program.' });

/** The inputs that a search or a calibration computes from others. */
export const derive = byInput(
  z.string('expected an expression in quotes'),
  'expected input names with expressions',
)
  .optional()
  .describe(
    'Inputs that are computed from others: {INPUT: "expression"}, one after the other. A point whose computed values the model does not allow is not run.',
  );

export const SearchSchema = z
  .strictObject(
    {
      minimize: Measured.optional().describe('The output or formula whose lowest mean is sought.'),
      maximize: Measured.optional().describe('The output or formula whose highest mean is sought.'),
      over: z
        .record(InputName, Searched, 'expected input names with their bounds')
        .refine((inputs) => Object.keys(inputs).length > 0, 'expected at least one input')
        .meta({ minProperties: 1 })
        .describe('The allowed values of each input: {min, max}, or a list of values.'),
      where: z
        .string('expected an expression in quotes')
        .optional()
        .describe(
          'Only points for which this expression is true are run, such as "`Contact rate` > `Recovery rate`".',
        ),
      derive,
      require: limits,
      method: z
        .union([z.enum(methods), Outside], `expected ${methods.join(', ')} or {command: [PROGRAM, ARGUMENT]}`)
        .default('auto')
        .describe(
          'gp (a Gaussian process, for few and slow runs), cma (CMA-ES, for many runs), direct (for models without chance), auto, or {command: […]} for your own optimiser.',
        ),
      parallel: count('expected a whole number from 1 to 1,000')
        .max(1_000, 'expected a whole number from 1 to 1,000')
        .default(8)
        .describe('The number of points that are open at once.'),
      order: z
        .enum(['fixed', 'free'], 'expected fixed or free')
        .default('fixed')
        .describe(
          'fixed: the points do not depend on how long runs take. free: the search asks for the next point as soon as any point has finished.',
        ),
      stop: Stop.default({ points: DEFAULT_POINTS }).describe(
        `When the search ends, by default after ${DEFAULT_POINTS} points.`,
      ),
      start: z
        .strictObject(
          {
            campaign: z
              .string('expected the id of a campaign')
              .describe('The id of a campaign of this store.'),
          },
          'expected {campaign: ID}',
        )
        .optional()
        .describe(
          'Begins with the results of another campaign of this store with the same model: {campaign: ID}.',
        ),
      confirm: Confirm.optional().describe(
        'Compares the best points by new replications. Further replications give the value of the winner.',
      ),
    },
    'expected {minimize: OUTPUT, over: {INPUT: {min, max}}}',
  )
  .refine(exactlyOne('minimize', 'maximize'), 'expected either "minimize" or "maximize"')
  .meta({
    id: 'Search',
    description: 'Finds the inputs with the best output, in place of a design.',
    oneOf: [{ required: ['maximize'] }, { required: ['minimize'] }],
  });
export type WrittenSearch = z.infer<typeof SearchSchema>;

export const SelectSchema = z
  .strictObject(
    {
      minimize: Measured.optional().describe('The output or P(…) whose lowest mean is best.'),
      maximize: Measured.optional().describe('The output or P(…) whose highest mean is best.'),
      require: limits,
      indifference: number
        .positive('expected more than 0')
        .optional()
        .describe(
          'A difference that does not matter, in the units of the output. The points are compared until no other point is better by more than this.',
        ),
      confidence: confidence('The confidence of the choice (with an indifference) and of the intervals.'),
      runs: count()
        .max(10_000_000, 'expected at most 10,000,000')
        .optional()
        .describe(
          'The budget of runs, including the first replications. The runs go to the points where they help the comparison most.',
        ),
      report,
    },
    'expected {minimize: OUTPUT, indifference: NUMBER} or {minimize: OUTPUT, runs: NUMBER}',
  )
  .refine(exactlyOne('minimize', 'maximize'), 'expected either "minimize" or "maximize"')
  .refine(exactlyOne('indifference', 'runs'), 'expected either an "indifference" or "runs"')
  .meta({
    id: 'Select',
    description:
      'Finds the best point of the design, and gives more runs to points that are hard to distinguish.',
    allOf: [
      { oneOf: [{ required: ['maximize'] }, { required: ['minimize'] }] },
      { oneOf: [{ required: ['indifference'] }, { required: ['runs'] }] },
    ],
  });
