import * as z from 'zod';
import { allowedText, isWholeType, type RawValue } from '../../api/index.ts';
import { ForayError, type Place } from '../../errors.ts';
import { checkNumeric } from './input-types.ts';
import { canonical, checkUnits, type ModelInput, typeAndLimits } from '../input-values.ts';
import {
  choose,
  type Distribution,
  LEAST_MASS,
  massWithin,
  quantile,
  wholeQuantile,
} from '../sampling/distributions.ts';
import { type DesignFacts, inputsIn, type Path } from './kind.ts';
import { byInput, number, Units, values } from './schema-values.ts';

/** The distributions of inputs: as a person writes them, checked, and drawn. */

/** An input of a sample, its distribution, and whether it takes only whole numbers. */
export interface SpreadInput {
  name: string;
  isWhole: boolean;
  distribution: Distribution;
}

/** A draw from a normal distribution without limits is nearer to the mean than this, in standard deviations. */
const NORMAL_REACH = 9;

/** The required and optional parameters of each distribution. */
export const parameters = {
  uniform: { needs: ['min', 'max'], takes: [] },
  'log-uniform': { needs: ['min', 'max'], takes: [] },
  normal: { needs: ['mean', 'sd'], takes: ['min', 'max'] },
  triangular: { needs: ['min', 'mode', 'max'], takes: [] },
  choice: { needs: ['values'], takes: ['weights'] },
} as const;
type DistributionName = keyof typeof parameters;
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

/** The settings of each kind of design that draws its points. */
export const drawnSettings = {
  inputs: byInput(Spread, 'expected input names with their distributions').describe(
    'The distribution of each input: {min, max}, a list of values, or {distribution: …}.',
  ),
  seed: z
    .int('expected a whole number')
    .optional()
    .describe(
      'The seed of the points. By default it is the seed of the campaign, or 0 if the campaign has none.',
    ),
};
/** What to do instead of leaving points out of a design whose analysis needs all of them. */
export const ALL_POINTS_NEEDED =
  'Its analysis needs all points. Choose limits of the inputs within which the model can run each point.';

/** The message for a wrong shape. A setting for correlated inputs gets the message that they are not supported. */
export function expecting(shape: string): { error: (issue: { code: string; keys?: string[] }) => string } {
  return {
    error: ({ keys = [] }) =>
      keys.some((key) => /correlat/i.test(key))
        ? 'foray cannot draw correlated inputs: these designs assume that each input is independent of the others.'
        : shape,
  };
}

/** The distributions of inputs; undefined if they have mistakes. */
export function resolveSpread(
  written: Record<string, Spread>,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): SpreadInput[] | undefined {
  const { mistakes } = facts;
  const before = mistakes.count;
  const spread = inputsIn(written, facts, path, taken).map(({ input, value, path: at }) =>
    mistakes.attempt(() => spreadInput(input, value, facts, at)),
  );
  return mistakes.count > before ? undefined : spread.filter((input) => input !== undefined);
}

function spreadInput(
  input: ModelInput,
  written: Spread,
  { locate, mistakes }: Pick<DesignFacts, 'locate' | 'mistakes'>,
  path: PropertyKey[],
): SpreadInput {
  const { name, type } = input;
  const place = locate(path);
  const choice = (values: readonly RawValue[], at: PropertyKey[], weights?: number[]): SpreadInput => {
    const texts = values.map(
      (value, index) => mistakes.attempt(() => canonical(input, value, locate([...at, index]))) ?? '',
    );
    const distribution = { kind: 'choice' as const, values: texts, ...(weights && { weights }) };
    return { name, isWhole: isWholeType(type), distribution };
  };
  if (Array.isArray(written)) return choice(written, path);
  checkUnits(input, written.units, locate([...path, 'units']));
  const kind = distributionOf(written);
  if (kind === 'choice') return choice(written.values!, [...path, 'values'], written.weights);
  checkNumeric(input, 'a distribution of numbers', place);
  const wrong = (message: string, hint?: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place, hint });
  if (input.values)
    throw wrong(
      `The input "${name}" takes only listed numbers.`,
      `Give a list of values. The input takes ${typeAndLimits(input)}.`,
    );
  const { min, max, mean, sd, mode } = written;
  if (isWholeType(type) && min !== undefined && max !== undefined && Math.floor(max) < Math.ceil(min))
    throw wrong(`There is no whole number between ${min} and ${max}.`, `The input "${name}" takes ${type}.`);
  const reach = NORMAL_REACH * (sd ?? 0);
  const [from, to] = [min ?? mean! - reach, max ?? mean! + reach];
  if (!Number.isFinite(to - from))
    throw wrong(
      `The values of "${name}" are spread too widely.`,
      'Numbers and the differences between them can be at most 1.8e308.',
    );
  if (kind === 'normal') checkTails(input, { min, max }, place);
  const ends = isWholeType(type) ? [Math.ceil(from), Math.floor(to)] : [from, to];
  for (const end of ends) canonical(input, end, place);
  const distribution = Object.fromEntries(
    Object.entries({ kind, min, max, mean, sd, mode }).filter(([, value]) => value !== undefined),
  ) as unknown as Distribution;
  if (distribution.kind === 'normal' && massWithin(distribution) < LEAST_MASS)
    throw wrong(`No part of the normal distribution of "${name}" is between its limits.`);
  return { name, isWhole: isWholeType(type), distribution };
}

/** A normal distribution has no limits of its own: the definition must give those that the model has. */
function checkTails(input: ModelInput, { min, max }: Pick<ModelInput, 'min' | 'max'>, place: Place): void {
  const missing = [
    ...(input.min !== undefined && min === undefined ? ['min'] : []),
    ...(input.max !== undefined && max === undefined ? ['max'] : []),
  ];
  if (missing.length === 0) return;
  const range = input.min !== undefined && input.max !== undefined ? 'from ' : 'of ';
  const values = `values ${range}${allowedText(input)}`;
  throw new ForayError('INVALID_VALUE', `The model allows only ${values} for "${input.name}".`, {
    place,
    hint: `Give the distribution a ${missing.map((name) => `"${name}"`).join(' and a ')}.`,
  });
}

/** Converts a row of unit coordinates to canonical values, one for each input. */
export function drawnRow(inputs: readonly SpreadInput[], unit: readonly number[]): string[] {
  return inputs.map((input, at) => drawn(input, unit[at]!));
}

function drawn({ isWhole, distribution }: SpreadInput, u: number): string {
  if (distribution.kind === 'choice') return choose(distribution, u);
  return String((isWhole ? wholeQuantile : quantile)(distribution, u));
}

/** The values that choices list. */
export function levelsOfChoices({
  inputs,
}: {
  inputs: SpreadInput[];
}): (readonly [string, readonly string[]])[] {
  return inputs.flatMap(({ name, distribution }) =>
    distribution.kind === 'choice' ? [[name, distribution.values] as const] : [],
  );
}

/** The names of the inputs whose values are drawn from a distribution of numbers, and not from a list of values. */
export function numericInputs({ inputs }: { inputs: SpreadInput[] }): string[] {
  return inputs.filter(({ distribution }) => distribution.kind !== 'choice').map(({ name }) => name);
}
