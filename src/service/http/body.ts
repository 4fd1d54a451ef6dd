import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { RecentMap } from '../recent-map.ts';

/** Most bodies that an endpoint keeps, and the characters of the largest: some megabytes. */
const MOST_KEPT = 1_000;
const LARGEST_KEPT = 2_000;
/** How many bodies are remembered as having come once, by a number made of their text; a power of two. */
const REMEMBERED = 1_024;

/**
 * What reads the bodies of an endpoint that takes JSON. A body that is a JSON string may come as bare text as well.
 * Many clients ask for the same in the same words, over and over: a body that comes again is read once more and kept,
 * frozen, as is whatever becomes of it. Keeping those that come once would cost more than reading them does.
 *
 * The reader throws a ServiceError INVALID_BODY naming the field.
 */
export function bodyReader(schema: z.ZodType): (text: string | undefined) => unknown {
  if (schema instanceof z.ZodString) return (text = '') => bareOrJsonString(text);
  const kept = new RecentMap<string, unknown>(MOST_KEPT);
  const cameOnce = new Int32Array(REMEMBERED);
  return (text = '') => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const body = readJson(schema, text, 'body');
    if (text.length > LARGEST_KEPT) return body;
    const number = numberOf(text);
    const place = number & (REMEMBERED - 1);
    if (cameOnce[place] === number) kept.set(text, Object.freeze(body));
    else cameOnce[place] = number;
    return body;
  };
}

/** The same number for the same text, and hardly ever for two that come one after the other. */
function numberOf(text: string): number {
  let number = 0;
  for (let at = 0; at < text.length; at++) number = (Math.imul(number, 31) + text.charCodeAt(at)) | 0;
  return number;
}

/**
 * Reads JSON text as a schema says; `where` names it in errors.
 *
 * @throws ServiceError INVALID_BODY naming the field
 */
export function readJson<S extends z.ZodType>(schema: S, text: string, where: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_BODY', `The ${where} is not JSON.`);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw new ServiceError('INVALID_BODY', describeIssue(result.error, value, where));
  return result.data;
}

/** @throws ServiceError INVALID_QUERY naming the parameter */
export function readQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const result = schema.safeParse(query);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new ServiceError(
      'INVALID_QUERY',
      `The query parameter ${issue!.path.join('.')} is missing or empty.`,
    );
  }
  return result.data;
}

function bareOrJsonString(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // bare text
  }
  return text;
}

function describeIssue(error: z.ZodError, value: unknown, where: string): string {
  const [issue] = error.issues;
  const field = issue!.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const input = inputAt(value, issue!.path);
  const of = input === undefined ? '' : ` (input "${input}")`;
  return `The ${where} is not as it should be: ${field.replace(/^\./, '') || 'as a whole'}${of}: ${issue!.message}.`;
}

/** The name of the input that an issue is about, where it is about one: positions mean little to people. */
function inputAt(value: unknown, [list, index]: readonly PropertyKey[]): string | undefined {
  if (list !== 'inputs' || typeof index !== 'number') return undefined;
  const item = (value as { inputs: unknown[] }).inputs[index] as { name?: unknown } | null;
  return typeof item?.name === 'string' ? item.name : undefined;
}
