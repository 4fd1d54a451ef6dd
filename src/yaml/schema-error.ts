import type { z } from 'zod';
import { didYouMean, quoted, suggestion } from '../text/suggest.ts';

/** Why the user's input does not match a schema. */
export interface SchemaError {
  /** A sentence that says what is wrong. */
  message: string;
  /** A sentence that says what to do. */
  hint: string | undefined;
  /** The path to the place of the error in the input. */
  path: PropertyKey[];
  /** Whether the error is about the name at the place, or about the value. */
  at: 'key' | 'value';
}

/** Maximum number of allowed values that a message lists. */
const MOST_LISTED = 8;

/** The greatest whole number that a double counts exactly. */
const GREATEST = Number.MAX_SAFE_INTEGER.toLocaleString('en-US');

/**
 * Finds the most likely cause of a schema error, and explains it to a user.
 *
 * @param plain the input
 * @param what the kind of input, such as "definition"
 */
export function schemaError(error: z.ZodError, schema: z.ZodType, plain: unknown, what: string): SchemaError {
  const causes = causesOf(error, schema, plain);
  // a misspelt name explains a missing name
  const first = causes.find(({ code }) => code === 'unrecognized_keys') ?? causes[0]!;
  return errorsOf(first, schema, plain, what)[0]!;
}

/** Like {@link schemaError}, for each issue that is not a consequence of another one. */
export function schemaErrors(
  error: z.ZodError,
  schema: z.ZodType,
  plain: unknown,
  what: string,
): SchemaError[] {
  const causes = causesOf(error, schema, plain);
  const own = causes.filter((issue) => !causes.some((other) => explains(other, issue, plain)));
  return own.flatMap((issue) => errorsOf(issue, schema, plain, what));
}

/**
 * Whether an issue is a consequence of a cause. A misspelt setting makes the right setting missing, and gives the whole
 * object a wrong shape. A wrong value also gives the whole object a wrong shape.
 */
function explains(cause: z.core.$ZodIssue, issue: z.core.$ZodIssue, plain: unknown): boolean {
  if (cause === issue || issue.code === 'unrecognized_keys') return false;
  const isSamePlace = areSame(cause.path, issue.path);
  // a number with too many digits may break the limit of its setting too
  if (isTooLong(issue)) return isSamePlace && cause.code === issue.code;
  const isCauseInside = isWithin(cause.path, issue.path);
  if (cause.code !== 'unrecognized_keys') return isCauseInside && !isSamePlace;
  if (isCauseInside) return true;
  const [holder, name] = [issue.path.slice(0, -1), String(issue.path.at(-1))];
  const isMissing = valueAt(plain, issue.path) === undefined;
  const isMisspelt = (): boolean => cause.keys.some((key) => suggestion(key, [name]) !== undefined);
  return isMissing && areSame(cause.path, holder) && isMisspelt();
}

function errorsOf(issue: z.core.$ZodIssue, schema: z.ZodType, plain: unknown, what: string): SchemaError[] {
  const path = issue.path;
  const where = path.length > 0 ? quoted(placeText(path, plain)) : undefined;
  const value = valueAt(plain, path);
  if (issue.code === 'unrecognized_keys') {
    const known = settingsAt(schema, path, value);
    // a schema may explain why a setting does not exist, in a whole sentence
    const reason = issue.message.endsWith('.') ? issue.message : undefined;
    return issue.keys.map((key) => ({
      message: `${where ?? `A ${what}`} has no setting ${quoted(key)}.`,
      hint: reason ?? didYouMean(key, known),
      path: [...path, key],
      at: 'key',
    }));
  }
  if (value === undefined) {
    return [{ message: `${where ?? `The ${what}`} is missing.`, hint: undefined, path, at: 'value' }];
  }
  if (issue.code === 'invalid_value' && issue.values.length > MOST_LISTED && typeof value === 'string') {
    const known = issue.values.map(String);
    const hint =
      suggestion(value, known) === undefined ? `It may be ${known.join(', ')}.` : didYouMean(value, known);
    return [{ message: `Unknown value ${quoted(value)} for ${where}.`, hint, path, at: 'value' }];
  }
  const limit = issue.code === 'too_big' ? `greatest number is ${GREATEST}` : `least number is -${GREATEST}`;
  const reason = isTooLong(issue) ? `${issue.message}; the ${limit}` : issue.message;
  const message = `${where ?? `The ${what}`} is wrong: ${reason}.`;
  return [{ message, hint: undefined, path, at: 'value' }];
}

/** All issues of an error. For a value with several allowed shapes, these are the issues of the most similar shape. */
function causesOf({ issues }: z.ZodError, schema: z.ZodType, plain: unknown): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return causesIn(issue);
    // if one shape has only unknown names, zod reports this shape, although another one may know the names
    const { options = [] } = schemaAt(schema, issue.path).def ?? {};
    const value = valueAt(plain, issue.path);
    const tried = options.map((option) => (option as z.ZodType).safeParse(value).error?.issues ?? []);
    const found = mostSimilar(tried) ?? [{ ...issue, path: [] }];
    return found.flatMap((one) => causesIn(one, issue.path));
  });
}

