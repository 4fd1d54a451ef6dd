import * as z from 'zod';
import { ForayError } from '../../errors.ts';
import { fractionOf, wordLengths } from './fraction.ts';
import { levelsOfLists } from './grid.ts';
import { type DesignFacts, type GivenInput, inputsIn, type Kind, namesOf } from './kind.ts';
import { byInput, Values } from './schema-values.ts';
import { distinctValuesOf } from './value-lists.ts';

/** The most inputs of a fraction. Each has a letter in the defining relation. */
const MOST_FACTORS = 25;

const schema = z
  .strictObject(
    {
      inputs: byInput(Values).describe(
        'At least two values of each input. With a resolution, exactly two values of each input.',
      ),
      resolution: z
        .int('expected a whole number')
        .min(3, 'expected at least 3')
        .max(8, 'expected at most 8')
        .optional()
        .describe(
          'Takes the smallest regular fraction with at least this resolution instead of all combinations.',
        ),
    },
    'expected {inputs: …}',
  )
  .describe(
    'Every combination of two or more values of each input, or a regular fraction if each input has two values.',
  );
type Written = z.infer<typeof schema>;

/**
 * All combinations of two or more values of each input. With two values of each input, it can also be a regular
 * fraction of all combinations.
 */
export interface Factorial {
  kind: 'factorial';
  inputs: string[];
  /**
   * Canonical values of each input. If there are two, the first is the low level (-1) and the second is the high level
   * (+1).
   */
  values: string[][];
  /**
   * One entry for each input. A basic input has null and takes all its values. The level of any other input is the
   * product of the levels (-1 or +1) of some basic inputs, times the sign. `of` has the places of these basic inputs in
   * `inputs`.
   */
  generators: (FactorGenerator | null)[];
}
interface FactorGenerator {
  of: number[];
  sign: 1 | -1;
}

export const factorial: Kind<Written, Factorial> = {
  title: 'Factorial',
  schema,
  resolve({ inputs: written, resolution }, facts, path, taken) {
    const { locate, mistakes } = facts;
    const before = mistakes.count;
    const given = inputsIn(written, facts, [...path, 'inputs'], taken);
    const values = given.map((one) => mistakes.attempt(() => levelsOf(one, resolution !== undefined, facts)));
    if (mistakes.count > before) return undefined;
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
  },
  // each point of a full factorial has a meaning without the others
  needsAllPoints: ({ resolution }) =>
    resolution === undefined
      ? undefined
      : {
          name: 'fractional factorial',
          hint: 'The effects of inputs can be distinguished only with all points of the fraction. A factorial without "resolution" may have "where".',
        },
  rows: factorialRows,
  size: combinationsOf,
  levels: levelsOfLists,
  about: (design) => [fractionText(design) ?? []].flat(),
  isForSensitivity: true,
};

/** The rows of a factorial. The last basic input (an input that is not a product of others) varies fastest. */
export function* factorialRows({ values, generators }: Factorial): Generator<string[]> {
  const basic = values.flatMap((_, at) => (generators[at] ? [] : [at]));
  const places = values.map(() => 0);
  for (;;) {
    yield values.map((list, at) => {
      const generator = generators[at];
      if (!generator) return list[places[at]!]!;
      const lowLevels = generator.of.filter((other) => places[other] === 0).length;
      const level = lowLevels % 2 === 0 ? generator.sign : -generator.sign;
      return list[level === 1 ? 1 : 0]!;
    });
    const advanced = basic.findLast((at) => places[at]! < values[at]!.length - 1);
    if (advanced === undefined) return;
    places[advanced]! += 1;
    for (const at of basic) if (at > advanced) places[at] = 0;
  }
}

