import { type Document, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { ForayError, type Place } from '../errors.ts';
import { Definition } from './definition.ts';
import { didYouMean, oneLine, quoted } from './suggest.ts';

/** The place in the user's file of the value (or, for `key`, of the name) at a path like ['design', 'grid', 'Days']. */
export type Locate = (path: readonly PropertyKey[], at?: 'key' | 'value') => Place;

/** A definition with the means to say where in its file something stands. */
export interface ReadDefinition {
  definition: Definition;
  locate: Locate;
}

/**
 * Reads the text of a definition, YAML or JSON (which is YAML).
 *
 * @param file the name to put in front of errors
 * @throws ForayError DEFINITION_SYNTAX, DEFINITION_INVALID with the place
 */
export function readDefinition(text: string, file: string): ReadDefinition {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const [syntax] = document.errors;
  if (syntax) {
    throw new ForayError(
      'DEFINITION_SYNTAX',
      `The definition is not valid YAML: ${oneLine(syntax.message)}`,
      {
        place: placeAt(syntax.pos[0]),
      },
    );
  }
  const locate: Locate = (path, at = 'value') => placeAt(offsetOf(document.contents, path, at));

  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ForayError(
      'DEFINITION_SYNTAX',
      `The definition is not valid YAML: ${oneLine((error as Error).message)}`,
      {
        place: placeAt(aliasOffset(document)),
      },
    );
  }
  forbidPrototype(document, placeAt);
  const result = Definition.safeParse(plain);
  if (!result.success) throw shapeError(result.error, plain, locate);
  return { definition: result.data, locate };
}

/** The one name that JavaScript objects do not keep as they keep others. */
function forbidPrototype(document: Document, placeAt: (offset: number) => Place): void {
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== '__proto__') return;
      throw new ForayError('DEFINITION_INVALID', 'The name "__proto__" cannot be used.', {
        place: placeAt(key.range?.[0] ?? 0),
      });
    },
  });
}

/** Where an alias is that stands for nothing, or for far too much (then the first one). */
function aliasOffset(document: Document): number {
  const aliases: { offset: number; resolves: boolean }[] = [];
  visit(document, {
    Alias(_, alias) {
      aliases.push({ offset: alias.range?.[0] ?? 0, resolves: alias.resolve(document) !== undefined });
    },
  });
  return (aliases.find(({ resolves }) => !resolves) ?? aliases[0])?.offset ?? 0;
}

/** Walks down the document as far as the path goes, so that something missing is placed at what should hold it. */
function offsetOf(root: unknown, path: readonly PropertyKey[], at: 'key' | 'value'): number {
  let node = root as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    if (!node || !('items' in node)) break;
    const items = (node as { items: unknown[] }).items;
    const item =
      typeof segment === 'number'
        ? items[segment]
        : items.find((pair) => {
            const { key } = pair as { key?: unknown };
            return isScalar(key) && String(key.value) === String(segment);
          });
    if (!item) break;
    const pair = item as { key?: Node; value?: Node | null };
    const isPair = 'key' in pair && 'value' in pair;
    const last = depth === path.length - 1;
    node = isPair ? (pair.value ?? null) : (item as Node);
    offset = (isPair && last && at === 'key' ? pair.key?.range?.[0] : node?.range?.[0]) ?? offset;
  }
  return offset;
}

function shapeError(error: z.ZodError, plain: unknown, locate: Locate): ForayError {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return new ForayError('DEFINITION_INVALID', 'The definition is not a mapping of names to values.', {
      place: locate([]),
      hint: 'It starts with "campaign: NAME" and "model: {name: MODEL}".',
    });
  }
  const issue = cause(error.issues);
  const path = issue.path;
  const where = path.length > 0 ? quoted(path.map(String).join('.')) : 'The definition';
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0]!;
    return new ForayError(
      'DEFINITION_INVALID',
      `${path.length > 0 ? where : 'A definition'} has no setting ${quoted(key)}.`,
      {
        place: locate([...path, key], 'key'),
        hint: didYouMean(key, settingsAt(path)),
      },
    );
  }
  if (valueAt(plain, path) === undefined) {
    return new ForayError('DEFINITION_INVALID', `${where} is missing.`, { place: locate(path) });
  }
  return new ForayError('DEFINITION_INVALID', `${where} is wrong: ${issue.message}.`, {
    place: locate(path),
  });
}

/** What to tell of several issues: a misspelt name explains what is then missing; the innermost says the most. */
function cause(issues: readonly z.core.$ZodIssue[], within: readonly PropertyKey[] = []): z.core.$ZodIssue {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  const path = [...within, ...issue.path];
  if (issue.code === 'invalid_union') {
    // of the shapes that a value may have, the one that it has from outside: the others fail at once
    const inner = issue.errors
      .flat()
      .filter((tried) => tried.path.length > 0 || tried.code === 'unrecognized_keys');
    if (inner.length > 0) return cause(inner, path);
  }
  return { ...issue, path };
}

function valueAt(plain: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined,
    plain,
  );
}

function settingsAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = Definition;
  for (const segment of path) {
    const { shape, def } = unwrapped(schema);
    schema = shape?.[segment] ?? def?.valueType;
  }
  const { shape, def } = unwrapped(schema);
  return Object.keys(shape ?? def?.options?.find((option) => option.shape)?.shape ?? {});
}

interface AnySchema {
  shape?: Record<PropertyKey, unknown>;
  def?: { innerType?: unknown; valueType?: unknown; options?: AnySchema[] };
}

/** The schema behind `.optional()` and `.default()`. */
function unwrapped(schema: unknown): AnySchema {
  const inner = (schema ?? {}) as AnySchema;
  return inner.def?.innerType ? unwrapped(inner.def.innerType) : inner;
}
