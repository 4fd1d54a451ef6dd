import * as z from 'zod';
import { unitNames } from '../../api/index.ts';
import { CONFIDENCE } from '../../statistics/sample.ts';

/** The values of inputs as a person writes them. */

export const Value = z
  .union([z.string(), z.number(), z.boolean()], 'expected a number, a text, true or false')
  .meta({ title: 'value' });

/** A key of a mapping from inputs. The title tells json-schema.ts where editors complete the names of inputs. */
export const InputName = z.string().meta({ title: 'input' });

const outputName = z.string('expected the name of an output');
/** The name of an output, or a formula over outputs. The titles tell a form which outputs the check accepts. */
export const Output = outputName.meta({ title: 'output' });
/** The name of an output that is a number or true or false, or a formula over outputs. */
export const Measured = outputName.meta({ title: 'measure' });
/** The name of an output that is a curve. */
export const Curve = outputName.meta({ title: 'curve' });

export const Units = z
  .union([z.enum(unitNames), z.string()], 'expected units such as SECOND or PER_DAY')
  .meta({
    id: 'Units',
    title: 'units',
    description: 'The units of the numbers. They must be the units of the input.',
  });

export const number = z.number('expected a number');
/** The confidence of intervals or of a choice. */
export function confidence(description: string) {
  return z
    .number('expected a number such as 0.95')
    .gt(0.5, 'expected more than 0.5')
    .lt(1, 'expected less than 1')
    .default(CONFIDENCE)
    .describe(description);
}

export const values = z.array(Value, 'expected a list of values');

/** Numbers at equal distances, or at equal ratios. */
export const Range = z
  .strictObject({
    from: number.describe('The first number.'),
    to: number.describe(
      'The last number. With a step, it is included if a whole number of steps reaches it.',
    ),
    step: number.optional().describe('The distance between two neighbouring numbers.'),
    count: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .optional()
      .describe(
        'The number of values, instead of a step. For an input with whole numbers, the values are rounded.',
      ),
    scale: z
      .enum(['linear', 'log'], 'expected linear or log')
      .optional()
      .describe('With a count: equal distances (linear, the default) or equal ratios (log).'),
    units: Units.optional(),
  })
  .refine(exactlyOne('step', 'count'), 'expected a step or a count')
  .refine(({ step, scale }) => step === undefined || scale === undefined, 'expected a count with a scale')
  .meta({
    id: 'Range',
    oneOf: [{ required: ['step'] }, { required: ['count'] }],
    dependentRequired: { scale: ['count'] },
  });
export type Range = z.infer<typeof Range>;

export const Values = z.union(
  [values, z.strictObject({ values: values.describe('The values.'), units: Units.optional() }), Range],
  'expected a list of values, {from, to, step} or {from, to, count}',
);
export type Values = z.infer<typeof Values>;

/** The most points of a campaign. */
export const MOST_POINTS = 10_000_000;

/** A whole number of points, trajectories or base points. */
export function count(least: number, what?: string) {
  return z
    .int(`expected a whole number${what === undefined ? '' : ` of ${what}`}`)
    .min(least, `expected at least ${least}`)
    .max(MOST_POINTS, `expected at most ${MOST_POINTS.toLocaleString('en')}`);
}

/** Returns a function that says whether exactly one of two settings is given. */
export function exactlyOne<Name extends string>(one: Name, other: Name) {
  return (given: { [Key in Name]?: unknown }): boolean =>
    (given[one] === undefined) !== (given[other] === undefined);
}

/** A mapping from names of inputs. */
export function byInput<S extends z.ZodType>(schema: S, what = 'expected input names with their values') {
  return z
    .record(InputName, schema, what)
    .refine(
      (inputs) => Object.keys(inputs).length > 0,
      'expected at least one input; without a design there is one point',
    )
    .meta({ minProperties: 1 });
}
