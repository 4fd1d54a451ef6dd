import { isWholeType } from '../../api/index.ts';
import * as z from 'zod';
import { ForayError, isForayError, type Place } from '../../errors.ts';
import type { Locate } from '../../yaml/yaml.ts';
import { checkNumeric } from './input-types.ts';
import { canonical, checkUnits, type ModelInput } from '../input-values.ts';
import { rounded } from '../rounding.ts';
import type { Listed } from './grid.ts';
import {
  type DesignFacts,
  type GivenInput,
  inputsIn,
  type Kind,
  namesOf,
  newInput,
  type Path,
} from './kind.ts';
import { unchangedAndChanged } from './one-at-a-time.ts';
import { byInput, number, Units } from './schema-values.ts';

/** The share by which an input changes if the design gives none. */
const CHANGE = 0.1;

const Sides = z.strictObject(
  {
    low: number.describe('A value below the value that the input has outside the design.'),
    high: number.describe('A value above the value that the input has outside the design.'),
    units: Units.optional(),
  },
  'expected {low: NUMBER, high: NUMBER}',
);
type Sides = z.infer<typeof Sides>;

const schema = z
  .strictObject(
    {
      change: number
        .gt(0, 'expected more than 0')
        .lt(1, 'expected less than 1')
        .optional()
        .describe('Each input changes by this share of its value, down and up. By default 0.1.'),
      inputs: z
        .union(
          [
            z.array(z.string('expected the name of an input')).min(1, 'expected at least one input'),
            byInput(Sides, 'expected input names with {low, high}'),
          ],
          'expected a list of input names, or input names with {low, high}',
        )
        .describe('The names of inputs, or {INPUT: {low, high}}.'),
    },
    'expected {inputs: …}',
  )
  .refine(
    ({ change, inputs }) => change === undefined || Array.isArray(inputs),
    'expected no "change" where each input has a "low" and a "high"',
  )
  .meta({ dependentSchemas: { change: { properties: { inputs: { type: 'array' } } } } })
  .describe(
    'One unchanged point, then two points for each input: one with a lower and one with a higher value of this input. The other inputs stay the same.',
  );
type Written = z.infer<typeof schema>;

/** `values`: for each input, the canonical values [low, high], one below its base value and one above it. */
type OnePerInput = Listed<'onePerInput'>;

export const onePerInput: Kind<Written, OnePerInput> = {
  title: 'Each one down and up',
  schema,
  resolve(written, facts, path, taken) {
    const { mistakes } = facts;
    const before = mistakes.count;
    const { change = CHANGE, inputs: sides } = written;
    const at = [...path, 'inputs'];
    // the unchanged point has the values of the fixed inputs
    const others = taken.difference(facts.fixed);
    const given = Array.isArray(sides)
      ? listedIn(sides, facts, at, others)
      : inputsIn(sides, facts, at, others);
    const values = given.map((one) => mistakes.attempt(() => sidesOf(one, change, facts)));
    if (mistakes.count > before) return undefined;
    const pairs = values.filter((pair) => pair !== undefined);
    return { kind: 'onePerInput', inputs: namesOf(given), values: pairs };
  },
  rows: unchangedAndChanged,
  size: ({ inputs }) => 1 + 2 * inputs.length,
  isForSensitivity: true,
};

/** The inputs that a list names. An input that the list names again is a mistake. */
function listedIn(
  names: readonly string[],
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): GivenInput<null>[] {
  const takenSoFar = new Set(taken);
  return names.flatMap((name, index) => {
    const at = [...path, index];
    const input = facts.mistakes.attempt(() => newInput(name, facts, facts.locate(at), takenSoFar));
    return input ? [{ input, value: null, path: at }] : [];
  });
}

/** Two values of an input: one below and one above the value that it has outside the design. */
function sidesOf(
  { input, value: sides, path }: GivenInput<Sides | null>,
  change: number,
  { base, locate }: DesignFacts,
): string[] {
  const value = base.find(({ name }) => name === input.name)!.value;
  const hint = 'oneAtATime takes inputs of any type, each with a list of values.';
  checkNumeric(input, 'a number', locate(path), hint);
  return sides
    ? givenSides({ input, value: sides, path }, value, locate)
    : changedSides(input, value, change, locate(path));
}

function givenSides(
  { input, value: sides, path }: GivenInput<Sides>,
  value: string,
  locate: Locate,
): string[] {
  checkUnits(input, sides.units, locate([...path, 'units']));
  const pair = (['low', 'high'] as const).map((side) =>
    canonical(input, sides[side], locate([...path, side])),
  );
  const [low, middle, high] = [Number(pair[0]), Number(value), Number(pair[1])];
  if (low < middle && middle < high) return pair;
  throw new ForayError('INVALID_VALUE', `"${input.name}" is ${value} outside the design.`, {
    place: locate(path),
    hint: 'Give a "low" below this value, and a "high" above it.',
  });
}

/** The values that are a share of the value below and above it. */
function changedSides(input: ModelInput, value: string, change: number, place: Place): string[] {
  const { name, type } = input;
  const written = `"inputs": {${name}: {low: NUMBER, high: NUMBER}}`;
  const size = Math.abs(Number(value));
  if (size === 0) {
    throw new ForayError(
      'INVALID_VALUE',
      `"${name}" has the value 0 outside the design. A share of 0 is 0, so the design cannot change the input.`,
      { place, hint: `Give a low and a high value: ${written}.` },
    );
  }
  const distance = isWholeType(type) ? Math.max(1, Math.round(size * change)) : size * change;
  return [-distance, distance].map((step) => {
    const sum = Number(value) + step;
    const number = isWholeType(type) ? sum : rounded(sum, distance, size);
    try {
      return canonical(input, number, place);
    } catch (error) {
      if (!isForayError(error)) throw error;
      const hint = `${error.hint} Give a smaller "change", or give values: ${written}.`;
      throw new ForayError(error.code, error.message, { place, hint });
    }
  });
}
