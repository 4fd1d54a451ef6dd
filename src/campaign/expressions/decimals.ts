/**
 * The arithmetic of expressions. People write numbers as decimals, so 0.1 + 0.2 is 0.3 here.
 *
 * A decimal with at most 15 digits is kept as a whole number and its decimals, and sums, differences, products,
 * quotients and remainders of decimals are exact while their whole numbers stay below 2^53. Every other number is a
 * double with a slack: a distance within which it cannot be told from another number. The slack grows with the size of
 * all operands, so it also covers cancellation.
 */
export interface Quantity {
  /** The double that is nearest to the number. */
  readonly value: number;
  /** `whole` / 10^`decimals` is the number; NaN if the number is not such a decimal. */
  readonly whole: number;
  readonly decimals: number;
  /** 0 for a decimal. */
  readonly slack: number;
}

/** The relative slack of one operation: 64 times the rounding error of a double. */
const RELATIVE = 2 ** -46;
/** Whole numbers below this have at most 15 digits. Two decimals with so few digits are never the same double. */
const WHOLE_LIMIT = 1e15;
/** Doubles have these powers of ten exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const MOST_DECIMALS = POWERS.length - 1;
/** A larger exponent is left to `**` of doubles. */
const MOST_FACTORS = 64;

/** The number that a double stands for: the shortest decimal that is read as this double, if it is short. */
export function quantity(value: number): Quantity {
  if (Number.isSafeInteger(value)) return { value, whole: value, decimals: 0, slack: 0 };
  for (let decimals = 1; decimals <= MOST_DECIMALS; decimals += 1) {
    const whole = Math.round(value * POWERS[decimals]!);
    if (!(Math.abs(whole) < WHOLE_LIMIT)) break;
    if (whole !== 0 && whole / POWERS[decimals]! === value) return { value, whole, decimals, slack: 0 };
  }
  return computed(value, 0);
}

/** A double that some computation gave, with the slack of its operands. */
function computed(value: number, slack: number): Quantity {
  const wider = slack + RELATIVE * Math.abs(value);
  if (!Number.isFinite(wider)) return { value, whole: NaN, decimals: 0, slack: 0 };
  // a value that cannot be told from 0 is 0
  return { value: Math.abs(value) <= slack ? 0 : value, whole: NaN, decimals: 0, slack: wider };
}

/** The decimal `whole` / 10^`decimals`; undefined if its digits are too many, or if `whole` is NaN. */
function decimal(whole: number, decimals: number): Quantity | undefined {
  if (!Number.isSafeInteger(whole)) return undefined;
  let [shorter, digits] = [whole, decimals];
  while (digits > 0 && shorter % 10 === 0) {
    shorter /= 10;
    digits -= 1;
  }
  if (digits > MOST_DECIMALS) return undefined;
  return { value: shorter / POWERS[digits]!, whole: shorter, decimals: digits, slack: 0 };
}

/**
 * The whole numbers of two decimals, for the larger number of decimals of the two: 1.5 and 0.25 give 150 and 25.
 * Undefined if they are too large, or if one of the numbers is not a decimal: its `whole` is NaN.
 */
function aligned(a: Quantity, b: Quantity): { left: number; right: number; decimals: number } | undefined {
  const decimals = Math.max(a.decimals, b.decimals);
  const left = a.whole * POWERS[decimals - a.decimals]!;
  const right = b.whole * POWERS[decimals - b.decimals]!;
  return Number.isSafeInteger(left) && Number.isSafeInteger(right) ? { left, right, decimals } : undefined;
}

export function plus(a: Quantity, b: Quantity): Quantity {
  const both = aligned(a, b);
  const exact = both && decimal(both.left + both.right, both.decimals);
  return exact ?? computed(a.value + b.value, a.slack + b.slack + RELATIVE * largest(a, b));
}

export function minus(a: Quantity, b: Quantity): Quantity {
  return plus(a, negative(b));
}

export function times(a: Quantity, b: Quantity): Quantity {
  const exact = decimal(a.whole * b.whole, a.decimals + b.decimals);
  return exact ?? computed(a.value * b.value, Math.abs(a.value) * b.slack + Math.abs(b.value) * a.slack);
}

export function over(a: Quantity, b: Quantity): Quantity {
  const both = aligned(a, b);
  if (both) return quantity(both.left / both.right);
  const value = a.value / b.value;
  return computed(value, (a.slack + Math.abs(value) * b.slack) / Math.abs(b.value));
}

/** The remainder of a division. It has the sign of `a`. */
export function remainder(a: Quantity, b: Quantity): Quantity {
  const both = aligned(a, b);
  const exact = both && decimal(both.left % both.right, both.decimals);
  if (exact) return exact;
  const value = a.value % b.value;
  const slack = a.slack + Math.abs(a.value / b.value) * b.slack;
  // if the quotient is just below a whole number, the remainder is nearly `b` and counts as 0; if it is just above one,
  // the remainder is nearly 0, and `computed` makes it 0
  const isWhole = Math.abs(b.value) - Math.abs(value) <= slack;
  return computed(isWhole ? 0 : value, slack);
}

export function power(base: Quantity, exponent: Quantity): Quantity {
  const count = Math.abs(exponent.whole);
  if (Number.isInteger(exponent.value) && exponent.decimals === 0 && count <= MOST_FACTORS) {
    let product = quantity(1);
    for (let factor = 0; factor < count; factor += 1) product = times(product, base);
    // a product without slack is a decimal, or outside the range of doubles; other powers are computed in doubles below
    if (product.slack === 0) return exponent.value < 0 ? over(quantity(1), product) : product;
  }
  const value = base.value ** exponent.value;
  const slackOfExponent = applied((y) => base.value ** y, exponent).slack;
  const slackOfBase = applied((x) => x ** exponent.value, base).slack;
  return computed(value, slackOfExponent + slackOfBase);
}

/** A function of a number, computed in doubles. The new slack says how far the result moves if the number does. */
export function applied(compute: (x: number) => number, { value, slack }: Quantity): Quantity {
  const result = compute(value);
  const moved = slack === 0 ? 0 : Math.abs(compute(value + slack) - result);
  return computed(result, Number.isFinite(moved) ? moved : 0);
}

/** A function whose result has few digits, such as `floor`. A number that is nearly whole counts as whole. */
export function stepped(compute: (x: number) => number, { value, slack }: Quantity): Quantity {
  const near = Math.round(value);
  return quantity(compute(Math.abs(value - near) <= slack ? near : value));
}

export function negative(a: Quantity): Quantity {
  return { value: -a.value, whole: -a.whole, decimals: a.decimals, slack: a.slack };
}

export function absolute(a: Quantity): Quantity {
  return a.value < 0 ? negative(a) : a;
}

/** Negative if `a` is less than `b`, 0 if they are equal, positive if `a` is more; NaN if one of them is NaN. */
export function compare(a: Quantity, b: Quantity): number {
  if (a.value === b.value) return 0;
  const difference = a.value - b.value;
  return Math.abs(difference) <= a.slack + b.slack ? 0 : difference;
}

function largest(a: Quantity, b: Quantity): number {
  return Math.max(Math.abs(a.value), Math.abs(b.value));
}

/** The difference of two numbers as decimals: 0 if the numbers are equal. */
export function difference(a: number, b: number): number {
  return minus(quantity(a), quantity(b)).value;
}
