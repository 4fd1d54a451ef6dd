import { ForayError } from '../errors.ts';
import { matchSchema } from '../yaml/match-schema.ts';
import { Mistakes } from '../yaml/mistake-collector.ts';
import { oneLine } from '../text/suggest.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../yaml/yaml.ts';
import { Definition } from './definition.ts';
import { type DefinitionSource, fileOf, textOf } from './source.ts';

/** A definition, and a function that finds the place of each of its parts in the file. */
export interface ReadDefinition {
  definition: Definition;
  locate: Locate;
  /** The mistakes found so far. */
  mistakes: Mistakes;
}

/**
 * Reads a definition: an object, or a text in YAML or JSON (which is YAML). Wrong settings are left out and added to
 * `mistakes`, so that the rest can be checked as well.
 *
 * @throws ForayError DEFINITION_SYNTAX; DEFINITION_INVALID if nothing else can be checked without the wrong setting
 */
export function readSource(source: DefinitionSource): ReadDefinition {
  const { plain, locate } = 'definition' in source ? readObject(source) : readText(source.text, source.file);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new ForayError('DEFINITION_INVALID', 'The definition is not a mapping of names to values.', {
      place: locate([]),
      hint: 'It starts with "campaign: NAME" and "model: {name: MODEL}".',
    });
  }
  const mistakes = new Mistakes();
  const needed = ['campaign', 'model'];
  const definition = matchSchema(Definition, plain, { locate, mistakes, needed });
  return { definition, locate, mistakes };
}

/** The content of a definition before it is checked. */
type Plain = Pick<ReadYaml, 'plain' | 'locate'>;

/** Reads a definition from a program. A place in the definition is the path of names to a value. */
function readObject(source: Extract<DefinitionSource, { definition: unknown }>): Plain {
  // this throws for an object that cannot become JSON, for example because it contains itself
  textOf(source);
  const file = fileOf(source);
  return {
    plain: source.definition,
    locate: (path) => ({ file, path: oneLine(path.map(String).join('.')) }),
  };
}

/**
 * Reads a text as YAML.
 *
 * @throws ForayError DEFINITION_SYNTAX with the place
 */
export function readText(text: string, file: string): ReadYaml {
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
