import type { Growth } from './growth.ts';
import type { Calibration } from './search/calibration.ts';
import { CalibrateSchema } from './search/schema-calibrate.ts';
import { SearchSchema, SelectSchema } from './search/schema.ts';
import type { Search, Selection } from './search/search.ts';

/**
 * How a campaign gets its points and replications. A new strategy is an entry here, in `strategy-rules.ts`, in
 * `client/strategies.ts` and in `report/words/strategy-words.ts`; without one of these, the code does not compile.
 * Workflows must not import this file: zod would double their bundle. An activity tells them the step of a strategy.
 */
export type Strategy =
  /** The design has all points from the beginning. */
  | { by: 'design' }
  /** The design grows until its indices are known. */
  | ({ by: 'growing' } & Growth)
  /** A search finds the points one after the other; the design has no points. */
  | ({ by: 'search' } & Search)
  /** A calibration finds the points one after the other; the design has no points. */
  | ({ by: 'calibration' } & Calibration)
  /** The points of the design get more replications until the best one is known. */
  | ({ by: 'selection' } & Selection);

export type StrategyName = Strategy['by'];
export type StrategyBy<By extends StrategyName> = Extract<Strategy, { by: By }>;

/** The settings of a definition that ask for a strategy. Without one of them, the definition has only a design. */
export const strategySettings = {
  search: SearchSchema.optional(),
  select: SelectSchema.optional(),
  calibrate: CalibrateSchema.optional(),
};

/**
 * What a strategy adds while the campaign runs: points as results come (`points`), replications when all runs have
 * finished (`replications`), or points of the design when all runs have finished (`size`). Null: nothing.
 */
export type Step = 'points' | 'replications' | 'size';

export const steps = {
  design: null,
  growing: 'size',
  search: 'points',
  calibration: 'points',
  selection: 'replications',
} as const satisfies Record<StrategyName, Step | null>;

/** The strategies that find the points one after the other. */
export type Finder = {
  [By in StrategyName]: (typeof steps)[By] extends 'points' ? By : never;
}[StrategyName];

/** Whether the strategy finds the points one after the other, so that the design has none. */
export function findsPoints<C extends { strategy: Strategy }>(
  campaign: C,
): campaign is C & { strategy: StrategyBy<Finder> } {
  return steps[campaign.strategy.by] === 'points';
}

/** Whether a campaign has one of some strategies. */
export function hasStrategy<C extends { strategy: Strategy }, By extends StrategyName>(
  campaign: C,
  ...names: By[]
): campaign is C & { strategy: StrategyBy<By> } {
  return names.some((name) => name === campaign.strategy.by);
}
