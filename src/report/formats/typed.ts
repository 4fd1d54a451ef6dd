import type { Column } from '../tables/column-types.ts';

/** The exact type of a column. `local` is a date and time without a zone, and `instant` is a time in UTC. */
export type ExactType = 'double' | 'integer' | 'long' | 'boolean' | 'local' | 'instant' | 'text' | 'json';

export function exactTypeOf({ kind, type }: Column): ExactType {
  switch (kind) {
    case 'number':
      return type === 'INTEGER' ? 'integer' : type === 'LONG' ? 'long' : 'double';
    case 'text':
      return type === 'DATE_TIME' ? 'local' : type === 'INSTANT' ? 'instant' : 'text';
    case 'boolean':
    case 'json':
      return kind;
  }
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const NOT_FINITE = new Map(['NaN', 'Infinity', '+Infinity', '-Infinity'].map((text) => [text, Number(text)]));
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];
const WHOLE = /^[+-]?\d+$/;
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;

/**
 * The functions below read the text of a value. They return undefined if the text does not have the type, because a
 * service may send anything.
 */

/** Reads a number, which may be infinite or NaN. */
export function doubleIn(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isNaN(number) && isPlain(text)) return number;
  return NUMBER.test(text) ? number : NOT_FINITE.get(text);
}

/**
 * A fast test of a text that `Number` accepts. True means that the text is a decimal number without spaces around it.
 * False also comes for some decimal numbers, such as 1e5; the slower pattern then decides.
 */
function isPlain(text: string): boolean {
  const [first, second, last] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(text.length - 1)];
  // such as the x of 0x10; a text of one character has NaN in second place
  const isSecondLetter = second > NINE;
  return (isDigit(first) || first === MINUS) && isDigit(last) && !isSecondLetter;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Reads a whole number of 32 bits. */
export function integerIn(text: string): number | undefined {
  const number = doubleIn(text);
  // "| 0" cuts to 32 bits, and makes 0 of -0
  return number !== undefined && number === (number | 0) ? number | 0 : undefined;
}

/** Reads a whole number of 64 bits, with all digits. */
export function longIn(text: string): bigint | undefined {
  const number = WHOLE.test(text) ? BigInt(text) : wholeIn(text);
  return number !== undefined && BigInt.asIntN(64, number) === number ? number : undefined;
}

function wholeIn(text: string): bigint | undefined {
  const number = doubleIn(text);
  return Number.isSafeInteger(number) ? BigInt(number!) : undefined;
}

export function booleanIn(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** Reads a date and time without a zone. Returns ms since the epoch, as if the time were in UTC. */
export function localIn(text: string): number | undefined {
  const time = LOCAL.test(text) ? Date.parse(`${text}Z`) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Reads a time. Returns ms since the epoch. */
export function instantIn(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
