import type { InputType } from '../../api/index.ts';
import type { Computed } from './computed.ts';

/** An input that a search varies. Values are in the units of the input. */
export type SearchedInput = { name: string; type: InputType } & (
  | {
      kind: 'range';
      min: number;
      max: number;
      scale: 'linear' | 'log';
      /** The distance between values, from `min` on; null where every value is allowed. */
      step: number | null;
      /** The digits after the decimal point to which values are rounded; null: as `rounded` does. */
      digits: number | null;
    }
  /** `values` are canonical. `isOrdered`: they are numbers, in ascending order. */
  | { kind: 'choice'; values: string[]; isOrdered: boolean }
);

/** A requirement on the outputs of a point. */
export interface Requirement {
  /** The name of an output, or a formula. */
  output: string;
  min: number | null;
  max: number | null;
  /** The share of the runs in which the requirement must hold; null if the mean must meet the requirement. */
  chance: number | null;
}

/** The stopping rules of a search, which ends at the first one that holds. Null means no rule. */
export interface StopRule {
  points: number | null;
  runs: number | null;
  /** The value that is good enough. */
  value: number | null;
  /** The least improvement that the method expects from the next point. */
  gain: number | null;
  /** The most points without a better one. */
  stall: number | null;
}

/** How a search compares its best points again at its end. */
export interface Confirmation {
  /** The number of points that are compared. */
  best: number;
  /** The new replications of each point before the first point is left out. */
  replications: number;
  /** A difference that does not matter, in the units of the output. */
  indifference: number;
  confidence: number;
  /** The number of further replications of the winner, which give its value. */
  report: number;
}

/**
 * A selection of the best point of a design: by the procedure of Kim and Nelson until it has the wanted confidence
 * (kn), or with a budget of runs (ocba). `report` is as in a {@link Confirmation}. Its goal is a setting of the campaign.
 * It is plain JSON.
 */
export type Selection = { require: Requirement[]; report: number } & Rule;

/**
 * `indifference`: a difference that does not matter. `runs`: the budget, the first replications included. With a
 * budget, `confidence` is the confidence of the intervals; it is then absent if it is the default.
 */
type Rule =
  | { method: 'kn'; indifference: number; confidence: number }
  | { method: 'ocba'; runs: number; confidence?: number };

/** The search methods of foray. `search/methods/index.ts` has the code of each. */
export const methodNames = ['gp', 'cma', 'direct'] as const;
export type MethodName = (typeof methodNames)[number];

/** An optimiser that is a separate program (docs/guides/search.md, Outside optimisers). The worker starts it. */
export interface OutsideMethod {
  /** The program and its arguments, as written. */
  command: string[];
  /** The folder of the definition, in which the program runs. */
  folder: string;
  /**
   * Maps each word of the command that is the path of a file (from that folder) to the file's SHA-256 at submission.
   */
  files: Record<string, string>;
  /** Options for the program, besides the problem. */
  options: Record<string, unknown>;
  /** The longest time for an answer, ms. */
  timeout: number;
}

/** The display name of a method: the name of a built-in method, or the command of an outside optimiser. */
export function nameOfMethod(method: MethodName | Pick<OutsideMethod, 'command'>): string {
  return typeof method === 'string' ? method : method.command.join(' ');
}

/** The inputs of a point of a search, in the order of its values: the searched ones, then the computed ones. */
export function inputsOfSearch({
  inputs,
  derive = [],
}: Pick<Search, 'inputs' | 'derive'>): { name: string; type: InputType }[] {
  return [...inputs, ...derive];
}

/** A search with checked names and values. Its goal is a setting of the campaign. It is plain JSON. */
export interface Search {
  inputs: SearchedInput[];
  where: string | null;
  /** The inputs that are computed from others, one after the other; absent if there are none. */
  derive?: Computed[];
  require: Requirement[];
  method: MethodName | OutsideMethod;
  /** The number of points that are open at once. */
  parallel: number;
  /**
   * `fixed`: ask n waits for the result of ask n - `parallel`. `free`: it does not wait for a particular ask. Absent
   * means `fixed`.
   */
  order?: 'fixed' | 'free';
  stop: StopRule;
  /** The campaign whose points the search begins with; absent if it begins without points. */
  start?: { campaign: string };
  confirm: Confirmation | null;
  /**
   * The maximum number of replications of a point that is raced against the best point; null if each point gets the
   * same number.
   */
  most: number | null;
}
