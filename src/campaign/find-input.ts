import { nameKey } from '../api/index.ts';
import { quoted } from '../text/suggest.ts';
import { UnknownNameError } from '../unknown-name.ts';
import { givenTwice } from './designs/input-types.ts';
import type { DesignFacts } from './designs/kind.ts';
import type { ModelFacts } from './facts.ts';
import type { ModelInput } from './input-values.ts';
import type { ReadDefinition } from './read.ts';
import type { WantedFiles } from './varied-files.ts';

/**
 * Finds the inputs of a model by their names.
 *
 * @param wanted - gets the files that the definition names for inputs that differ between points
 */
export function inputFinder(facts: ModelFacts, wanted?: WantedFiles): DesignFacts['find'] {
  const { inputs } = facts.version.experimentTemplate;
  const withFiles = inputs.map((input): ModelInput => {
    if (input.type !== 'INPUT_FILE' || !wanted) return input;
    return { ...input, addFile: (written, place) => wanted.add(input.name, written, place) };
  });
  const byKey = new Map(withFiles.map((input) => [nameKey(input.name), input]));
  return (written, place) => {
    const found = byKey.get(nameKey(written));
    if (found) return found;
    const message = `The model "${facts.name}" has no input ${quoted(written)}.`;
    const known = inputs.map(({ name }) => name);
    throw new UnknownNameError('UNKNOWN_INPUT', message, { name: written, known, place });
  };
}

/** Notes that an input is given at a path of the definition. @throws ForayError INVALID_VALUE the second time */
export type GiveOnce = (name: string, path: string[]) => void;

/** @param given - the inputs that were given so far */
export function onceEach(given: Set<string>, locate: ReadDefinition['locate']): GiveOnce {
  return (name, path) => {
    if (given.has(name)) throw givenTwice(name, locate(path, 'key'));
    given.add(name);
  };
}
