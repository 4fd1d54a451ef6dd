import type * as z from 'zod';
import { ForayError, type Place } from '../../errors.ts';
import type { Mistakes } from '../../yaml/mistake-collector.ts';
import type { Locate } from '../../yaml/yaml.ts';
import type { ModelInput } from '../input-values.ts';
import { pointKeys } from '../keys.ts';
import { type BaseInput, givenTwice, takesFile } from './input-types.ts';
import type { PointFile } from './table.ts';

/**
 * What a kind of design is. Each kind has one file with both parts: {@link WrittenKind} for what a person writes, and
 * {@link ResolvedKind} for what a campaign keeps. `index.ts` has the table of all kinds. Workflows must not import these
 * files: zod would double their bundle.
 */

export type Path = readonly PropertyKey[];

/** A kind of design as a person writes it: `design: {KIND: …}`. */
export interface WrittenKind<Written, Resolved> {
  /** What the kind is called in a form; undefined for kinds that contain other designs, which a form does not show. */
  title?: string;
  schema: z.ZodType<Written, Written>;
  /**
   * Checks every name and value. Mistakes are thrown, or added to `facts.mistakes`; then undefined may be returned.
   *
   * @param path the place of the written part in the definition
   * @param taken inputs that another part of the definition already sets
   */
  resolve: (
    written: Written,
    facts: DesignFacts,
    path: Path,
    taken: ReadonlySet<string>,
  ) => Resolved | undefined;
  /**
   * The name of a design whose analysis needs exactly its points, and what to do instead of leaving points out. Undefined
   * if the design may have a condition and be a part of others.
   */
  needsAllPoints?: (written: Written) => { name: string; hint: string } | undefined;
}

export type GrowthUnit = 'base points' | 'trajectories';

/** A kind of design whose names and values were all checked. It is plain JSON. */
export interface ResolvedKind<D> {
  /** The inputs that the design varies, in the order of their first mention. By default those of its `inputs`. */
  inputs?: (design: D) => string[];
  /**
   * The rows in their order: canonical values, in the order of the inputs. They may repeat if the size is unknown. In
   * place of a row that the design leaves out, it may give undefined, so that the caller can pause meanwhile.
   */
  rows: (design: D, context: RowContext) => Iterable<Row | undefined>;
  /**
   * The number of points. It is unknown before the points are made if points may be left out or repeated; by default it
   * is unknown.
   */
  size?: (design: D) => number | undefined;
  /** The largest possible number of rows, including repeated and omitted rows. By default the size. */
  mostRows?: (design: D) => number;
  /**
   * The values that the design lists for each input, in its order. By default none: a kind may also use base values, and
   * the values of a file are in the store.
   */
  levels?: (design: D) => Iterable<readonly [string, readonly string[]]>;
  /** The inputs with values that are not on a grid, and how many points share a value on average. By default none. */
  scattered?: (design: D) => [string, number][];
  /** The lines that describe the design in a plan. By default none. */
  about?: (design: D) => string[];
  /** For a design that can grow. */
  growth?: {
    unit: GrowthUnit;
    /** The number of units. */
    size: (design: D) => number;
    /** The design with another size. Base points that cannot be divided over the scrambles are left out. */
    grown: (design: D, size: number) => D;
  };
  isForSensitivity?: true;
}

/** A kind of design that is resolved to the same kind. */
export type Kind<Written, D> = WrittenKind<Written, D> & ResolvedKind<D>;

/** Canonical values of the inputs of a design, in the order of the inputs. */
export type Row = readonly string[];

/** The data that determine the rows of a design, besides the design itself. */
export interface RowContext {
  /** The inputs of the version. Each input has the value that it takes when the design does not vary it. */
  base: readonly BaseInput[];
  /** The contents of point files, by the hash of the file. */
  contents: ReadonlyMap<string, Uint8Array>;
}

