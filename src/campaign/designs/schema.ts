import { z } from 'zod';
import { unitNames } from '../../api/index.ts';

/** The shape of a design as a person writes it. Never imported by a workflow: zod would double the bundle. */

export const Value = z
  .union([z.string(), z.number(), z.boolean()], 'expected a number, a text, true or false')
  .meta({ title: 'value' });

export const Units = z.enum(unitNames, 'expected units such as SECOND or PER_DAY').meta({
  id: 'Units',
  description: "The units that the numbers are in: the input's own, or it is an error.",
});

const number = z.number('expected a number');
const values = z.array(Value, 'expected a list of values');

/** Numbers at equal distances, or at equal ratios. */
export const Range = z
  .strictObject({
    from: number.describe('The first number.'),
    to: number.describe('The last one; with a step it is there when a whole number of steps reaches it.'),
    step: number.optional().describe('The distance between two.'),
    count: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .optional()
      .describe('How many there are, instead of a step. Of a whole-number input the nearest whole numbers.'),
    scale: z
      .enum(['linear', 'log'], 'expected linear or log')
      .optional()
      .describe('With a count: at equal distances (linear, the default) or at equal ratios (log).'),
    units: Units.optional(),
  })
  .refine(({ step, count }) => (step === undefined) !== (count === undefined), 'expected a step or a count')
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

function byInput<S extends z.ZodType>(schema: S, what = 'expected input names with their values') {
  return z
    .record(z.string(), schema, what)
    .refine(
      (inputs) => Object.keys(inputs).length > 0,
      'expected at least one input; without a design there is one point',
    )
    .meta({ minProperties: 1 });
}

/** What each distribution needs and takes. */
export const parameters = {
  uniform: { needs: ['min', 'max'], takes: [] },
  'log-uniform': { needs: ['min', 'max'], takes: [] },
  normal: { needs: ['mean', 'sd'], takes: ['min', 'max'] },
  triangular: { needs: ['min', 'mode', 'max'], takes: [] },
  choice: { needs: ['values'], takes: ['weights'] },
} as const;
export type DistributionName = keyof typeof parameters;
const distributions = Object.keys(parameters) as [DistributionName, ...DistributionName[]];

const Written = z.strictObject({
  distribution: z
    .enum(distributions, `expected ${distributions.join(', ')}`)
    .optional()
    .describe('The distribution; by default uniform, or choice where values are given.'),
  min: number.optional().describe('The least value; of a normal distribution, where it is cut off.'),
  max: number.optional().describe('The greatest value; of a normal distribution, where it is cut off.'),
  mean: number.optional().describe('The mean, before it is cut off.'),
  sd: number.positive('expected more than 0').optional().describe('The standard deviation.'),
  mode: number.optional().describe('The likeliest value.'),
  values: values.min(1, 'expected at least one value').optional().describe('The values to choose from.'),
  weights: z
    .array(number.nonnegative('expected no less than 0'), 'expected a list of numbers')
    .optional()
    .describe('How likely each value is, relative to the others; by default all alike.'),
  units: Units.optional(),
});

/** The distribution that a person means. */
export function distributionOf({ distribution, values }: z.infer<typeof Written>): DistributionName {
  return distribution ?? (values ? 'choice' : 'uniform');
}

const Described = Written.check(({ value, issues }) => {
  const name = distributionOf(value);
  const { needs, takes }: { needs: readonly string[]; takes: readonly string[] } = parameters[name];
  const complain = (message: string): void => {
    issues.push({ code: 'custom', message, input: value });
  };
  const missing = needs.find((parameter) => value[parameter as 'min'] === undefined);
  if (missing !== undefined) return complain(`expected "${missing}": ${name} needs ${needs.join(', ')}`);
  const given = Object.keys(value).filter((key) => key !== 'distribution' && key !== 'units');
  const other = given.find((key) => !needs.includes(key) && !takes.includes(key));
  if (other !== undefined)
    return complain(`expected no "${other}": ${name} takes ${[...needs, ...takes].join(', ')}`);
  const { min, max, mode, weights } = value;
  if (min !== undefined && max !== undefined && min >= max) return complain('expected "min" below "max"');
  if (name === 'log-uniform' && min! <= 0) return complain('expected "min" above 0');
  if (name === 'triangular' && (mode! < min! || mode! > max!))
    return complain('expected "mode" between "min" and "max"');
  if (weights && weights.length !== value.values!.length)
    return complain(`expected a weight for each of the ${value.values!.length} values`);
  if (weights && !weights.some((weight) => weight > 0)) return complain('expected a weight above 0');
  if (weights && !Number.isFinite(weights.reduce((sum, weight) => sum + weight)))
    return complain('expected smaller weights');
});

/** What of the check above a JSON Schema can say: which parameters come with which distribution. */
const shapes = distributions.map((name) => {
  const { needs, takes }: { needs: readonly string[]; takes: readonly string[] } = parameters[name];
  const others = Object.keys(Written.shape).filter(
    (key) => ![...needs, ...takes, 'distribution', 'units'].includes(key),
  );
  const isDefault = name === 'uniform' || name === 'choice';
  return {
    properties: { distribution: { const: name }, ...Object.fromEntries(others.map((key) => [key, false])) },
    required: [...(isDefault ? [] : ['distribution']), ...needs],
  };
});

