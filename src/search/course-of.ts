import type { SearchLog } from '../campaign/search/log.ts';
import type { Campaign } from '../campaign/types.ts';
import { AbcCourse } from './abc/course.ts';
import { SearchCourse } from './course.ts';

/** The course of a search or of a calibration. */
export type Course = SearchCourse | AbcCourse;

/** @param campaign - one with a search or a calibration */
export function courseOf(campaign: Campaign, log: SearchLog): Promise<Course> {
  return campaign.calibrate ? AbcCourse.of(campaign, log) : SearchCourse.of(campaign, log);
}
