import type { InputType } from '../../api/index.ts';
import type { Distribution } from '../sampling/distributions.ts';
import type { SamplingMethod } from '../sampling/unit-points.ts';

/** An input of a sample, and how it is spread. */
export interface SpreadInput {
  name: string;
  /** It takes whole numbers only. */
  isWhole: boolean;
  distribution: Distribution;
}

/** An input that is computed from others. */
export interface Derivation {
  name: string;
  type: InputType;
  expression: string;
}

/**
 * A design after every name and value in it was checked: all values are canonical. It is plain JSON, self-contained but
 * for the rows of a file, which lie in the store under its hash.
 */
export type Design =
  /** `values`: those of each input, in the order of the inputs. */
  | { kind: 'grid' | 'zip' | 'oneAtATime'; inputs: string[]; values: string[][] }
  | { kind: 'list'; inputs: string[]; rows: string[][] }
  | { kind: 'file'; inputs: string[]; path: string; hash: string; count: number }
  | {
      kind: 'sample';
      method: SamplingMethod;
      points: number;
      seed: number;
      scramble: boolean;
      inputs: SpreadInput[];
    }
  | { kind: 'product' | 'union'; designs: Design[] }
  | { kind: 'refined'; design: Design; derive: Derivation[]; where: string | null };

/** One point, in which nothing varies. */
export const NO_DESIGN: Design = { kind: 'grid', inputs: [], values: [] };

/** The inputs that a design varies, in the order of their first mention. */
export function inputsOf(design: Design): string[] {
  switch (design.kind) {
    case 'grid':
    case 'zip':
    case 'oneAtATime':
    case 'list':
    case 'file':
      return design.inputs;
    case 'sample':
      return design.inputs.map(({ name }) => name);
    case 'product':
    case 'union':
      return [...new Set(design.designs.flatMap(inputsOf))];
    case 'refined':
      return [...inputsOf(design.design), ...design.derive.map(({ name }) => name)];
  }
}

/** A design and all that it is made of. */
export function* nested(design: Design): Generator<Design> {
  yield design;
  if ('designs' in design) for (const member of design.designs) yield* nested(member);
  if (design.kind === 'refined') yield* nested(design.design);
}

/** The files that a design's rows are in. */
export function filesOf(design: Design): Extract<Design, { kind: 'file' }>[] {
  return [...nested(design)].filter((one) => one.kind === 'file');
}

/** Whether a design computes inputs from others, which may come to what an input cannot take. */
export function hasDerived(design: Design): boolean {
  return nested(design).some((one) => one.kind === 'refined' && one.derive.length > 0);
}

/** Whether a design leaves points out. */
export function hasCondition(design: Design): boolean {
  return nested(design).some((one) => one.kind === 'refined' && one.where !== null);
}

/**
 * How many points a design has, where that can be told without making them: undefined where points may be left out or
 * be there twice.
 */
export function sizeOf(design: Design): number | undefined {
  switch (design.kind) {
    case 'grid':
      return design.values.reduce((product, { length }) => product * length, 1);
    case 'zip':
      return design.values[0]?.length ?? 0;
    case 'list':
      return design.rows.length;
    case 'file':
      return design.count;
    case 'product': {
      const sizes = design.designs.map(sizeOf);
      return sizes.includes(undefined) ? undefined : sizes.reduce((all, size) => all! * size!, 1);
    }
    case 'refined':
      return design.where === null ? sizeOf(design.design) : undefined;
    case 'oneAtATime':
    case 'sample':
    case 'union':
      return undefined;
  }
}

/** How many rows a design has at most, repeats and what is left out included. */
export function mostRows(design: Design): number {
  switch (design.kind) {
    case 'oneAtATime':
      return design.values.reduce((sum, { length }) => sum + length, 1);
    case 'sample':
      return design.points;
    case 'union':
      return design.designs.reduce((sum, member) => sum + mostRows(member), 0);
    case 'product':
      return design.designs.reduce((product, member) => product * mostRows(member), 1);
    case 'refined':
      return mostRows(design.design);
    case 'grid':
    case 'zip':
    case 'list':
    case 'file':
      return sizeOf(design)!;
  }
}

/** Inputs whose values a design gives point by point, as samples, lists and files do: nothing says that they form a grid. */
export function scatteredInputs(design: Design): Set<string> {
  return new Set(
    [...nested(design)].flatMap((one) => {
      if (one.kind === 'list' || one.kind === 'file') return one.inputs;
      if (one.kind !== 'sample') return [];
      return one.inputs.filter(({ distribution }) => distribution.kind !== 'choice').map(({ name }) => name);
    }),
  );
}

/** The values that a design lists of its inputs, in its order; inputs of which it lists none are not there. */
export function levelsOf(design: Design): Map<string, readonly string[]> {
  switch (design.kind) {
    case 'grid':
    case 'zip':
      return new Map(design.inputs.map((name, at) => [name, design.values[at]!]));
    case 'list':
      return new Map(design.inputs.map((name, at) => [name, design.rows.map((row) => row[at]!)]));
    case 'sample':
      return new Map(
        design.inputs.flatMap(({ name, distribution }) =>
          distribution.kind === 'choice' ? [[name, distribution.values] as const] : [],
        ),
      );
    case 'product':
      return new Map(design.designs.flatMap((member) => [...levelsOf(member)]));
    case 'refined':
      return levelsOf(design.design);
    // they leave inputs as they are, of which nothing is known here
    case 'oneAtATime':
    case 'union':
    case 'file':
      return new Map();
  }
}
