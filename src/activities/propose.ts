import type { AddedRuns } from '../campaign/scheduler/index.ts';
import { decidingOutputs } from '../campaign/measures.ts';
import type { Campaign, CampaignBy } from '../campaign/types.ts';
import { type Finder, findsPoints, hasStrategy } from '../campaign/strategy.ts';
import { emptyStep, isSameLength, type SearchEvent, type SearchStep } from '../campaign/search/log.ts';
import type { ErrorCode } from '../error-codes.ts';
import { isForayError } from '../errors.ts';
import { courseOf, type Course as CourseHere } from '../search/course-of.ts';
import { type CourseApart, CoursesApart } from '../search/thread/courses-apart.ts';
import type { Store } from '../store/index.ts';
import { knownPoints } from './known.ts';
import { addedOf } from './replicate.ts';

/** The runs that a search, a selection or a growing design asked for, and its progress. */
export interface Proposed {
  added: AddedRuns;
  /** Number of points of the campaign. */
  points: number;
  /** Number of points that the search has asked for so far; 0 for a selection and a growing design. */
  asked: number;
  isOver: boolean;
  /** True if the search can ask for more points as soon as the runs of the points so far are requested. */
  isDue?: boolean;
  /** A lower bound for the number of runs that have to finish before the search can ask for more points. */
  needs?: number;
  /** Why the search cannot go on. A person has to correct this. */
  refusal?: string;
}

/**
 * The maximum number of searches that a worker keeps in memory. Other searches are replayed from their logs, which
 * takes longer.
 */
const MOST_KEPT = 20;
/**
 * After this time, ms, the activity returns if it has added runs, so that these runs are requested before the search
 * asks for more points.
 */
const LONGEST_MS = 5_000;

/** The errors of a search that would come again at each attempt. The last one is a value that is too large for `where`. */
const REFUSALS: readonly ErrorCode[] = ['OPTIMISER_FAILED', 'INVALID_VALUE'];

type Course = CourseHere | CourseApart;

/**
 * The courses of the searches that this worker used last. A course is the state of a search in memory. It is closed
 * before it is dropped, because its method may have a process.
 */
export class Courses {
  readonly #kept = new Map<string, Course>();
  readonly #apart = new CoursesApart();

  /** The course of a campaign's search up to the end of its log. */
  async of(store: Store, campaign: CampaignBy<Finder>): Promise<Course> {
    const { id } = campaign;
    const course = this.#kept.get(id);
    if (course && isSameLength(await store.searchLength(id), course.length)) return course;
    this.forget(id);
    const log = await store.searchLog(id);
    // an outside optimiser computes in its own process
    const isOutside = hasStrategy(campaign, 'search') && typeof campaign.strategy.method === 'object';
    return isOutside ? courseOf(campaign, log) : this.#apart.open(campaign, log);
  }

  keep(id: string, course: Course): void {
    this.forget(id);
    if (course.stage === 'over') return course.close();
    this.#kept.set(id, course);
    if (this.#kept.size > MOST_KEPT) this.forget(this.#kept.keys().next().value!);
  }

  /** Removes a course without closing it, so that the caller can work on it. */
  take(id: string): void {
    this.#kept.delete(id);
  }

  forget(id: string): void {
    this.#kept.get(id)?.close();
    this.#kept.delete(id);
  }

  close(): void {
    for (const id of [...this.#kept.keys()]) this.forget(id);
    this.#apart.close();
  }
}

/**
 * Continues the search of a campaign: tells its method the values of finished points, and asks for new points. The
 * result depends only on the log and the runs in the store, so any worker may do this step and may repeat it.
 */
export async function propose(
  { store, courses }: { store: Store; courses: Courses },
  campaign: Campaign,
  signal: AbortSignal,
): Promise<Proposed> {
  if (!findsPoints(campaign)) throw new Error('The campaign has no search');
  const { id } = campaign;
  const seqs: number[] = [];
  const startedAt = performance.now();
  await begin(store, campaign);
  for (;;) {
    signal.throwIfAborted();
    const course = await courses.of(store, campaign);
    // a step changes the course, which is valid again only when the step is written
    courses.take(id);
    const before = progressOf(course);
    const closeCourse = (): void => course.close();
    signal.addEventListener('abort', closeCourse);
    try {
      const step = await makeStep(store, campaign, course, seqs);
      if (step === 'dropped') {
        course.close();
        continue;
      }
      courses.keep(id, course);
      const progress = progressOf(course);
      const isLong = performance.now() - startedAt > LONGEST_MS;
      const isDue = step === 'written' && !progress.isOver && seqs.length > 0 && isLong;
      const { needs } = course;
      if (step === 'empty' || isDue || progress.isOver)
        return { added: addedOf(seqs), ...progress, isDue, needs };
    } catch (error) {
      course.close();
      signal.throwIfAborted();
      if (!isForayError(error) || !REFUSALS.includes(error.code)) throw error;
      return { added: addedOf(seqs), ...before, refusal: `${error.code}: ${error.toLine()}` };
    } finally {
      signal.removeEventListener('abort', closeCourse);
    }
  }
}

/** If the search begins with points of another campaign and its log is still empty, writes these points to the log. */
async function begin(store: Store, campaign: Campaign): Promise<void> {
  if (!hasStrategy(campaign, 'search') || !campaign.strategy.start) return;
  const { start } = campaign.strategy;
  const length = await store.searchLength(campaign.id);
  if (length.asks + length.events > 0) return;
  const { points, unused } = await knownPoints(store, campaign);
  const known: SearchEvent = {
    kind: 'known',
    campaign: start.campaign,
    points,
    ...(unused.length > 0 && { unused }),
  };
  // if another worker has written first, this step is dropped
  await store.writeSearch(campaign.id, length, { ...emptyStep(), events: [known] });
}

/**
 * Makes one step: adds it to the log, and the seqs of its runs to `seqs`. A step is empty if there is nothing to do, and
 * dropped if something else was written to the log first.
 */
async function makeStep(
  store: Store,
  campaign: Campaign,
  course: Course,
  seqs: number[],
): Promise<'empty' | 'written' | 'dropped'> {
  const { id } = campaign;
  const points = await store.finishedAt(id, course.awaited(), decidingOutputs(campaign));
  const finished = new Map(points.map(({ ordinal, runs }) => [ordinal, runs]));
  const length = course.length;
  const step = await course.step(finished);
  if (isEmpty(step)) return 'empty';
  const written = await store.writeSearch(id, length, step);
  if (!written) return 'dropped';
  await course.written(written.ordinals);
  seqs.push(...written.seqs);
  return 'written';
}

function progressOf({ points, length, stage }: Course): Pick<Proposed, 'points' | 'asked' | 'isOver'> {
  return { points, asked: length.asks, isOver: stage === 'over' };
}

export function isEmpty({ tells, asks, events, replications }: SearchStep): boolean {
  return tells.length + asks.length + events.length + replications.length === 0;
}
