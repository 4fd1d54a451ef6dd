import type { z } from 'zod';
import { ForayError } from '../errors.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../yaml.ts';
import { Definition } from './definition.ts';
import { didYouMean, oneLine, quoted } from './suggest.ts';

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
  const { plain, locate } = readText(text, file);
  const result = Definition.safeParse(plain);
  if (!result.success) throw shapeError(result.error, plain, locate);
  return { definition: result.data, locate };
}

function readText(text: string, file: string): ReadYaml {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ForayError('DEFINITION_SYNTAX', `The definition is not valid YAML: ${oneLine(error.message)}`, {
      place: error.place,
    });
  }
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
