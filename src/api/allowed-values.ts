import { ValueError } from './values.ts';

/** The values that a model allows for an input, besides its type. */
export interface Allowed {
  /** The least allowed number. */
  min?: number | undefined;
  /** The greatest allowed number. */
  max?: number | undefined;
  /** The only allowed values, in their canonical form. */
  values?: string[] | undefined;
}

/** @throws ValueError if a canonical value is not allowed */
export function checkAllowed({ min, max, values }: Allowed, canonical: string): void {
  const number = Number(canonical);
  if (min !== undefined && number < min) throw new ValueError(`is ${canonical}, but must be at least ${min}`);
  if (max !== undefined && number > max) throw new ValueError(`is ${canonical}, but must be at most ${max}`);
  if (values && !values.includes(canonical))
    throw new ValueError(`is ${JSON.stringify(canonical)}, but must be ${allowedText({ values })}`);
}

/** The limits in words: "0 to 1", "at least 0", "one of low, high"; empty if there are none. */
export function allowedText({ min, max, values }: Allowed): string {
  if (values) return `one of ${listed(values)}`;
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (min !== undefined) return `at least ${min}`;
  return max === undefined ? '' : `at most ${max}`;
}

/** True when some values of the input's type are not allowed. */
export function isLimited({ min, max, values }: Allowed): boolean {
  return (min ?? max ?? values) !== undefined;
}

/** A list of values. If the commas in a value could be taken for those of the list, all values are in quotes. */
function listed(values: readonly string[]): string {
  const needQuotes = values.some((value) => /[",]|^\s|\s$|^$/.test(value));
  return values.map((value) => (needQuotes ? JSON.stringify(value) : value)).join(', ');
}
