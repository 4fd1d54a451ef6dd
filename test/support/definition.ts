import { pointKeys } from '../../src/campaign/keys.ts';
import { type ReadDefinition, readSource } from '../../src/campaign/read.ts';

/**
 * Reads the text of a definition.
 *
 * @throws ForayError DEFINITION_SYNTAX, DEFINITION_INVALID with the place
 */
export function readDefinition(text: string, file: string): ReadDefinition {
  const read = readSource({ text, file });
  read.mistakes.throwAny();
  return read;
}

/** The key of a point with these canonical inputs. */
export function pointKey(inputs: readonly { name: string; value: string }[]): string {
  return pointKeys(inputs.map(({ name }) => name))(inputs.map(({ value }) => value));
}
