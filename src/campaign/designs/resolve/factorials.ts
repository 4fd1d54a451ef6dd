import { ForayError, isForayError } from '../../../errors.ts';
import { canonical, checkUnits } from '../../input-values.ts';
import { rounded } from '../../rounding.ts';
import { type Design, type FactorGenerator, NO_DESIGN } from '../resolved-design.ts';
import { fractionOf } from '../fraction.ts';
import { isNumeric, isWhole } from '../input-types.ts';
import type { Sides, WrittenFactorial, WrittenOnePerInput } from '../schema-factorials.ts';
import { type DesignFacts, type GivenInput, inputsIn, namesOf, newInput, type Path } from './inputs.ts';
import { distinctValuesOf } from './value-lists.ts';

/** The most inputs of a fraction. Each has a letter in the defining relation. */
const MOST_FACTORS = 25;
const CHANGE = 0.1;

/** Resolves a factorial: all combinations of values, or a fraction of them if each input has two values. */
export function resolveFactorial(
  { inputs: written, resolution }: WrittenFactorial,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { locate, mistakes } = facts;
  const before = mistakes.count;
  const given = inputsIn(written, facts, [...path, 'inputs'], taken);
  const values = given.map((one) => mistakes.attempt(() => levelsOf(one, resolution !== undefined, facts)));
  if (mistakes.count > before) return NO_DESIGN;
  const inputs = namesOf(given);
  const levels = values.filter((list) => list !== undefined);
  if (resolution === undefined) {
    return { kind: 'factorial', inputs, values: levels, generators: inputs.map(() => null) };
  }
  if (inputs.length > MOST_FACTORS) {
    throw new ForayError('INVALID_VALUE', `The design varies ${inputs.length} inputs.`, {
      place: locate([...path, 'inputs'], 'key'),
      hint: `A fractional factorial takes at most ${MOST_FACTORS} inputs; morris takes any number.`,
    });
  }
  const columns = fractionOf(inputs.length, resolution);
  if (!columns) {
    throw new ForayError(
      'INVALID_VALUE',
      `No fraction of the combinations of ${inputs.length} inputs has resolution ${resolution}.`,
      {
        place: locate([...path, 'resolution']),
        hint: 'Leave "resolution" out for all combinations, or give a lower resolution.',
      },
    );
  }
  return { kind: 'factorial', inputs, values: levels, generators: columns.map(generatorOf) };
}

/** The canonical values of an input of a factorial. */
function levelsOf(
  { input, value, path }: GivenInput<WrittenFactorial['inputs'][string]>,
  isTwoLevel: boolean,
  facts: DesignFacts,
): string[] {
  const before = facts.mistakes.count;
  const values = distinctValuesOf(input, value, facts, path);
  if (facts.mistakes.count > before) return values;
  if (values.length === 2 || (values.length > 2 && !isTwoLevel)) return values;
  const counted = values.length === 1 ? 'one value' : `${values.length} values`;
  throw new ForayError('INVALID_VALUE', `"${input.name}" has ${counted}.`, {
    place: facts.locate(path),
    hint: isTwoLevel
      ? 'In a factorial with a resolution each input has two values.'
      : 'In a factorial each input has at least two values.',
  });
}

/** The places of the basic inputs in a column; null for a basic input itself. Bit i stands for basic input i. */
function generatorOf(column: number): FactorGenerator | null {
  const of = Array.from({ length: MOST_FACTORS }, (_, at) => at).filter((at) => (column >>> at) & 1);
  return of.length > 1 ? { of, sign: 1 } : null;
}

/** Resolves a design that changes each input to a value below and a value above its own. */
export function resolveOnePerInput(
  written: WrittenOnePerInput,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { mistakes } = facts;
  const before = mistakes.count;
  const { change = CHANGE, inputs: sides } = written;
  const at = [...path, 'inputs'];
  const given = Array.isArray(sides) ? listedIn(sides, facts, at, taken) : inputsIn(sides, facts, at, taken);
  const values = given.map((one) => mistakes.attempt(() => sidesOf(one, change, facts)));
  if (mistakes.count > before) return NO_DESIGN;
  const pairs = values.filter((pair) => pair !== undefined);
  return { kind: 'onePerInput', inputs: namesOf(given), values: pairs };
}

/** The inputs that a list names. An input that the list names again is a mistake. */
function listedIn(
  names: readonly string[],
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): GivenInput<null>[] {
  const all = new Set(taken);
  return names.flatMap((name, index) => {
    const at = [...path, index];
    const input = facts.mistakes.attempt(() => newInput(name, facts, facts.locate(at), all));
    return input ? [{ input, value: null, path: at }] : [];
  });
}

/** Two values of an input: one below and one above the value that it has outside the design. */
function sidesOf(
  { input, value: sides, path }: GivenInput<Sides | null>,
  change: number,
  { base, locate }: DesignFacts,
): string[] {
  const { name, type } = input;
  const value = base.find((one) => one.name === name)!.value;
  if (!isNumeric(type)) {
    throw new ForayError('INVALID_VALUE', `The input "${name}" takes ${type}, not a number.`, {
      place: locate(path),
      hint: 'oneAtATime takes inputs of any type, each with a list of values.',
    });
  }
  if (sides) {
    checkUnits(input, sides.units, locate([...path, 'units']));
    const pair = (['low', 'high'] as const).map((side) =>
      canonical(input, sides[side], locate([...path, side])),
    );
    const [low, middle, high] = [Number(pair[0]), Number(value), Number(pair[1])];
    if (low < middle && middle < high) return pair;
    throw new ForayError('INVALID_VALUE', `"${name}" is ${value} outside the design.`, {
      place: locate(path),
      hint: 'Give a "low" below this value, and a "high" above it.',
    });
  }
  const shares = `{${name}: {low: NUMBER, high: NUMBER}}`;
  const size = Math.abs(Number(value));
  if (size === 0) {
    throw new ForayError(
      'INVALID_VALUE',
      `"${name}" has the value 0 outside the design. A share of 0 is 0, so the design cannot change the input.`,
      { place: locate(path), hint: `Give a low and a high value: "inputs": ${shares}.` },
    );
  }
  const distance = isWhole(type) ? Math.max(1, Math.round(size * change)) : size * change;
  return [-distance, distance].map((step) => {
    const sum = Number(value) + step;
    const number = isWhole(type) ? sum : rounded(sum, distance, size);
    try {
      return canonical(input, number, locate(path));
    } catch (error) {
      if (!isForayError(error)) throw error;
      throw new ForayError(error.code, error.message, {
        place: locate(path),
        hint: `${error.hint} Give a smaller "change", or give values: "inputs": ${shares}.`,
      });
    }
  });
}
