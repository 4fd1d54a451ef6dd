import * as z from 'zod';
import { number, Units, values } from './schema-values.ts';

/** The required and optional parameters of each distribution. */
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
    .describe('The distribution. By default it is uniform, or choice if there are values.'),
  min: number.optional().describe('The least value. A normal distribution is cut off there.'),
  max: number.optional().describe('The greatest value. A normal distribution is cut off there.'),
  mean: number.optional().describe('The mean of the distribution before it is cut off.'),
  sd: number.positive('expected more than 0').optional().describe('The standard deviation.'),
  mode: number.optional().describe('The likeliest value.'),
  values: values.min(1, 'expected at least one value').optional().describe('The values to choose from.'),
  weights: z
    .array(number.nonnegative('expected no less than 0'), 'expected a list of numbers')
    .optional()
    .describe('The relative probability of each value. By default all values are equally likely.'),
  units: Units.optional(),
});

/** The distribution that a definition names or implies. */
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

/** The part of the check above that JSON Schema can express: the parameters of each distribution. */
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

/** The distribution of an input, or a list of equally likely values. */
export const Spread = z.union(
  [values.min(1, 'expected at least one value'), Described.meta({ id: 'Distribution', anyOf: shapes })],
  'expected a list of values, {min, max} or {distribution: …}',
);
export type Spread = z.infer<typeof Spread>;
