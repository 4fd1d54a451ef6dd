/**
 * The log of a search: what was asked, what it was told, and what was decided. It is the truth: all else that a search knows is a
 * function of the definition, the seed and the log.
 */
export interface SearchLog {
  /** In the order of their numbers, which are their indices. */
  asks: Ask[];
  /** In their order. */
  events: SearchEvent[];
}

/** A point that the method proposed. */
export interface Ask {
  /** The point; null when the proposal was no point that may be run. Two asks may have the same point. */
  ordinal: number | null;
  /** Canonical, in the order of the inputs of the search. */
  values: string[];
  /** How the method found it. */
  by: string;
  /** How many asks the method had been told of before: the first so many. */
  seen: number;
  /** Null until the method is told. */
  told: PointValue | null;
}

/** What the runs of a point come to. Lower values are better: those of a maximization have the other sign. */
export interface PointValue {
  /** The mean, share or quantile of what is minimized; null when the point failed. */
  value: number | null;
  /** The variance of the mean; null with fewer than two runs. */
  variance: number | null;
  /** How many runs the value is of. */
  runs: number;
  /** For each requirement how far it is from being met: at most 0 when it is. Empty when the point failed. */
  excess: number[];
}

/** Why a search ends. `stall`, `gain` and the others are rules of the definition. */
export type StopReason = 'points' | 'runs' | 'value' | 'gain' | 'stall' | 'exhausted' | 'failures';

/** What was decided. `after`: the replications up to this number count for nothing that follows. */
export type SearchEvent =
  /** No more points are asked. */
  | { kind: 'stopped'; by: StopReason }
  /** These points, by their ordinals, are compared by new replications. */
  | { kind: 'finalists'; ordinals: number[]; after: number }
  /** One of them was chosen. `isSure` when no other is better by more than the indifference, with the confidence. */
  | { kind: 'winner'; ordinal: number; isSure: boolean; after: number }
  /** The winner does not meet the requirements, as its further replications show. */
  | { kind: 'rejected'; ordinal: number }
  /** Nothing is left to do. */
  | { kind: 'over' };

/** What is added to a log, with the runs that belong to it, all at once. */
export interface SearchStep {
  tells: { ask: number; told: PointValue }[];
  asks: NewAsk[];
  events: SearchEvent[];
  /** Replications that points get, from one number to another, both included. */
  replications: { ordinal: number; from: number; to: number }[];
}

/** An ask before it has an ordinal: `point` is what is run, null when nothing is. */
export interface NewAsk extends Omit<Ask, 'ordinal'> {
  point: { key: string; values: string[]; replications: number } | null;
}

/** Where a search is. */
export type SearchStage = 'searching' | 'finishing' | 'comparing' | 'reporting' | 'over';

export function stageOf({ events }: { events: readonly SearchEvent[] }): SearchStage {
  switch (events.at(-1)?.kind) {
    case undefined:
      return 'searching';
    case 'stopped':
      return 'finishing';
    case 'finalists':
    case 'rejected':
      return 'comparing';
    case 'winner':
      return 'reporting';
    case 'over':
      return 'over';
  }
}
