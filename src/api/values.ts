import type { InputType } from './constants.ts';

/** A value of an input in a definition or a request. */
export type RawValue = string | number | boolean;

/** The error for a value that is not valid for its input. The message can follow the words "the value of X". */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

/** An INTEGER is less than this number, and at least its negative. */
const INTEGER_LIMIT = 2 ** 31;
const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d*)(?:\.(\d*))?(?:e(.*))?$/i;
/** The longest text of a LONG, in characters. Millions of digits would take seconds, or overflow the stack. */
const LONGEST_LONG = 100;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/;

/**
 * The one canonical text of a value of a type: `8`, `"8"` and `"8.0"` of a DOUBLE are all `8`. Two requests are
 * identical if their canonical inputs are identical. A point's key is a hash of its canonical inputs.
 *
 * Bounds of integer ranges are truncated, as existing clients expect (notes on real clients, Runs).
 *
 * @throws ValueError if the value does not have the type (specification 2.3, 2.11)
 */
export function canonicalValue(type: InputType, value: RawValue): string {
  switch (type) {
    case 'DOUBLE':
      return double(value);
    case 'INTEGER':
      return integer(value, INTEGER_LIMIT);
    case 'LONG':
      return long(value);
    case 'BOOLEAN':
      return boolean(value);
    case 'DATE_TIME':
      return dateTime(value);
    case 'FIXED_RANGE_DOUBLE':
      return range(value, doubleBound);
    case 'FIXED_RANGE_INTEGER':
      return range(value, integerBound);
    case 'FIXED_RANGE_LONG':
      return range(value, longBound);
    case 'RANDOM_DOUBLE':
      return span(value, doubleBound);
    case 'RANDOM_INTEGER':
      return span(value, integerBound);
    case 'FULL_RANGE_BOOLEAN':
    case 'RANDOM_BOOLEAN':
      // a value of this type has no content
      return '';
    case 'INPUT_FILE':
      return fileHash(value);
    case 'STRING':
      return String(value);
  }
}

function double(value: RawValue): string {
  const number = typeof value === 'number' ? value : parseNumber(value);
  if (!Number.isFinite(number)) throw new ValueError(`is ${shown(value)}, which is not a number`);
  // -0 and 0 are one value
  return String(number === 0 ? 0 : number);
}

/** A whole number from `-limit` to `limit - 1`. */
function integer(value: RawValue, limit: number): string {
  const number = Number(double(value));
  if (!Number.isInteger(number) || isFractionLost(String(value)))
    throw new ValueError(`is ${shown(value)}, which is not a whole number`);
  if (number < -limit || number >= limit) throw outOfRange(value);
  return String(number);
}

/** Whether a text such as 1e-400 or 1.00000000000000000001 became a whole number only because it was rounded. */
function isFractionLost(text: string): boolean {
  const [, whole, fraction, exponent] = DECIMAL.exec(text.trim())!;
  // where the fraction begins among the digits, after the exponent has moved the point
  const point = Math.max(0, whole!.length + Number(exponent ?? 0));
  return /[1-9]/.test(`${whole}${fraction ?? ''}`.slice(point));
}

/** A LONG has 64 bits, more than a JavaScript number holds exactly, so a text is read as a BigInt. */
function long(value: RawValue): string {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new ValueError(`is ${shown(value)}, which is too large to be read exactly: write it in quotes`);
  }
  const text = String(value).trim();
  if (text.length > LONGEST_LONG) throw outOfRange(value);
  if (!WHOLE.test(text)) {
    const number = Number(double(value));
    // `integer` refuses a number with a fraction
    if (!Number.isInteger(number) || Number.isSafeInteger(number)) return integer(value, 2 ** 53);
    throw new ValueError(`is ${shown(value)}, which is too large to be read exactly: write all its digits`);
  }
  const number = BigInt(text);
  if (BigInt.asIntN(64, number) !== number) throw outOfRange(value);
  return String(number);
}

function outOfRange(value: RawValue): ValueError {
  return new ValueError(`is ${shown(value)}, which is out of range`);
}

function boolean(value: RawValue): string {
  const text = String(value).trim().toLowerCase();
  if (text !== 'true' && text !== 'false')
    throw new ValueError(`is ${shown(value)}, which is not true or false`);
  return text;
}

