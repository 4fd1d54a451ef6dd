import { type Factorial, mostRows } from './resolved-design.ts';
import { wordLengths } from './fraction.ts';

/** Inputs whose product (as -1 and +1) is the same at all points of a fraction. */
export interface EqualProduct {
  /** The places of these inputs, ascending. */
  of: number[];
  /** The value of the product. */
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
    const own: EqualProduct = { of: [...generator.of, at].toSorted((a, b) => a - b), sign: generator.sign };
    words.push(own, ...words.map((word) => productOf(word, own)));
  }
  return words.toSorted(compare);
}

/** A fraction in words: "16 of 256 combinations, resolution IV: I = ABCE = …"; undefined for a full factorial. */
export function fractionText(design: Factorial): string | undefined {
  const { inputs, generators } = design;
  const generated = generators.filter((generator) => generator !== null).length;
  if (generated === 0) return undefined;
  const runs = mostRows(design);
  const counts = `${runs.toLocaleString('en')} of ${(2 ** inputs.length).toLocaleString('en')} combinations`;
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

function compare(one: EqualProduct, other: EqualProduct): number {
  if (one.of.length !== other.of.length) return one.of.length - other.of.length;
  const at = one.of.findIndex((place, index) => place !== other.of[index]);
  return at < 0 ? 0 : one.of[at]! - other.of[at]!;
}

function roman(number: number): string {
  const ones = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'];
  return `${'X'.repeat(Math.floor(number / 10))}${ones[number % 10]}`;
}
