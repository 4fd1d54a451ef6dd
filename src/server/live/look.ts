import type { Goal } from '../../campaign/types.ts';
import type { ChosenAxes } from '../../report/summary/effects.ts';
import type { ResultRow } from '../../store/index.ts';

/** A view: which runs and which of their outputs are shown. */
export interface View {
  /** Outputs and formulas that are shown first. */
  show: readonly string[];
  inputs: readonly InputFilter[];
  /** The view as the end of an address of the page, such as `?show=Cost`; empty without any choice. */
  address: string;
  /** The inputs on the axes of the pictures of the design; without a choice, the pictures choose. */
  axes?: ChosenAxes;
}

/** A filter for the points with certain values of an input. */
export interface InputFilter {
  name: string;
  /** Values with commas between them. For an input of numbers, ranges such as `1.2..1.8` with both ends included too. */
  text: string;
}

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
  /** The time of the last change of the campaign that this state contains, ISO 8601; null while nothing is drawn. */
  changedAt: string | null;
  /** The number of finished runs that the sections show. With a filter, it also has the runs outside the filter. */
  finished: number;
  sections: readonly Section[];
  /** The time until the next request for the state, ms; 0 if the campaign is closed. */
  next: number;
}

/** How rows are sorted: a column, or a formula of outputs, and which of its values come first. */
export interface RowOrder {
  by: string;
  wants: Goal['wants'];
}

/** Selects finished runs in an order: skips `from` runs, then takes `count`. */
export interface RunChoice {
  /** Null for the order of the design. */
  order: RowOrder | null;
  state?: ResultRow['status'] | undefined;
  inputs: readonly InputFilter[];
  from: number;
  count: number;
}

export interface ChosenRuns {
  rows: ResultRow[];
  /** The number of runs of which the rows are a part. */
  total: number;
  /** The number of runs that the order leaves out, because they have no value. */
  without: number;
}

/** The best value of a campaign, and the same with its unit and its interval. */
export interface BestValue {
  value: number;
  text: string;
}

/** Messages to the drawing thread. The answer has the key of the message. */
export type GatherOrder =
  | { kind: 'watch'; key: string; id: string; view: View }
  | { kind: 'forget'; key: string }
  | { kind: 'best'; key: string; id: string };

/**
 * Answers of the drawing thread: the visible state, the best value of a campaign, or an error. The code of an error is
 * the code of a ForayError, or INTERNAL.
 */
export type News = { key: string } & (
  | { seen: Seen }
  | { best: BestValue | null }
  | { error: { code: string; message: string; hint?: string | undefined } }
);
