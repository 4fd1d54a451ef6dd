import { Stream } from '../../src/campaign/sampling/stream.ts';

/** A condition over x1, x2 and x3 with its true answer. */
export interface DrawnCondition {
  text: string;
  /** The values of x1, x2 and x3, with at most three decimals. */
  values: number[];
  isTrue: boolean;
  /** Whether both sides are exactly equal. */
  isTie: boolean;
}

/** A decimal: `whole` / 10^`decimals`. */
interface Decimal {
  whole: bigint;
  decimals: number;
}

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
const MOST_DECIMALS = 3;

/**
 * Draws a condition with sums, differences and products, and answers it with whole numbers. The right side is often the
 * decimal that the left side has, or its neighbour, because only there rounding could change the answer.
 */
export function drawCondition(seed: number): DrawnCondition {
  const stream = new Stream(seed, 'condition');
  const draw = (): Decimal => {
    const decimals = stream.below(MOST_DECIMALS + 1);
    // the digits are -50 to -41 without decimals, -50 to 49 with one decimal, and -50 to 949 with more
    return { whole: BigInt(stream.below(10 ** Math.min(decimals + 1, 3)) - 50), decimals };
  };
  const inputs = [draw(), draw(), draw()];
  const term = (): { text: string; value: Decimal } => {
    const input = stream.below(4);
    if (input < 3) return { text: `x${input + 1}`, value: inputs[input]! };
    const value = draw();
    return { text: `(${written(value)})`, value };
  };
  let left = term();
  for (let more = 1 + stream.below(4); more > 0; more -= 1) {
    const right = term();
    const kind = stream.below(4);
    left =
      kind === 3
        ? { text: `(${left.text}) * ${right.text}`, value: product(left.value, right.value) }
        : kind === 2
          ? { text: `${left.text} - ${right.text}`, value: sum(left.value, right.value, -1n) }
          : { text: `${left.text} + ${right.text}`, value: sum(left.value, right.value, 1n) };
  }
  const nudge = BigInt(stream.below(3) - 1);
  const right =
    stream.uniform() < 0.3 ? term() : withText({ ...left.value, whole: left.value.whole + nudge });
  const operator = OPERATORS[stream.below(OPERATORS.length)]!;
  const difference = sum(left.value, right.value, -1n).whole;
  return {
    text: `${left.text} ${operator} ${right.text}`,
    values: inputs.map((input) => Number(written(input))),
    isTrue: answer(operator, difference),
    isTie: difference === 0n,
  };
}

function withText(value: Decimal): { text: string; value: Decimal } {
  return { text: `(${written(value)})`, value };
}

function sum(a: Decimal, b: Decimal, sign: bigint): Decimal {
  const decimals = Math.max(a.decimals, b.decimals);
  const aligned = ({ whole, decimals: own }: Decimal): bigint => whole * 10n ** BigInt(decimals - own);
  return { whole: aligned(a) + sign * aligned(b), decimals };
}

function product(a: Decimal, b: Decimal): Decimal {
  return { whole: a.whole * b.whole, decimals: a.decimals + b.decimals };
}

function written({ whole, decimals }: Decimal): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return `${whole < 0n ? '-' : ''}${digits.slice(0, point)}${decimals > 0 ? `.${digits.slice(point)}` : ''}`;
}

function answer(operator: (typeof OPERATORS)[number], difference: bigint): boolean {
  switch (operator) {
    case '==':
      return difference === 0n;
    case '!=':
      return difference !== 0n;
    case '<':
      return difference < 0n;
    case '<=':
      return difference <= 0n;
    case '>':
      return difference > 0n;
    case '>=':
      return difference >= 0n;
  }
}
