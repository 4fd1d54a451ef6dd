import type { SearchLog } from '../campaign/search/log.ts';
import type { Finder } from '../campaign/strategy.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { AbcCourse } from './abc/course.ts';
import { SearchCourse } from './course.ts';

export type Course = SearchCourse | AbcCourse;

/** Rebuilds the object that makes the steps of a search or a calibration, from its log. */
export function courseOf(campaign: CampaignBy<Finder>, log: SearchLog): Promise<Course> {
  const { strategy } = campaign;
  switch (strategy.by) {
    case 'search':
      return SearchCourse.of({ ...campaign, strategy }, log);
    case 'calibration':
      return AbcCourse.of({ ...campaign, strategy }, log);
  }
}
