import { ForayError } from '../errors.ts';
import { type SchemaError, schemaErrors } from '../yaml/schema-error.ts';
import { Mistakes } from '../yaml/mistake-collector.ts';
import { oneLine } from '../text/suggest.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../yaml/yaml.ts';
import { Definition } from './definition.ts';

/** A definition that can tell the place of each of its parts in the file. */
export interface ReadDefinition {
  definition: Definition;
  locate: Locate;
  /** The mistakes found so far. */
  mistakes: Mistakes;
}

/**
 * Reads the text of a definition, YAML or JSON (which is YAML).
 *
 * @param file the name at the beginning of errors
 * @throws ForayError DEFINITION_SYNTAX, DEFINITION_INVALID with the place
 */
export function readDefinition(text: string, file: string): ReadDefinition {
  const read = beginDefinition(text, file);
  read.mistakes.throwAny();
  return read;
}

/**
 * Like {@link readDefinition}, but wrong settings are left out and added to `mistakes`, so that the rest can be checked
 * as well.
 *
 * @throws ForayError DEFINITION_SYNTAX; DEFINITION_INVALID if nothing else can be checked without the wrong setting
 */
export function beginDefinition(text: string, file: string): ReadDefinition {
  const { plain, locate } = readText(text, file);
  return checkShape(plain, locate);
}

/**
 * Like {@link beginDefinition}, for a definition from a program. Its places are the names on the path to a value.
 *
 * @param file the name to put in front of errors
 */
export function beginObject(plain: unknown, file: string): ReadDefinition {
  return checkShape(plain, (path) => ({ file, path: oneLine(path.map(String).join('.')) }));
}

/** The most attempts to leave out wrong settings, one for each level of nesting. */
const MOST_TRIES = 20;

function checkShape(plain: unknown, locate: Locate): ReadDefinition {
  const mistakes = new Mistakes();
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new ForayError('DEFINITION_INVALID', 'The definition is not a mapping of names to values.', {
      place: locate([]),
      hint: 'It starts with "campaign: NAME" and "model: {name: MODEL}".',
    });
  }
  let rest: object = plain;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const result = Definition.safeParse(rest);
    if (result.success) return { definition: result.data, locate, mistakes };
    const found = schemaErrors(result.error, Definition, rest, 'definition');
    // an error that appears only because a wrong setting was left out is not another mistake
    if (tries === 0) for (const one of found) mistakes.add(shapeError(one, locate));
    if (found.some(({ path: [setting] }) => setting === undefined || isRequired(setting))) break;
    for (const { path } of found) rest = without(rest, path);
  }
  mistakes.throwAny();
  throw new Error('a definition is wrong and has no mistake');
}

function shapeError({ message, path, at, hint }: SchemaError, locate: Locate): ForayError {
  return new ForayError('DEFINITION_INVALID', message, { place: locate(path, at), hint });
}

/** True for a setting that all other checks need. If it is wrong, no other mistake is reported. */
function isRequired(setting: PropertyKey): boolean {
  return setting === 'campaign' || setting === 'model';
}

/** A copy without the value at a path. If the value is missing, or an item of a list, its parent is left out. */
function without(whole: object, [segment, ...rest]: readonly PropertyKey[]): object {
  const { [segment!]: inner, ...others } = whole as Record<PropertyKey, unknown>;
  const goesOn = rest.length > 0 && typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  if (!goesOn || !Object.hasOwn(inner, rest[0]!)) return others;
  return { ...others, [segment!]: without(inner, rest) };
}

function readText(text: string, file: string): ReadYaml {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ForayError('DEFINITION_SYNTAX', `The definition is not valid YAML: ${oneLine(error.message)}`, {
      place: error.place,
      hint: error.hint,
    });
  }
}
