import type { Goal } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';

/** A view: which runs are shown, and which outputs of them. */
export interface View {
  /** Outputs and formulas that are shown first. */
  show: readonly string[];
  /** Filtered inputs: a range of numbers, both ends included, or a list of values as in the store. */
  inputs: readonly InputFilter[];
}

export type InputFilter =
  { name: string; from: number; to: number } | { name: string; values: readonly string[] };

/** A part of a campaign's page that is replaced as a whole. */
export interface Section {
  id: string;
  html: string;
}

/** The visible state of a campaign. */
export interface Seen {
  /** A tag that changes with the content; empty while nothing is drawn. */
  version: string;
  /** The time of this state, ISO 8601; null while nothing is drawn. */
  asOf: string | null;
  sections: readonly Section[];
  /** When to look again, ms from now; 0 if nothing more will change. */
  next: number;
}

/** Runs with the lowest or highest values of an output or a formula, from one of them on. */
export interface ExtremeRuns {
  output: string;
  wants: Goal['wants'];
  inputs: readonly InputFilter[];
  from: number;
  count: number;
}

/** Messages to the drawing thread. Each view has a key. */
export type Order =
  | { kind: 'watch'; key: string; id: string; view: View }
  | { kind: 'forget'; key: string }
  | { kind: 'best'; key: string; id: string }
  | { kind: 'extreme'; key: string; id: string; runs: ExtremeRuns };

/**
 * Answers of the drawing thread: the visible state, the best value of a campaign, or an error as the JSON of a
 * ForayError.
 */
export type News = { key: string } & (
  | { seen: Seen }
  | { best: number | null }
  | { extreme: ResultRow[] }
  | { error: { code: string; message: string; hint?: string | undefined } }
);
