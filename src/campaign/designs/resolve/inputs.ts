import { ForayError, type Place } from '../../../errors.ts';
import type { Mistakes } from '../../../yaml/mistake-collector.ts';
import type { Locate } from '../../../yaml/yaml.ts';
import type { FindInput } from '../../find-input.ts';
import type { BaseInput } from '../../types.ts';
import type { ModelInput } from '../../input-values.ts';
import type { PointFile } from '../table.ts';

export type Path = readonly PropertyKey[];

/** The facts and names for resolving a design. */
export interface DesignFacts {
  inputs: readonly ModelInput[];
  locate: Locate;
  /** Finds the input that a name means. */
  find: FindInput;
  /**
   * Checked point files, by their path as written. A file is missing here if it has mistakes, which were already
   * reported.
   */
  pointFiles: Readonly<Record<string, PointFile>>;
  /** The inputs with their values outside the design. */
  base: readonly BaseInput[];
  /** The inputs from whose values a design may change them: the definition gives these values under `inputs`. */
  fixed: ReadonlySet<string>;
  /** The seed for samples that have no seed of their own. */
  seed: number;
  mistakes: Mistakes;
}

export interface GivenInput<T> {
  input: ModelInput;
  value: T;
  path: PropertyKey[];
}

/** The inputs that a design names. Each input may be set once. A wrong input is left out and reported. */
export function inputsIn<T>(
  written: Record<string, T>,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): GivenInput<T>[] {
  const all = new Set(taken);
  return Object.entries(written).flatMap(([name, value]) => {
    const at = [...path, name];
    const input = facts.mistakes.attempt(() => newInput(name, facts, facts.locate(at, 'key'), all));
    return input ? [{ input, value, path: at }] : [];
  });
}

/** Finds the input with a name, and marks it as set. Throws an error if the input was set before or takes a file. */
export function newInput(
  name: string,
  { find }: Pick<DesignFacts, 'find'>,
  place: Place,
  taken: Set<string>,
): ModelInput {
  const input = find(name, place);
  if (taken.has(input.name)) {
    throw new ForayError('INVALID_VALUE', `The input "${input.name}" is given more than once.`, {
      place,
      hint: 'Give it once, under one of inputs, files, design, search, calibrate and fresh.',
    });
  }
  taken.add(input.name);
  if (input.type === 'INPUT_FILE' && !input.addFile) {
    throw new ForayError('INVALID_VALUE', `The input "${input.name}" takes a file.`, {
      place,
      hint: `Write it under "files": {"${input.name}": PATH}.`,
    });
  }
  return input;
}

export function namesOf(inputs: readonly GivenInput<unknown>[]): string[] {
  return inputs.map(({ input }) => input.name);
}
