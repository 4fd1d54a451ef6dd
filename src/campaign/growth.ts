import { type Design, kindOf } from './designs/index.ts';
import type { GrowthUnit, ResolvedKind } from './designs/kind.ts';

/**
 * The rule by which a sensitivity design gets more points. A size is the number of trajectories, or of base points in
 * all scrambles (independent Sobol sequences) together.
 */
export interface Growth {
  /** The first and the largest size. */
  first: number;
  most: number;
  /** The largest allowed width of an interval: of a Sobol' index, or of μ* relative to the largest μ*. */
  width: number;
  confidence: number;
  /** Names of outputs, and formulas over outputs. */
  outputs: string[];
  rounds: GrowthRound[];
}

/** The size and the widest interval of a growing design at a moment when all its runs had finished. */
export interface GrowthRound {
  size: number;
  /** The number of runs that were done at that moment. */
  runs: number;
  /**
   * The width of the widest interval, with the output and the input (or the pair of inputs) of its index. Null if no
   * output has an index: each output has too few values, or the same value at all points.
   */
  widest: { width: number; output: string; input: string } | null;
}

export function growingSize(design: Design): number {
  return growthRules(design).size(coreOf(design));
}

/** The same design with another number of base points or trajectories. */
export function grown(design: Design, size: number): Design {
  if (design.kind === 'refined') return { ...design, design: grown(design.design, size) };
  return growthRules(design).grown(design, size);
}

function growthRules(design: Design): NonNullable<ResolvedKind<Design>['growth']> {
  const core = coreOf(design);
  const { growth } = kindOf(core);
  if (!growth) throw new Error(`A ${core.kind} cannot grow`);
  return growth;
}

/** A design without its computed inputs and its condition. */
function coreOf(design: Design): Design {
  return design.kind === 'refined' ? coreOf(design.design) : design;
}

/** The size of a design after a round; undefined if it stays the same. */
export function nextSize(
  { most, width }: Pick<Growth, 'most' | 'width'>,
  { size, widest }: GrowthRound,
): number | undefined {
  if (widest === null || widest.width <= width || size >= most) return undefined;
  return Math.min(2 * size, most);
}

interface Growing {
  design: Design;
  growth: Growth;
}

/**
 * If two growing designs differ only in their size, the changed one gets the larger size. It also keeps its rounds if
 * the outputs and the confidence of the growth stay the same.
 */
export function keptGrown(before: Growing, after: Growing): Growing {
  if (!isSameButSize(before.design, after.design)) return after;
  const size = Math.max(growingSize(before.design), growingSize(after.design));
  const judged = ({ growth: { outputs, confidence } }: Growing): string =>
    JSON.stringify([outputs, confidence]);
  return {
    design: grown(after.design, size),
    growth:
      judged(before) === judged(after) ? { ...after.growth, rounds: before.growth.rounds } : after.growth,
  };
}

function isSameButSize(one: Design, other: Design): boolean {
  const atSize = (design: Design): string => JSON.stringify(grown(design, growingSize(one)));
  return atSize(one) === atSize(other);
}

export interface GrowthProgress extends Pick<Growth, 'most' | 'width' | 'rounds'> {
  /** The unit of the sizes. */
  unit: GrowthUnit;
  /** The current size of the design. */
  size: number;
}

export function growthProgress({ design, growth }: Growing): GrowthProgress {
  const { unit } = growthRules(design);
  const { most, width, rounds } = growth;
  return { unit, size: growingSize(design), most, width, rounds };
}

/** "1,024 base points, at most 8,192; with 512 the widest interval was 0.083 wide (…, …); the limit is 0.05" */
export function growthText({ unit, size, most, width, rounds }: GrowthProgress): string {
  const last = rounds.at(-1);
  const sizes = `${number(size)} ${unit}, at most ${number(most)}`;
  if (!last) return `${sizes}: until each interval is at most ${width} wide`;
  if (last.widest === null)
    return `${number(size)} ${unit}: no interval is known, because outputs have no values or are the same at all points`;
  const { input, output } = last.widest;
  const of = `(${input}, ${output})`;
  const widest = widthText(last.widest.width);
  if (last.size < size)
    return `${sizes}; with ${number(last.size)} the widest interval was ${widest} wide ${of}; the limit is ${width}`;
  if (last.widest.width <= width)
    return `${number(size)} ${unit}: the widest interval is ${widest} wide ${of}; the limit is ${width}`;
  return `${number(size)} ${unit} (the maximum): the widest interval is ${widest} wide ${of}; the limit is ${width}`;
}

/** A width in words. An interval that is unknown counts as very wide. */
function widthText(width: number): string {
  return width > 1_000 ? 'infinitely' : String(Number(width.toPrecision(2)));
}

function number(value: number): string {
  return value.toLocaleString('en');
}
