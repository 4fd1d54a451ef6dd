import type { InputType } from '../../api/index.ts';
import type { Distribution } from '../sampling/distributions.ts';
import type { SamplingMethod } from '../sampling/unit-points.ts';

/** An input of a sample, and its distribution. */
export interface SpreadInput {
  name: string;
  /** True if the input takes only whole numbers. */
  isWhole: boolean;
  distribution: Distribution;
}

/** An input that the design computes from other inputs. */
export interface Derivation {
  name: string;
  type: InputType;
  expression: string;
}

/**
 * Morris trajectories: `trajectories` × (inputs + 1) rows, one trajectory after the other. The first row of a
 * trajectory is its start. Each further row changes one input.
 */
export interface Morris {
  kind: 'morris';
  inputs: SpreadInput[];
  trajectories: number;
  /** The number of levels of each input, an even number. */
  levels: number;
  seed: number;
}

/**
 * Points for Sobol' indices, from `scrambles` independent Sobol sequences. Each sequence gives `points` base points.
 *
 * A base point is a pair of points A and B. ABj is A with the value of input j from B. BAj is B with the value of input
 * j from A. Each base point gives these rows: A, AB1 … ABk, then BA1 … BAk (only with `secondOrder`), then B. The first
 * base point of each sequence comes first, then the second one of each, and so on. So a larger number of points only
 * appends rows.
 */
export interface Saltelli {
  kind: 'saltelli';
  inputs: SpreadInput[];
  points: number;
  scrambles: number;
  secondOrder: boolean;
  seed: number;
}

/**
 * All combinations of two or more values of each input. With two values of each input, it can also be a regular
 * fraction of all combinations.
 */
export interface Factorial {
  kind: 'factorial';
  inputs: string[];
  /**
   * Canonical values of each input. If there are two, the first is the low level (-1) and the second is the high level
   * (+1).
   */
  values: string[][];
  /**
   * One entry for each input. A basic input has null and takes all its values. The level of any other input is the
   * product of the levels (-1 or +1) of some basic inputs, times the sign. `of` has the places of these basic inputs in
   * `inputs`.
   */
  generators: (FactorGenerator | null)[];
}
export interface FactorGenerator {
  of: number[];
  sign: 1 | -1;
}

/**
 * A design whose names and values were all checked. All values are canonical. It is plain JSON and self-contained,
 * except the rows of a file, which are in the store under the hash of the file.
 */
export type Design =
  /** `values`: one list for each input, in the order of the inputs. */
  | { kind: 'grid' | 'zip' | 'oneAtATime'; inputs: string[]; values: string[][] }
  | { kind: 'list'; inputs: string[]; rows: string[][] }
  /** `repeats`: the number of rows that are equal to earlier rows; absent if there are none. */
  | { kind: 'file'; inputs: string[]; path: string; hash: string; count: number; repeats?: number }
  | {
      kind: 'sample';
      method: SamplingMethod;
      points: number;
      seed: number;
      scramble: boolean;
      inputs: SpreadInput[];
    }
  | Morris
  | Saltelli
  | Factorial
  /**
   * One unchanged point, then two points for each input: one with a value below the base value, and one with a value
   * above the base value. `values`: for each input, the canonical values [low, high].
   */
  | { kind: 'onePerInput'; inputs: string[]; values: string[][] }
  | { kind: 'product' | 'union'; designs: Design[] }
  | { kind: 'refined'; design: Design; derive: Derivation[]; where: string | null };

/** A design with one point and no varied input. */
export const NO_DESIGN: Design = { kind: 'grid', inputs: [], values: [] };

/** A design over some inputs without points, which are found while the campaign runs. */
export function pointsOver(inputs: readonly { name: string }[]): Design {
  return { kind: 'list', inputs: inputs.map(({ name }) => name), rows: [] };
}

