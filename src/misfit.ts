import type { z } from 'zod';
import { didYouMean, quoted, suggestion } from './suggest.ts';

/** Why what a user wrote does not fit a schema. */
export interface Misfit {
  /** A sentence. */
  message: string;
  /** What to do about it, a sentence. */
  hint: string | undefined;
  /** Where it is, and whether it is about the name there or the value. */
  path: PropertyKey[];
  at: 'key' | 'value';
}

/** More values to choose from than this are not listed in a message. */
const MOST_LISTED = 8;

/**
 * What to tell a user of an error of a schema: its likeliest cause.
 *
 * @param plain what was read
 * @param what it is called, such as "definition"
 */
export function misfit(error: z.ZodError, schema: z.ZodType, plain: unknown, what: string): Misfit {
  return toldOf(cause(error.issues), schema, plain, what)[0]!;
}

/** As {@link misfit}, of each issue that is not a consequence of another. */
export function misfits(error: z.ZodError, schema: z.ZodType, plain: unknown, what: string): Misfit[] {
  const causes = error.issues.map((issue) => cause([issue]));
  const own = causes.filter((issue) => !causes.some((other) => explains(other, issue, plain)));
  return own.flatMap((issue) => toldOf(issue, schema, plain, what));
}

/**
 * Whether an issue is a consequence of a cause: a misspelt setting leaves the right one missing and the whole of the wrong
 * shape; so does a wrong value.
 */
function explains(cause: z.core.$ZodIssue, issue: z.core.$ZodIssue, plain: unknown): boolean {
  if (cause === issue || issue.code === 'unrecognized_keys') return false;
  const isWithin = issue.path.every((segment, at) => cause.path[at] === segment);
  if (cause.code !== 'unrecognized_keys') return isWithin && cause.path.length > issue.path.length;
  if (isWithin) return true;
  const [holder, missing] = [issue.path.slice(0, -1), String(issue.path.at(-1))];
  return (
    valueAt(plain, issue.path) === undefined &&
    holder.length === cause.path.length &&
    holder.every((segment, at) => cause.path[at] === segment) &&
    cause.keys.some((key) => suggestion(key, [missing]) !== undefined)
  );
}

function toldOf(issue: z.core.$ZodIssue, schema: z.ZodType, plain: unknown, what: string): Misfit[] {
  const path = issue.path;
  const where = path.length > 0 ? quoted(path.map(String).join('.')) : undefined;
  const value = valueAt(plain, path);
  if (issue.code === 'unrecognized_keys') {
    const known = settingsAt(schema, path, value);
    // a schema may say of a name why there is no such setting: a whole sentence
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
    const hint = suggestion(value, known) === undefined ? undefined : didYouMean(value, known);
    return [{ message: `Unknown value ${quoted(value)} for ${where}.`, hint, path, at: 'value' }];
  }
  const message = `${where ?? `The ${what}`} is wrong: ${issue.message}.`;
  return [{ message, hint: undefined, path, at: 'value' }];
}

/** What to tell of several issues: a misspelt name explains what is then missing; the innermost says the most. */
function cause(issues: readonly z.core.$ZodIssue[], within: readonly PropertyKey[] = []): z.core.$ZodIssue {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  const path = [...within, ...issue.path];
  if (issue.code === 'invalid_union') {
    // of the shapes that a value may have, the one that it has from outside, and knows most of its settings
    const shaped = issue.errors.filter((tried) => !tried.some(isOtherKind));
    const [inner] = shaped.toSorted((a, b) => unknownIn(a) - unknownIn(b));
    if (inner) return cause(inner, path);
  }
  return { ...issue, path };
}

/** Whether a value is of another kind altogether. */
function isOtherKind({ code, path }: z.core.$ZodIssue): boolean {
  return (
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union')
  );
}

function unknownIn(issues: readonly z.core.$ZodIssue[]): number {
  const found = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  return found?.code === 'unrecognized_keys' ? found.keys.length : 0;
}

function valueAt(plain: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined,
    plain,
  );
}

/** The names that a schema knows at a path, where there is a value: of several shapes, the one that knows most of its names. */
function settingsAt(whole: z.ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  let schema: unknown = whole;
  for (const segment of path) {
    const { shape, def } = objectIn(unwrapped(schema));
    schema = shape?.[segment] ?? def?.valueType ?? def?.element;
  }
  const { shape, def } = unwrapped(schema);
  const given = Object.keys(value ?? {});
  const known = [{ shape }, ...(def?.options ?? [])].map((option) => Object.keys(option.shape ?? {}));
  const common = (names: string[]): number => names.filter((name) => given.includes(name)).length;
  return known.toSorted((a, b) => common(b) - common(a) || b.length - a.length)[0]!;
}

/** The one object, list or record that a value may be, if it may be something else as well. */
function objectIn(schema: AnySchema): AnySchema {
  return (
    schema.def?.options?.map(unwrapped).find(({ shape, def }) => shape ?? def?.valueType ?? def?.element) ??
    schema
  );
}

interface AnySchema {
  shape?: Record<PropertyKey, unknown>;
  def?: { innerType?: unknown; in?: unknown; valueType?: unknown; element?: unknown; options?: AnySchema[] };
}

/** The schema behind `.optional()`, `.default()` and `.transform()`. */
function unwrapped(schema: unknown): AnySchema {
  const inner = (schema ?? {}) as AnySchema;
  const behind = inner.def?.innerType ?? inner.def?.in;
  return behind ? unwrapped(behind) : inner;
}
