import type { Goal } from '../report.ts';

/** How often a statement was made, was true, or was false; the statement says which. */
export interface Rate {
  statement: string;
  /** The distribution, function or design that the campaigns were drawn from. */
  from: string;
  /** The number of campaigns (or points, or statements) that the rate is a share of. */
  of: number;
  rate: number;
  /** The largest rate that meets the goal. */
  most?: number;
  /** The smallest rate that meets the goal. */
  least?: number;
}

/** The goals of the rates that have a limit. A rate with two limits has two goals. */
export function rateGoals(rates: readonly Rate[]): Goal[] {
  return rates.flatMap(({ statement, from, rate, most, least }) => {
    const what = `${statement}: ${from}`;
    return [
      ...(most === undefined ? [] : [{ what, figure: rate, most }]),
      ...(least === undefined ? [] : [{ what, figure: rate, least }]),
    ];
  });
}