/** The inputs that a design varies, in the order of their first mention. */
export function inputsOf(design: Design): string[] {
  switch (design.kind) {
    case 'grid':
    case 'zip':
    case 'oneAtATime':
    case 'list':
    case 'file':
    case 'factorial':
    case 'onePerInput':
      return design.inputs;
    case 'sample':
    case 'morris':
    case 'saltelli':
      return design.inputs.map(({ name }) => name);
    case 'product':
    case 'union':
      return [...new Set(design.designs.flatMap(inputsOf))];
    case 'refined':
      return [...inputsOf(design.design), ...design.derive.map(({ name }) => name)];
  }
}

/** A design and all designs within it. */
export function* nested(design: Design): Generator<Design> {
  yield design;
  if ('designs' in design) for (const member of design.designs) yield* nested(member);
  if (design.kind === 'refined') yield* nested(design.design);
}

/** Whether a kind of design is made for a sensitivity analysis. */
const FOR_SENSITIVITY: Record<Design['kind'], boolean> = {
  grid: false,
  zip: false,
  oneAtATime: true,
  list: false,
  file: false,
  sample: false,
  morris: true,
  saltelli: true,
  factorial: true,
  onePerInput: true,
  product: false,
  union: false,
  refined: false,
};

/** Whether a design, or a design within it, is made for a sensitivity analysis. */
export function isSensitivityDesign(design: Design): boolean {
  return nested(design).some(({ kind }) => FOR_SENSITIVITY[kind]);
}

/** The files with the rows of a design. */
export function filesOf(design: Design): Extract<Design, { kind: 'file' }>[] {
  return [...nested(design)].filter((one) => one.kind === 'file');
}

/** Whether a design computes inputs from others. A computed value may be invalid for its input. */
export function hasDerived(design: Design): boolean {
  return nested(design).some((one) => one.kind === 'refined' && one.derive.length > 0);
}

/** Whether a design, or a design within it, has a condition that leaves points out. */
export function hasCondition(design: Design): boolean {
  return nested(design).some((one) => one.kind === 'refined' && one.where !== null);
}

/** Whether the points of a design, or of a design within it, depend on a seed. */
export function isRandom(design: Design): boolean {
  return nested(design).some((one) => 'seed' in one);
}

/** Whether a design, or a design within it, draws its points or has rows that repeat, so that equal rows count. */
export function hasDraws(design: Design): boolean {
  return nested(design).some(
    (one) => one.kind === 'sample' || (one.kind === 'file' && one.repeats !== undefined),
  );
}

/**
 * The number of points of a design; undefined if it is unknown before the points are made, because points may be left
 * out or repeated.
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
      return design.repeats === undefined ? design.count : undefined;
    case 'product': {
      const sizes = design.designs.map(sizeOf);
      return sizes.includes(undefined) ? undefined : sizes.reduce((all, size) => all! * size!, 1);
    }
    case 'refined':
      return design.where === null ? sizeOf(design.design) : undefined;
    case 'factorial':
      return combinationsOf(design);
    case 'onePerInput':
      return 1 + 2 * design.inputs.length;
    case 'oneAtATime':
    case 'sample':
    case 'morris':
    case 'saltelli':
    case 'union':
      return undefined;
  }
}

/** The largest possible number of rows of a design, including repeated and omitted rows. */
export function mostRows(design: Design): number {
  switch (design.kind) {
    case 'oneAtATime':
      return design.values.reduce((sum, { length }) => sum + length, 1);
    case 'file':
      return design.count;
    case 'sample':
      return design.points;
    case 'morris':
      return design.trajectories * (design.inputs.length + 1);
    case 'saltelli': {
      const { inputs, points, scrambles, secondOrder } = design;
      return points * scrambles * ((secondOrder ? 2 : 1) * inputs.length + 2);
    }
    case 'union':
      return design.designs.reduce((sum, member) => sum + mostRows(member), 0);
    case 'product':
      return design.designs.reduce((product, member) => product * mostRows(member), 1);
    case 'refined':
      return mostRows(design.design);
    case 'grid':
    case 'zip':
    case 'list':
    case 'factorial':
    case 'onePerInput':
      return sizeOf(design)!;
  }
}

/** The number of points of a factorial: all combinations of its basic inputs. */
function combinationsOf({ values, generators }: Factorial): number {
  return values.reduce((product, { length }, at) => (generators[at] ? product : product * length), 1);
}
