import { allowedText, type RawValue } from '../../../api/index.ts';
import { ForayError, type Place } from '../../../errors.ts';
import { type Distribution, massWithin } from '../../sampling/distributions.ts';
import { MOST_INPUTS, type SamplingMethod } from '../../sampling/unit-points.ts';
import { canonical, checkUnits, kindOf, type ModelInput } from '../../input-values.ts';
import { type Design, NO_DESIGN, type SpreadInput } from '../resolved-design.ts';
import { isNumeric, isWhole } from '../input-types.ts';
import { distributionOf, type Spread } from '../schema-distributions.ts';
import type { WrittenSample } from '../schema-samples.ts';
import { type DesignFacts, inputsIn, type Path } from './inputs.ts';

/** At least this share of a normal distribution must lie between its limits. */
const LEAST_MASS = 1e-290;
/** A draw from a normal distribution without limits is nearer to the mean than this, in standard deviations. */
const SPREAD = 9;

/** Resolves a sample: the distributions of its inputs, and the method that draws its points. */
export function resolveSample(
  method: SamplingMethod,
  written: WrittenSample,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const count = Object.keys(written.inputs).length;
  const most = method === 'sobol' || method === 'halton' ? MOST_INPUTS : Infinity;
  if (count > most) {
    throw new ForayError('INVALID_VALUE', `The design varies ${count} inputs.`, {
      place: facts.locate([...path, 'inputs'], 'key'),
      hint: `${method} takes at most ${most} inputs; lhs and random take any number.`,
    });
  }
  const { points, seed = facts.seed, scramble = true } = written;
  const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
  if (!inputs) return NO_DESIGN;
  const unbounded = inputs.find(
    ({ distribution: { kind, ...rest } }) => kind === 'normal' && !('min' in rest),
  );
  if (!scramble && unbounded && (method === 'sobol' || method === 'halton')) {
    throw new ForayError(
      'INVALID_VALUE',
      `The plain sequence begins at 0, but the distribution of "${unbounded.name}" has no lower end.`,
      {
        place: facts.locate([...path, 'scramble']),
        hint: 'Give its distribution a "min", or leave "scramble" out.',
      },
    );
  }
  return { kind: 'sample', method, points, seed, scramble, inputs };
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
    return { name, isWhole: isWhole(type), distribution };
  };
  if (Array.isArray(written)) return choice(written, path);
  checkUnits(input, written.units, locate([...path, 'units']));
  const kind = distributionOf(written);
  if (kind === 'choice') return choice(written.values!, [...path, 'values'], written.weights);
  if (!isNumeric(type)) {
    throw new ForayError(
      'INVALID_VALUE',
      `The input "${name}" takes ${type}, not a distribution of numbers.`,
      { place, hint: 'Give a list of values.' },
    );
  }
  if (input.values) {
    throw new ForayError('INVALID_VALUE', `The input "${name}" takes only listed numbers.`, {
      place,
      hint: `Give a list of values. The input takes ${kindOf(input)}.`,
    });
  }
  const { min, max, mean, sd, mode } = written;
  if (isWhole(type)) {
    if (min !== undefined && max !== undefined && Math.floor(max) < Math.ceil(min)) {
      throw new ForayError('INVALID_VALUE', `There is no whole number between ${min} and ${max}.`, {
        place,
        hint: `The input "${name}" takes ${type}.`,
      });
    }
  }
  // an end without a limit counts as nine standard deviations from the mean
  const reach = SPREAD * (sd ?? 0);
  const [least, most] = [min ?? mean! - reach, max ?? mean! + reach];
  if (!Number.isFinite(most - least)) {
    throw new ForayError('INVALID_VALUE', `The values of "${name}" are spread too widely.`, {
      place,
      hint: 'Numbers and the differences between them can be at most 1.8e308.',
    });
  }
  const [lowest, highest] = isWhole(type) ? [Math.ceil(least), Math.floor(most)] : [least, most];
  if (kind === 'normal') checkTails(input, { min, max }, place);
  for (const bound of [lowest, highest]) canonical(input, bound, place);
  const distribution = Object.fromEntries(
    Object.entries({ kind, min, max, mean, sd, mode }).filter(([, value]) => value !== undefined),
  ) as unknown as Distribution;
  if (distribution.kind === 'normal' && massWithin(distribution) < LEAST_MASS) {
    throw new ForayError(
      'INVALID_VALUE',
      `No part of the normal distribution of "${name}" is between its limits.`,
      {
        place,
      },
    );
  }
  return { name, isWhole: isWhole(type), distribution };
}

/** A normal distribution has no limits of its own, so a definition must give them if the model has limits. */
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
