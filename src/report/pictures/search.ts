import { measureOf } from '../../campaign/measures.ts';
import type { Figure } from './figure.ts';
import { finalistsFigure } from './finalists.ts';
import { parallelFigure } from './parallel.ts';
import { progressFigure, type Searched } from './search-progress.ts';
import type { SearchStory } from '../../search/story.ts';

/** Makes pictures of a search: its progress, its points, and the comparison at its end. */
export function searchFigures(campaign: Searched, story: SearchStory): Figure[] {
  const output = measureOf(campaign.outputs, campaign.goal!.output);
  if (!story.points.some(({ value }) => value !== null)) return [];
  return [
    progressFigure(campaign, story, output),
    ...finalistsFigure(campaign, story.finalists, story.summary.best),
    ...parallelFigure(campaign, story, output),
  ];
}
