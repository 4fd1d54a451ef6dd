import type { InputType } from '../../api/index.ts';

/** An input that a search varies. Values are in the units of the input. */
export type SearchedInput = { name: string; type: InputType } & (
  | {
      kind: 'range';
      min: number;
      max: number;
      scale: 'linear' | 'log';
      /** The distance between values, from `min` on; null where every value is allowed. */
      step: number | null;
      /** Digits after the decimal point that values are rounded to; null for twelve digits in all. */
      digits: number | null;
    }
  /** `values` are canonical; `isOrdered` when they are numbers, which are in their order then. */
  | { kind: 'choice'; values: string[]; isOrdered: boolean }
);

/** What the outputs of a point have to keep. */
export interface Requirement {
  /** The name of an output, or a formula. */
  output: string;
  min: number | null;
  max: number | null;
  /** The share of the runs in which it is to hold; null where the mean is meant. */
  chance: number | null;
}

/** When a search ends: at the first of these; null where it does not matter. */
export interface StopRule {
  points: number | null;
  runs: number | null;
  value: number | null;
  gain: number | null;
  stall: number | null;
}

/** How the best points of a search are compared once more. */
export interface Confirmation {
  best: number;
  replications: number;
  indifference: number;
  confidence: number;
  report: number;
}

/**
 * Which point of a design is the best: by the procedure of Kim and Nelson until that is certain (kn), or with a budget of runs (ocba).
 * The goal is the campaign's. Plain JSON.
 */
export type Selection = { require: Requirement[]; report: number } & Rule;

/** `indifference`: a difference that does not matter. `runs`: the budget, the first replications included. */
type Rule = { method: 'kn'; indifference: number; confidence: number } | { method: 'ocba'; runs: number };

export type MethodName = 'gp' | 'cma' | 'direct';

/** A search after every name and value in it was checked. Its goal is the campaign's. Plain JSON. */
export interface Search {
  inputs: SearchedInput[];
  where: string | null;
  require: Requirement[];
  method: MethodName;
  /** Points that are open at once. */
  parallel: number;
  stop: StopRule;
  confirm: Confirmation | null;
  /** Replications of a point at most, when it gets as many as tell it from the best one; null where each gets the same number. */
  most: number | null;
}
