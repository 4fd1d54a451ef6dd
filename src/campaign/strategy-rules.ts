import { ForayError } from '../errors.ts';
import { growthOf, writtenGrowth } from './check-growth.ts';
import { goalOf } from './check-outputs.ts';
import type { Definition } from './definition.ts';
import { type Design, NO_DESIGN, resolveDesign } from './designs/index.ts';
import type { DesignFacts } from './designs/kind.ts';
import { keptGrown } from './growth.ts';
import type { ReadDefinition } from './read.ts';
import { beginCalibration } from './search/resolve-calibrate.ts';
import { beginSelection, checkCompared, defaultReplications } from './search/resolve-select.ts';
import { beginSearch } from './search/resolve-search.ts';
import { checkSearchChange, keptSearch, searchChanges } from './search/search-change.ts';
import { hasStrategy, type Strategy, type StrategyName, type strategySettings } from './strategy.ts';
import type { BaseInput } from './designs/input-types.ts';
import type { Begun, Campaign, Goal } from './types.ts';

/** How a definition asks for a strategy, and what a change of the definition may do. */
interface StrategyRules {
  /** The setting that asks for the strategy. */
  setting: 'design' | keyof typeof strategySettings;
  isIn: (definition: Definition) => boolean;
  /** Whether a design gives the points. */
  hasDesign: boolean;
  /** The replications of each point in a definition that does not give their number. */
  replications: (base: readonly Pick<BaseInput, 'name'>[]) => number;
  /** Checks the settings of the strategy, without the outputs. Mistakes are collected. */
  begin: (read: ReadDefinition, facts: DesignFacts) => Begun;
  /** Checks the number of points. @throws ForayError INVALID_VALUE */
  checkPoints: (
    read: ReadDefinition,
    campaign: Pick<Campaign, 'strategy' | 'replications'>,
    points: number,
  ) => void;
  /** Checks a change from or to the strategy. @throws ForayError CHANGE_REFUSED */
  checkChange: (before: Campaign, after: Campaign) => void;
  /** The settings of the strategy that a change changes, by their names in messages. */
  changes: (before: Strategy, after: Strategy) => string[];
  /** The changed campaign, with what it keeps of the former one. */
  kept: (before: Campaign, after: Campaign) => Campaign;
}

/** The rules of most strategies. */
const plainRules = {
  replications: () => 1,
  checkPoints: () => {},
  checkChange: () => {},
  changes: () => [],
  kept: (_before, after) => after,
} satisfies Partial<StrategyRules>;

/** The rules of all strategies. A definition has the first strategy that is in it. */
export const strategyRules: Record<StrategyName, StrategyRules> = {
  search: {
    ...plainRules,
    setting: 'search',
    isIn: ({ search }) => search !== undefined,
    hasDesign: false,
    begin: beginSearch,
    checkChange: checkSearchChange,
    changes: searchChanges,
    kept: keptSearch,
  },
  calibration: {
    ...plainRules,
    setting: 'calibrate',
    isIn: ({ calibrate }) => calibrate !== undefined,
    hasDesign: false,
    begin: beginCalibration,
    checkChange: () => refuseChange('The definition of a calibration cannot change.'),
  },
  selection: {
    ...plainRules,
    setting: 'select',
    isIn: ({ select }) => select !== undefined,
    hasDesign: true,
    replications: defaultReplications,
    begin: beginSelection,
    checkPoints: checkCompared,
    checkChange: () => refuseChange('The definition of a campaign with "select" cannot change.'),
  },
  growing: {
    ...plainRules,
    setting: 'design',
    isIn: (definition) => writtenGrowth(definition) !== undefined,
    hasDesign: true,
    begin: (read, facts) => {
      const { value: design, isSound } = facts.mistakes.scope(() => designOf(read, facts));
      return {
        design,
        finish: (kept) => {
          const growth = isSound ? facts.mistakes.attempt(() => growthOf(read, design, kept)) : undefined;
          return {
            strategy: growth ? { by: 'growing', ...growth } : { by: 'design' },
            ...ownGoal(read, kept),
          };
        },
      };
    },
    changes: growthChanges,
    kept: keptGrowth,
  },
  design: {
    ...plainRules,
    setting: 'design',
    isIn: () => true,
    hasDesign: true,
    begin: (read, facts) => ({
      design: designOf(read, facts),
      finish: (kept) => {
        facts.mistakes.attempt(() => checkNotRaced(read));
        return { strategy: { by: 'design' }, ...ownGoal(read, kept) };
      },
    }),
  },
};

