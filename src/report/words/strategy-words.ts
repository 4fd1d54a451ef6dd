import { growthText } from '../../campaign/growth.ts';
import { type StrategyName, steps } from '../../campaign/strategy.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Plan, PlannedStrategy } from '../../client/planned.ts';
import type { StrategyProgress } from '../../client/strategies.ts';
import { calibrationText } from './calibration-words.ts';
import { comparisonPlanText, searchPlanText, searchText, selectText, valueText } from './search-words.ts';
import { counted, numberText } from './words.ts';

/** A strategy in words. The members are methods, because one type then fits the words of all strategies. */
interface StrategyWords<P extends PlannedStrategy, G extends StrategyProgress> {
  /** The facts of a plan about the strategy, each with its name. */
  facts(plan: Plan & { strategy: P }): [name: string, text: string][];
  /** The number of runs of a plan. */
  runs(plan: Plan & { strategy: P }): string;
  /** When a point gets more replications, after their number in a plan; empty if it gets no more. */
  more(plan: Plan & { strategy: P }): string;
  /** The plan in one line; null for a campaign with a design, whose size says all. */
  line(plan: Plan & { strategy: P }): string | null;
  /** The progress of the strategy; null for a design that has all its points. */
  progress(progress: G): { name: string; method?: string; text: string } | null;
}

type AnyWords = StrategyWords<PlannedStrategy, StrategyProgress>;

const ofDesign: Omit<AnyWords, 'progress'> = {
  facts: () => [],
  runs: ({ runs, mostRuns }) =>
    runs === mostRuns ? numberText(runs) : `${numberText(runs)} to ${numberText(mostRuns)}`,
  more: ({ replications: { min, max } }) => (min === max ? '' : ', until the point is precise enough'),
  line: () => null,
};

const strategies: {
  [By in StrategyName]: StrategyWords<
    Extract<PlannedStrategy, { by: By }>,
    Extract<StrategyProgress, { by: By }>
  >;
} = {
  design: { ...ofDesign, progress: () => null },
  growing: { ...ofDesign, progress: (growth) => ({ name: 'design', text: growthText(growth) }) },
  search: {
    facts: ({ strategy: { method, parallel, confirm } }) => [
      ['search', `${method}, ${counted(parallel, 'point')} at once`],
      ...(confirm ? [['confirm', comparisonPlanText(confirm)] satisfies [string, string]] : []),
    ],
    runs: ({ mostRuns, strategy: { isLimited, confirm } }) =>
      isLimited ? `at most ${numberText(mostRuns - (confirm?.mostRuns ?? 0))}` : 'no limit',
    more: ({ replications: { min, max } }) =>
      min === max ? '' : ', while a point cannot be distinguished from the best point',
    line: ({ goal, points, mostRuns, strategy: { method, confirm } }) =>
      `a search (${method}) for the ${goal!.wants} ${goal!.output}: ${searchPlanText(points, mostRuns, confirm)}`,
    progress: (search) => ({ name: 'search', method: search.method, text: searchText(search) }),
  },
  calibration: {
    ...ofDesign,
    facts: ({ strategy: { particles, generations } }) => [
      [
        'calibration',
        `abc, ${counted(particles, 'particle')}, at most ${counted(generations, 'generation')}`,
      ],
    ],
    line: ({ points }) => `a calibration: at most ${counted(points, 'point')} and as many runs`,
    progress: (calibration) => ({
      name: 'calibration',
      method: 'abc',
      text: calibrationText(calibration),
    }),
  },
  selection: {
    ...ofDesign,
    facts: ({ strategy: { method } }) => [
      [
        'select',
        method === 'kn'
          ? 'kn, until the best point is known with the wanted confidence'
          : 'ocba, with a budget of runs',
      ],
    ],
    more: ({ runs, mostRuns }) =>
      runs < mostRuns ? ' at first, more for points that are hard to distinguish' : '',
    progress: (selection) => ({ name: 'selection', method: selection.method, text: selectText(selection) }),
  },
};

/** The words for the strategy of a plan or of a status. */
export function strategyWords({ by }: { by: StrategyName }): AnyWords {
  return strategies[by];
}

export function plannedPoints(plan: Plan): string {
  const { strategy, points, repeats, mostPoints } = plan;
  // only a search without a limit has no points in its plan
  if (steps[strategy.by] === 'points') return points === 0 ? 'no limit' : `at most ${numberText(points)}`;
  if (points !== mostPoints) return `${numberText(points)} to ${numberText(mostPoints)}`;
  if (repeats > 0) return `${numberText(points + repeats)}, ${numberText(points)} of them different`;
  return numberText(points);
}

/**
 * The progress of a strategy in one line, with the best value so far: "search: 43 points asked for, 41 have a value;
 * best so far: Fit error 17.4 ± 0.3". Undefined for a design that has all its points.
 */
export function strategyLine(
  campaign: Pick<Campaign, 'goal' | 'outputs'>,
  progress: StrategyProgress,
): string | undefined {
  const words = strategyWords(progress).progress(progress);
  if (!words) return undefined;
  const line = `${words.name}: ${words.text}`;
  if (!('best' in progress) || !progress.best) return line;
  const { best, stage } = progress;
  return `${line}; best${stage === 'over' ? '' : ' so far'}: ${campaign.goal!.output} ${valueText(campaign, best)}`;
}
