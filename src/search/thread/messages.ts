import type { SearchLength, SearchLog, SearchStage, SearchStep } from '../../campaign/search/log.ts';
import type { Finder } from '../../campaign/strategy.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import type { ErrorCode } from '../../error-codes.ts';
import type { FinishedPoints } from '../point-value.ts';

/** What the caller of a course may know of it between two steps. */
export interface CourseState {
  stage: SearchStage;
  length: SearchLength;
  points: number;
  needs: number;
  awaited: number[];
}

/** A question to the thread of courses. `call` is the number of the question, `course` the number of the course. */
export type Question = { call: number; course: number } & (
  | { kind: 'open'; campaign: CampaignBy<Finder>; log: SearchLog }
  | { kind: 'step'; finished: FinishedPoints }
  | { kind: 'written'; ordinals: readonly (number | null)[] }
  | { kind: 'close' }
);

/** The answer to a question. `code` is absent if the error is no error of foray. */
export type Answer = { call: number } & (
  | { state: CourseState; step?: SearchStep }
  | { error: { code?: ErrorCode; message: string; hint?: string | undefined } }
);
