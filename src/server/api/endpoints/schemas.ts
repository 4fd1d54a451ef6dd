import * as z from 'zod';

/** The path of one campaign. */
export const CAMPAIGN = '/campaigns/:id';

/** A parameter that is true if it has no value. */
export const flag = z
  .enum(['', 'true', 'false', '1', '0'], 'expected true or false')
  .transform((text) => text !== 'false' && text !== '0')
  .optional();
/** A parameter that may be given several times. */
export const texts = z
  .union([z.string(), z.array(z.string())], 'expected a text')
  .transform((given) => [given].flat())
  .optional();
export const oneOf = <const T extends readonly string[]>(names: T) =>
  z.enum(names, `expected one of ${names.join(', ')}`);
export function whole(least: number, most: number) {
  const message = `expected a whole number from ${least} to ${most.toLocaleString('en-US')}`;
  return z.coerce.number(message).int(message).min(least, message).max(most, message);
}

export const RunCounts = z.looseObject({ total: z.number(), done: z.number(), failed: z.number() });
export const Status = z.looseObject({
  id: z.string(),
  name: z.string(),
  phase: z.string(),
  blocked: z.string().nullable(),
  model: z.string(),
  modelVersion: z.number(),
  question: z.enum(['try', 'best', 'matter', 'fit']),
  points: z.number(),
  runs: RunCounts,
  window: z.number().nullable(),
  rate: z.number().nullable().describe('runs a second'),
  secondsLeft: z.number().nullable(),
  concurrency: z.union([z.number(), z.literal('auto')]).nullable(),
  submitted: z.string().describe('ISO 8601'),
  source: z.enum(['workflow', 'store']),
  asOf: z.string().describe('ISO 8601'),
  owner: z.string().nullable(),
  note: z.string(),
});
export const Listed = Status.extend({
  best: z.number().nullable().describe('the best value of the goal; null while it is not known'),
});
export const Submitted = z.looseObject({
  id: z.string(),
  isNew: z.boolean(),
  points: z.number(),
  runs: z.number(),
  warning: z.string(),
});
export const Change = z.looseObject({ forgiven: z.number(), open: z.number(), wasClosed: z.boolean() });
export const Row = z.record(z.string(), z.unknown());
export const AnyObject = z.looseObject({});

export const Reason = z
  .strictObject({ reason: z.string().max(1_000, 'expected at most 1,000 characters').optional() })
  .optional();
export const reportQuery = z.strictObject({
  show: texts,
  maximize: z.string().optional(),
  minimize: z.string().optional(),
});
export const tableQuery = z.strictObject({
  long: flag.describe('one row per value of a run'),
  points: flag.describe('one row per point'),
  all: flag.describe('adds the columns run, origin, requested, finished'),
  show: texts.describe('with points: an output or a formula; may be given again'),
  inputs: z
    .record(z.string(), z.string('expected one text'), 'expected inputs[NAME]=VALUES')
    .optional()
    .describe(
      'inputs[NAME]=1.2..1.8, where an end may be left out, or inputs[NAME]=1,2,3; an item in quotes may have commas: inputs[NAME]="B, C",A',
    ),
});