function levelsOf(
  { input, value, path }: GivenInput<Written['inputs'][string]>,
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

/**
 * The generator of a column of a fraction; null for a basic input. Bit i of the column stands for basic input i, which is
 * at place i, because `fractionOf` has the basic inputs first.
 */
function generatorOf(column: number): FactorGenerator | null {
  const of = Array.from({ length: MOST_FACTORS }, (_, at) => at).filter((at) => (column >>> at) & 1);
  return of.length > 1 ? { of, sign: 1 } : null;
}

/** The number of points of a factorial: all combinations of its basic inputs. */
function combinationsOf({ values, generators }: Factorial): number {
  return values.reduce((product, { length }, at) => (generators[at] ? product : product * length), 1);
}

/** Inputs whose product (as -1 and +1) is the same at all points of a fraction. */
interface EqualProduct {
  /** The places of these inputs, ascending. */
  of: number[];
  sign: 1 | -1;
}

/**
 * The words of the defining relation of a fraction, the shortest first. With p generated inputs (inputs that are
 * products of other inputs) there are 2^p - 1 words.
 */
export function definingRelation({ generators }: Factorial): EqualProduct[] {
  const words: EqualProduct[] = [];
  for (const [at, generator] of generators.entries()) {
    if (!generator) continue;
    const word: EqualProduct = { of: [...generator.of, at].toSorted((a, b) => a - b), sign: generator.sign };
    words.push(word, ...words.map((earlier) => productOf(earlier, word)));
  }
  return words.toSorted(byLength);
}

/** A fraction in words: "16 of 256 combinations, resolution IV: I = ABCE = …"; undefined for a full factorial. */
export function fractionText(design: Factorial): string | undefined {
  const { inputs, generators } = design;
  const generated = generators.filter((generator) => generator !== null).length;
  if (generated === 0) return undefined;
  const [points, all] = [combinationsOf(design), 2 ** inputs.length];
  const counts = `${points.toLocaleString('en')} of ${all.toLocaleString('en')} combinations`;
  const names = inputs.map((name, at) => `${LETTERS[at]} is ${name}`).join(', ');
  return `${counts}, resolution ${roman(resolutionOf(design))}: ${relationText(design, generated)}; ${names}`;
}

/**
 * Up to this number of generated inputs, all words are listed (at most 15). Above it, only the generators are listed.
 */
const MOST_GENERATED = 4;

function relationText(design: Factorial, generated: number): string {
  const text = ({ of, sign }: EqualProduct): string =>
    `${sign === 1 ? '' : '-'}${of.map((at) => LETTERS[at]).join('')}`;
  if (generated <= MOST_GENERATED) return ['I', ...definingRelation(design).map(text)].join(' = ');
  return design.generators
    .flatMap((generator, at) => (generator ? [`${LETTERS[at]} = ${text(generator)}`] : []))
    .join(', ');
}

/** The letters for inputs. I is missing, because it stands for the product of no inputs. */
const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';

/** The length of the shortest word of a fraction. */
export function resolutionOf({ inputs, generators }: Factorial): number {
  const basic = inputs.flatMap((_, at) => (generators[at] ? [] : [at]));
  const columns = inputs.map((_, at) =>
    (generators[at]?.of ?? [at]).reduce((column, one) => column + 2 ** basic.indexOf(one), 0),
  );
  return wordLengths(columns, basic.length, inputs.length).findIndex((count) => count > 0);
}

function productOf(one: EqualProduct, other: EqualProduct): EqualProduct {
  const only = (a: number[], b: number[]): number[] => a.filter((at) => !b.includes(at));
  const of = [...only(one.of, other.of), ...only(other.of, one.of)].toSorted((a, b) => a - b);
  return { of, sign: one.sign === other.sign ? 1 : -1 };
}

function byLength(one: EqualProduct, other: EqualProduct): number {
  if (one.of.length !== other.of.length) return one.of.length - other.of.length;
  const at = one.of.findIndex((place, index) => place !== other.of[index]);
  return at < 0 ? 0 : one.of[at]! - other.of[at]!;
}

function roman(number: number): string {
  const ones = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'];
  return `${'X'.repeat(Math.floor(number / 10))}${ones[number % 10]}`;
}