function causesIn(issue: z.core.$ZodIssue, within: readonly PropertyKey[] = []): z.core.$ZodIssue[] {
  const path = [...within, ...issue.path];
  const inner = issue.code === 'invalid_union' ? mostSimilar(issue.errors) : undefined;
  return inner?.flatMap((one) => causesIn(one, path)) ?? [{ ...issue, path }];
}

/**
 * The issues of the most similar shape, from the issues of several shapes. It is the first shape of the same kind that
 * knows most of the settings, or another such shape that has only a part of the first one's issues.
 */
function mostSimilar(tried: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const sameKind = tried.filter((issues) => issues.length > 0 && !issues.some(isOtherKind));
  const fewestUnknown = Math.min(...sameKind.map(countUnknown));
  const [first, ...others] = sameKind.filter((issues) => countUnknown(issues) === fewestUnknown);
  const issues = others.find((other) => isPart(other, first!)) ?? first;
  const unknown = issues?.filter(({ code }) => code === 'unrecognized_keys') ?? [];
  // an object with unknown settings may be meant as something else, so its other issues are no cause
  return issues?.filter(
    (issue) => unknown.includes(issue) || !unknown.some(({ path }) => isWithin(issue.path, path)),
  );
}

/** Whether all issues are at places of other issues, but not at all of these places. */
function isPart(issues: readonly z.core.$ZodIssue[], others: readonly z.core.$ZodIssue[]): boolean {
  const places = new Set(others.map(({ path }) => path.join()));
  return issues.length < others.length && issues.every(({ path }) => places.has(path.join()));
}

function areSame(one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean {
  return one.length === other.length && isWithin(one, other);
}

/** Whether a path is the outer path, or leads to a place inside of it. */
function isWithin(path: readonly PropertyKey[], outer: readonly PropertyKey[]): boolean {
  return outer.every((segment, at) => path[at] === segment);
}

/** Whether an issue says that a whole number has too many digits. zod gives it the message for a wrong kind of value. */
function isTooLong(issue: z.core.$ZodIssue): boolean {
  return 'origin' in issue && issue.origin === 'int';
}

/** Whether an issue says that the whole value is of a different kind. */
function isOtherKind({ code, path }: z.core.$ZodIssue): boolean {
  return (
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union')
  );
}

function countUnknown(issues: readonly z.core.$ZodIssue[]): number {
  return issues.find(isUnknownSetting)?.keys.length ?? 0;
}

function isUnknownSetting(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0;
}

/** A path as text. An element of a list is called by its name, if it has one: `inputs.Resistance.units`. */
function placeText(path: readonly PropertyKey[], plain: unknown): string {
  const words = path.map((segment, at) => {
    const element = typeof segment === 'number' ? valueAt(plain, path.slice(0, at + 1)) : undefined;
    const { name } = Object(element) as { name?: unknown };
    return typeof name === 'string' ? name : String(segment);
  });
  return words.join('.');
}

function valueAt(plain: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined,
    plain,
  );
}

/**
 * The names that a schema knows at the path of a value. Among several shapes, it takes the one that knows most of the
 * value's names, and among equal ones the one with most names.
 */
function settingsAt(whole: z.ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  const { shape, def } = schemaAt(whole, path);
  const given = Object.keys(value ?? {});
  const ofShapes = [{ shape }, ...(def?.options ?? [])].map((option) => Object.keys(option.shape ?? {}));
  const common = (names: string[]): number => names.filter((name) => given.includes(name)).length;
  return ofShapes.toSorted((a, b) => common(b) - common(a) || b.length - a.length)[0]!;
}

function schemaAt(whole: z.ZodType, path: readonly PropertyKey[]): AnySchema {
  let schema: unknown = whole;
  for (const segment of path) {
    const { shape, def } = objectIn(unwrapped(schema));
    schema = shape?.[segment] ?? def?.valueType ?? def?.element;
  }
  return unwrapped(schema);
}

/** The object, list or record among the alternatives of a schema, if there are alternatives. */
function objectIn(schema: AnySchema): AnySchema {
  return (
    schema.def?.options?.map(unwrapped).find(({ shape, def }) => shape ?? def?.valueType ?? def?.element) ??
    schema
  );
}

/** The parts of a schema of zod that are read here. */
interface AnySchema {
  shape?: Record<PropertyKey, unknown>;
  def?: { innerType?: unknown; in?: unknown; valueType?: unknown; element?: unknown; options?: AnySchema[] };
}

/** The schema inside `.optional()`, `.default()` and `.transform()`. */
function unwrapped(schema: unknown): AnySchema {
  const inner = (schema ?? {}) as AnySchema;
  const behind = inner.def?.innerType ?? inner.def?.in;
  return behind ? unwrapped(behind) : inner;
}