export function strategyIn(definition: Definition): StrategyName {
  const names = Object.keys(strategyRules) as StrategyName[];
  return names.find((name) => strategyRules[name].isIn(definition))!;
}

/** Checks and resolves the strategy of a definition. Mistakes are collected. */
export function beginStrategy(read: ReadDefinition, facts: DesignFacts): Begun {
  const name = strategyIn(read.definition);
  facts.mistakes.attempt(() => checkAlone(read, name));
  return strategyRules[name].begin(read, facts);
}

/** @throws ForayError INVALID_VALUE if a definition asks for a second strategy */
function checkAlone({ definition, locate }: ReadDefinition, name: StrategyName): void {
  const own = strategyRules[name];
  for (const { setting } of Object.values(strategyRules)) {
    if (definition[setting] === undefined || setting === own.setting) continue;
    if (setting === 'design' && own.hasDesign) continue;
    throw new ForayError('INVALID_VALUE', `A campaign cannot have both "${own.setting}" and "${setting}".`, {
      place: locate([setting], 'key'),
      hint: 'Leave one of the two out.',
    });
  }
}

function designOf(read: ReadDefinition, facts: DesignFacts): Design {
  const { design } = read.definition;
  return design ? resolveDesign(design, facts, ['design'], facts.fixed) : NO_DESIGN;
}

/** The goal that the definition gives beside its strategy. */
function ownGoal(read: ReadDefinition, { outputs }: Pick<Campaign, 'outputs'>): { goal?: Goal } {
  return read.mistakes.attempt(() => goalOf(read, outputs)) ?? {};
}

/** @throws ForayError INVALID_VALUE if points should be replicated as in a search */
function checkNotRaced({ definition: { replications }, locate }: ReadDefinition): void {
  if (typeof replications !== 'object' || 'output' in replications) return;
  throw new ForayError('INVALID_VALUE', 'Replications {min, max} need an output.', {
    place: locate(['replications'], 'key'),
    hint: 'Add output, and relative or absolute.',
  });
}

function refuseChange(message: string): never {
  throw new ForayError('CHANGE_REFUSED', message, {
    hint: 'Submit the definition as a new campaign, which reuses the runs of this one.',
  });
}

/** @throws ForayError CHANGE_REFUSED if a strategy cannot change in this way */
export function checkStrategyChange(before: Campaign, after: Campaign): void {
  for (const name of new Set([before.strategy.by, after.strategy.by]))
    strategyRules[name].checkChange(before, after);
}

/** The settings of strategies that a change changes, by their names in messages. */
export function strategyChanges({ strategy: before }: Campaign, { strategy: after }: Campaign): string[] {
  const names = [...new Set([before.by, after.by])];
  return names.flatMap((name) => strategyRules[name].changes(before, after));
}

/** The changed campaign, with what its strategy keeps of the former campaign. */
export function keptStrategy(before: Campaign, after: Campaign): Campaign {
  return strategyRules[after.strategy.by].kept(before, after);
}

/** A change from or to a growing design, or of its growth. The rounds so far are no setting. */
function growthChanges(before: Strategy, after: Strategy): string[] {
  const ruleOf = (strategy: Strategy): string =>
    strategy.by === 'growing' ? JSON.stringify({ ...strategy, rounds: [] }) : '';
  return ruleOf(before) === ruleOf(after) ? [] : ['the precision of the design'];
}

function keptGrowth(before: Campaign, after: Campaign): Campaign {
  if (!hasStrategy(before, 'growing') || !hasStrategy(after, 'growing')) return after;
  const { design, growth } = keptGrown(
    { design: before.design, growth: before.strategy },
    { design: after.design, growth: after.strategy },
  );
  return { ...after, design, strategy: { ...after.strategy, ...growth } };
}