/** What the kinds that contain other designs can do with any design `D`. */
export interface AnyDesign<D> {
  inputsOf: (design: D) => string[];
  rowsWithPauses: (design: D, context: RowContext) => Iterable<Row | undefined>;
  sizeOf: (design: D) => number | undefined;
  mostRows: (design: D) => number;
  levelsOf: (design: D) => Iterable<readonly [string, readonly string[]]>;
  /** Whether equal rows count each: samples draw them, and files repeat them. */
  hasDraws: (design: D) => boolean;
}

/** The same, for the kinds that a person writes as a list of designs. */
export interface AnyWrittenDesign<Written, D> extends AnyDesign<D> {
  /** The shape of the list. */
  members: z.ZodType<Written[], Written[]>;
  resolveMember: (
    whole: 'product' | 'union',
    written: Written,
    facts: DesignFacts,
    path: Path,
    taken: ReadonlySet<string>,
  ) => D;
}

/** What is known outside of a design when it is resolved. */
export interface DesignFacts {
  inputs: readonly ModelInput[];
  locate: Locate;
  /** Finds the input that a name means. @throws ForayError UNKNOWN_INPUT */
  find: (written: string, place: Place) => ModelInput;
  /**
   * Checked point files, by their path as written. A file is missing here if it has mistakes, which were already
   * reported.
   */
  pointFiles: Readonly<Record<string, PointFile>>;
  /** The inputs with their values outside the design. */
  base: readonly BaseInput[];
  /** The inputs that the definition gives under `inputs` and `files`. Some kinds start from these values and vary them. */
  fixed: ReadonlySet<string>;
  /** The seed for samples that have no seed of their own. */
  seed: number;
  mistakes: Mistakes;
}

/** An input that a design names, with what it gives the input, and where. */
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
  const takenSoFar = new Set(taken);
  return Object.entries(written).flatMap(([name, value]) => {
    const at = [...path, name];
    const input = facts.mistakes.attempt(() => newInput(name, facts, facts.locate(at, 'key'), takenSoFar));
    return input ? [{ input, value, path: at }] : [];
  });
}

/**
 * Finds the input with a name, and adds it to the taken ones. Throws an error if it was taken before, or if it takes a
 * file that may not differ between points (without `addFile`).
 */
export function newInput(
  name: string,
  { find }: Pick<DesignFacts, 'find'>,
  place: Place,
  taken: Set<string>,
): ModelInput {
  const input = find(name, place);
  if (taken.has(input.name)) throw givenTwice(input.name, place);
  taken.add(input.name);
  if (input.type === 'INPUT_FILE' && !input.addFile) throw takesFile(input.name, place);
  return input;
}

export function namesOf(inputs: readonly GivenInput<unknown>[]): string[] {
  return inputs.map(({ input }) => input.name);
}

/** The values of inputs when a design does not vary them. */
export function baseValues(inputs: readonly string[], base: readonly BaseInput[]): string[] {
  return inputs.map((name) => base.find((input) => input.name === name)!.value);
}

/**
 * Returns a function that puts the values of the inputs `from` into the order of the inputs `to`. An input that is not
 * in `from` gets its value from `others`.
 *
 * @param others - a value for each input of `to`
 */
export function reordering(
  from: readonly string[],
  to: readonly string[],
  others: readonly string[],
): (values: readonly string[]) => string[] {
  const places = to.map((name) => from.indexOf(name));
  return (values) => places.map((place, at) => (place < 0 ? others[at]! : values[place]!));
}

/** Returns a function that takes each row with its number, from 0, and throws an error for a repeated row. */
export function repeatCheck(
  names: readonly string[],
  placeOf: (row: number) => Place,
): (values: readonly string[], row: number) => void {
  const keyOf = pointKeys(names);
  const rows = new Map<string, number>();
  return (values, row) => {
    const key = keyOf(values);
    const before = rows.get(key);
    if (before !== undefined) {
      throw new ForayError('INVALID_VALUE', `Point ${row + 1} is the same as point ${before + 1}.`, {
        place: placeOf(row),
        hint: 'Use replications to repeat a point.',
      });
    }
    rows.set(key, row);
  };
}
