import type { Strategy, StrategyBy } from '../../campaign/strategy.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Story, StoryBy } from '../../client/strategies.ts';
import type { SelectSummary } from '../../search/select-story.ts';
import type { SearchSummary } from '../../search/summary.ts';
import type { Analysis } from '../../sensitivity/analysis.ts';
import type { Drawing, Figure } from '../pictures/figure.ts';
import { type Ground, groundFigures } from '../pictures/heat-map.ts';
import { posteriorFigures } from '../pictures/posterior.ts';
import { searchFigures } from '../pictures/search.ts';
import { selectFigures } from '../pictures/finalists.ts';
import { sliceFigures } from '../pictures/slices.ts';
import { generationsSection, posteriorAnswer, posteriorSection } from './calibration-section.ts';
import type { SummaryOptions } from '../summary/summary.ts';
import type { Markup } from './markup.ts';
import { searchAnswer, searchPoints, searchSection, selectPoints, selectSection } from './search-section.ts';
import { drawn, part, type ReportSection } from './section.ts';

/** What the course of a strategy adds to a report. The members are methods, because one type then fits all strategies. */
interface StorySections<S extends Strategy, T extends Story> {
  /** The answer at the top; undefined if the means of the points give it. */
  answer(campaign: Campaign & { strategy: S }, story: T): Markup | undefined;
  sections(
    campaign: Campaign & { strategy: S },
    story: T,
    drawing: Drawing,
    ground?: Ground,
  ): Promise<ReportSection[]>;
  /** Pictures beside an analysis. */
  analysis(campaign: Campaign & { strategy: S }, story: T, analysis: Analysis): Figure[];
  /** The note below the pictures of effects. */
  effectsNote: string | null;
}

const storySections: {
  [By in Story['by']]: StorySections<StrategyBy<By>, StoryBy<By>>;
} = {
  search: {
    answer: (campaign, { summary, isNoisy }) => searchAnswer(campaign, summary, isNoisy),
    sections: async (campaign, story, drawing, ground) => [
      ...(ground ? await drawn(await groundFigures(campaign, story, ground), campaign.id, drawing) : []),
      ...part('search', searchSection(campaign, story)),
      ...(await drawn(searchFigures(campaign, story), campaign.id, drawing)),
      ...part('search-table', searchPoints(campaign, story)),
    ],
    analysis: sliceFigures,
    effectsNote:
      'The search prefers points with good values, so these points show no shares of the variance.',
  },
  selection: {
    answer: (campaign, { summary }) => searchAnswer(campaign, summary, hasSeed(campaign.base)),
    sections: async (campaign, story, drawing) => [
      ...part('select', selectSection(campaign, story)),
      ...(await drawn(selectFigures(campaign, story), campaign.id, drawing)),
      ...part('select-table', selectPoints(campaign, story)),
    ],
    analysis: () => [],
    effectsNote:
      'The selection gives no further runs to points that look bad at first, so the means of these points are rather too bad.',
  },
  calibration: {
    answer: posteriorAnswer,
    sections: async (campaign, story, drawing) => [
      ...part('posterior-table', posteriorSection(campaign, story)),
      ...(await drawn(posteriorFigures(campaign, story), campaign.id, drawing)),
      ...part('generations', generationsSection(story)),
    ],
    analysis: () => [],
    effectsNote:
      'The calibration draws points near the observations, so these points show no shares of the variance.',
  },
};

/** What the course of a campaign's strategy adds to its report. */
export interface StoryParts {
  answer: () => Markup | undefined;
  sections: (drawing: Drawing, ground?: Ground) => Promise<ReportSection[]>;
  analysis: (analysis: Analysis) => Figure[];
  effectsNote: string | null;
}

export function storyPartsOf(campaign: Campaign, story: Story): StoryParts {
  const parts: StorySections<Strategy, Story> = storySections[story.by];
  return {
    answer: () => parts.answer(campaign, story),
    sections: (drawing, ground) => parts.sections(campaign, story, drawing, ground),
    analysis: (analysis) => parts.analysis(campaign, story, analysis),
    effectsNote: parts.effectsNote,
  };
}

/** What the course of a strategy says to the summary of the runs. */
export function summaryOptionsOf(
  { goal }: Pick<Campaign, 'goal'>,
  story: Story | null,
): Pick<SummaryOptions, 'found' | 'calibrated'> {
  if (!story) return {};
  const found = foundIn(story);
  if (found) return { found: { output: goal!.output, key: found.best?.key } };
  if (story.by !== 'calibration' || story.particles.length === 0) return {};
  const posterior = new Map<string, number>();
  // without chance, asks of the same point share a run
  for (const { run, weight } of story.particles) posterior.set(run, (posterior.get(run) ?? 0) + weight);
  return { calibrated: { posterior, prior: new Set(story.prior) } };
}

/** The summary of a strategy that looks for the best point; null for other strategies. */
export function foundIn({ summary }: Story): SearchSummary | SelectSummary | null {
  return 'best' in summary ? summary : null;
}