/** How the values of an input are spread: a distribution, or a list, of which each value is as likely. */
export const Spread = z.union(
  [values.min(1, 'expected at least one value'), Described.meta({ id: 'Distribution', anyOf: shapes })],
  'expected a list of values, {min, max} or {distribution: …}',
);
export type Spread = z.infer<typeof Spread>;

export const MOST_POINTS = 10_000_000;

const sample = {
  points: z
    .int('expected a whole number of points')
    .min(1, 'expected at least 1')
    .max(MOST_POINTS, `expected at most ${MOST_POINTS.toLocaleString('en')}`)
    .describe('How many points are drawn.'),
  inputs: byInput(Spread, 'expected input names with their distributions').describe(
    'How each input is spread: {min, max}, a list of values, or {distribution: …}.',
  ),
  seed: z
    .int('expected a whole number')
    .optional()
    .describe("The seed of the points; by default the campaign's, or 0."),
};
const SAMPLE = 'expected {points: NUMBER, inputs: …}';
const Sample = z.strictObject(sample, SAMPLE);
const Sequence = z.strictObject(
  {
    ...sample,
    scramble: z
      .boolean('expected true or false')
      .default(true)
      .describe('Randomised by the seed, the evenness kept; false gives the plain sequence.'),
  },
  SAMPLE,
);

/** The kinds of design, of which each one has exactly one. */
export const kinds = [
  'grid',
  'zip',
  'points',
  'oneAtATime',
  'random',
  'lhs',
  'sobol',
  'halton',
  'product',
  'union',
] as const;
export type Kind = (typeof kinds)[number];

const EXPRESSION = 'expected an expression in quotes';

export const Design = z
  .strictObject(
    {
      grid: byInput(Values)
        .optional()
        .describe('Every combination of the values of the inputs; the last input varies fastest.'),
      zip: byInput(Values)
        .optional()
        .describe('The first values of all inputs, then the second ones: as many of each.'),
      points: z
        .union(
          [
            z.string(),
            z
              .array(z.record(z.string(), Value, 'expected input names with their values'))
              .min(1, 'expected at least one point'),
          ],
          'expected the path of a CSV or JSON Lines file, or a list of points',
        )
        .optional()
        .describe(
          'A list of points, each {INPUT: VALUE, …}, or the path of a file, relative to the definition: CSV with the ' +
            'names of inputs in its first line, or JSON Lines (.jsonl), an object a line.',
        ),
      oneAtATime: byInput(Values)
        .optional()
        .describe('A point without changes, then each input through its values while the others stay.'),
      random: Sample.optional().describe('Points drawn independently.'),
      lhs: Sample.optional().describe(
        'A Latin hypercube: of each input, one value in each of as many equally likely strata as there are points. ' +
          'Another number of points is another design.',
      ),
      sobol: Sequence.optional().describe(
        'The first points of a Sobol sequence; 2, 4, 8, 16 … of them are evenest.',
      ),
      halton: Sequence.optional().describe('The first points of a Halton sequence.'),
      get product(): z.ZodOptional<z.ZodArray<typeof InnerDesign>> {
        return z
          .array(InnerDesign, 'expected a list of designs')
          .min(1, 'expected at least one design')
          .optional()
          .describe('Every combination of the points of designs over different inputs.');
      },
      get union(): z.ZodOptional<z.ZodArray<typeof InnerDesign>> {
        return z
          .array(InnerDesign, 'expected a list of designs')
          .min(1, 'expected at least one design')
          .optional()
          .describe('The points of designs one after the other; a point that is there twice counts once.');
      },
      where: z
        .string(EXPRESSION)
        .optional()
        .describe(
          'Keeps the points for which it holds: an expression such as "`Contact rate` > `Recovery rate`".',
        ),
      derive: byInput(z.string(EXPRESSION), 'expected input names with expressions')
        .optional()
        .describe('Inputs that are computed from others: {INPUT: "expression"}, one after the other.'),
    },
    `expected {${kinds.join(' | ')}: …}`,
  )
  .refine(
    (design) => kinds.filter((kind) => design[kind] !== undefined).length === 1,
    `expected one of ${kinds.join(', ')}; product and union combine several`,
  )
  .meta({
    id: 'Design',
    description:
      'The points: one kind of design, with where and derive. Without a design there is one point.',
    oneOf: kinds.map((kind) => ({ required: [kind] })),
  });
/** A design within a design, which TypeScript cannot find out by itself. */
const InnerDesign = Design as z.ZodType<WrittenDesign, WrittenDesign>;

export interface WrittenSample {
  points: number;
  inputs: Record<string, Spread>;
  seed?: number | undefined;
  scramble?: boolean | undefined;
}

/** A design as a person writes it. */
export interface WrittenDesign {
  grid?: Record<string, Values> | undefined;
  zip?: Record<string, Values> | undefined;
  points?: string | Record<string, string | number | boolean>[] | undefined;
  oneAtATime?: Record<string, Values> | undefined;
  random?: WrittenSample | undefined;
  lhs?: WrittenSample | undefined;
  sobol?: WrittenSample | undefined;
  halton?: WrittenSample | undefined;
  product?: WrittenDesign[] | undefined;
  union?: WrittenDesign[] | undefined;
  where?: string | undefined;
  derive?: Record<string, string> | undefined;
}
