import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { courseFigures } from '../pictures/curves.ts';
import { pictureOf } from '../pictures/figure.ts';
import { CourseGatherer } from '../summary/courses.ts';
import { observationsOf } from './report-sections.ts';
import { drawn, type ReportSection } from './section.ts';

/** The pictures of one point: the curves of its runs, one above the other. */
export function pointSections(campaign: Campaign, rows: readonly ResultRow[]): Promise<ReportSection[]> {
  const courses = new CourseGatherer(campaign.outputs);
  for (const row of rows) if (row.status === 'done') courses.add(row);
  const ranking = { wants: 'lowest', isGoal: false } as const;
  const figures = courseFigures(campaign, courses.result(undefined), observationsOf(campaign), ranking);
  return drawn(figures, campaign.id, pictureOf);
}