/** Local date-time text, with or without seconds (2.11). The canonical form has seconds. */
function dateTime(value: RawValue): string {
  const text = String(value).trim();
  const full = text.length === 16 ? `${text}:00` : text;
  if (!DATE_TIME.test(text) || !isRealDate(full)) {
    throw new ValueError(`is ${shown(value)}, which is not a date and time like 2026-01-31T08:30`);
  }
  return full;
}

/** Whether a date exists. `Date` accepts 30 February and changes it to March, but leaves a real date unchanged. */
function isRealDate(text: string): boolean {
  const date = new Date(`${text}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === text;
}

type Bound = number | string;

/** The canonical text of a range `{"min","max","step"}` (2.3). */
function range(value: RawValue, read: (bound: Bound) => bigint | number): string {
  const { min, max, step } = bounds(
    value,
    ['min', 'max', 'step'],
    'a range like {"min":20,"max":180,"step":20}',
  );
  const canonical = { min: read(min!), max: read(max!), step: read(step!) };
  if (canonical.step <= 0 || canonical.max < canonical.min) {
    throw new ValueError(
      `is ${shown(value)}, which is an empty range: min must not exceed max, step must be positive`,
    );
  }
  return JSON.stringify(canonical, exactly);
}

/** The bounds `{"min","max"}` of a RANDOM_* value. The specification does not show their form. */
function span(value: RawValue, read: (bound: Bound) => number): string {
  const { min, max } = bounds(value, ['min', 'max'], 'a pair of bounds like {"min":1,"max":6}');
  const canonical = { min: read(min!), max: read(max!) };
  if (canonical.max < canonical.min) {
    throw new ValueError(`is ${shown(value)}, where min exceeds max`);
  }
  return JSON.stringify(canonical);
}

/** Reads numbers with given names from JSON text. The numbers may be written as texts. */
function bounds(value: RawValue, names: readonly string[], form: string): Record<string, Bound> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(value));
  } catch {
    parsed = undefined;
  }
  const given = (parsed ?? {}) as Record<string, unknown>;
  if (!names.every((name) => typeof given[name] === 'number' || typeof given[name] === 'string')) {
    throw new ValueError(`is ${shown(value)}, which is not ${form}`);
  }
  return given as Record<string, Bound>;
}

function doubleBound(bound: Bound): number {
  return Number(double(bound));
}

function integerBound(bound: Bound): number {
  return Number(integer(Math.trunc(doubleBound(bound)), INTEGER_LIMIT));
}

function longBound(bound: Bound): bigint {
  // `long` refuses a text that is too long
  if (typeof bound === 'string' && (bound.length > LONGEST_LONG || WHOLE.test(bound.trim())))
    return BigInt(long(bound));
  const whole = Math.trunc(doubleBound(bound));
  if (!Number.isSafeInteger(whole)) {
    throw new ValueError(
      `has the bound ${shown(bound)}, which is too large to be read exactly: write it in quotes`,
    );
  }
  return BigInt(whole);
}

/** Writes a whole number as a text if JSON readers would round it. */
function exactly(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** The hash in a value that is a hash or JSON text `{"hash","localPath"}`. The name of the file does not matter. */
function fileHash(value: RawValue): string {
  const text = String(value).trim();
  if (!text.startsWith('{')) return text;
  try {
    const { hash } = JSON.parse(text) as { hash?: unknown };
    if (typeof hash === 'string') return hash;
  } catch {
    // not JSON: the error below says so
  }
  throw new ValueError(`is ${shown(value)}, which is neither a file's hash nor {"hash","localPath"}`);
}

function parseNumber(value: string | boolean): number {
  const text = String(value).trim();
  return text === '' || /^0[xob]/i.test(text) ? Number.NaN : Number(text);
}

function shown(value: RawValue): string {
  // JSON has no name for NaN
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/**
 * The form in which names of inputs and outputs are compared: existing clients trim names of inputs and ignore their
 * case. The same letter with an accent may be one character or two.
 */
export function nameKey(name: string): string {
  // small letters come first: j with a caron is one character, but J with a caron is always two
  return name.trim().toLowerCase().normalize('NFC');
}

/**
 * Removes the prototype of an object whose keys are names of inputs or outputs, and returns the object. With a prototype,
 * it would have properties such as `constructor` and `valueOf` that nobody has set, and lose a property `__proto__`.
 */
export function byName<Value>(values: Record<string, Value>): Record<string, Value> {
  return Object.setPrototypeOf(values, null) as Record<string, Value>;
}
