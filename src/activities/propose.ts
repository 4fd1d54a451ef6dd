import type { Campaign } from '../campaign/types.ts';
import type { SearchStep } from '../campaign/search/log.ts';
import { SearchCourse } from '../search/course.ts';
import type { Store } from '../store/index.ts';
import { type Added, addedOf } from './replicate.ts';

/** What a search asked for, and how far it is. */
export interface Proposed {
  added: Added;
  /** Points that the campaign has by now. */
  points: number;
  /** Points that were asked so far. */
  asked: number;
  isOver: boolean;
}

/** Searches that a worker keeps in memory: a course is made anew from the log where it is not kept, which takes longer. */
const MOST_KEPT = 20;

/** The courses of searches that this worker has worked on last. */
export class Courses {
  private readonly kept = new Map<string, SearchCourse>();

  /** The course of a campaign's search as far as its log goes now. */
  async of(store: Store, campaign: Campaign): Promise<SearchCourse> {
    const { id } = campaign;
    const course = this.kept.get(id);
    const length = await store.searchLength(id);
    if (course?.length.asks === length.asks && course.length.events === length.events) return course;
    return SearchCourse.of(campaign, await store.searchLog(id));
  }

  keep(id: string, course: SearchCourse): void {
    this.kept.delete(id);
    this.kept.set(id, course);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
  }

  forget(id: string): void {
    this.kept.delete(id);
  }
}

/**
 * Goes on with the search of a campaign: tells its method of points that have finished, and asks for new ones. What it does depends on
 * the log and the runs in the store alone, so it does not matter who does it, or how often.
 */
export async function propose(
  { store, courses }: { store: Store; courses: Courses },
  campaign: Campaign,
  signal: AbortSignal,
): Promise<Proposed> {
  const { id } = campaign;
  const seqs: number[] = [];
  for (;;) {
    signal.throwIfAborted();
    const course = await courses.of(store, campaign);
    // a step changes the course: it is of use again when the step is written
    courses.forget(id);
    const finished = new Map(
      (await store.finishedAt(id, course.awaited())).map(({ ordinal, runs }) => [ordinal, runs]),
    );
    const length = course.length;
    const step = await course.step(finished);
    const isDone = isEmpty(step);
    if (!isDone) {
      const written = await store.writeSearch(id, length, step);
      // another worker was quicker: its log counts
      if (!written) continue;
      course.written(written.ordinals);
      seqs.push(...written.seqs);
    }
    courses.keep(id, course);
    if (!isDone) continue;
    const { points, asks } = course.history;
    return { added: addedOf(seqs), points, asked: asks.length, isOver: course.stage === 'over' };
  }
}

export function isEmpty({ tells, asks, events, replications }: SearchStep): boolean {
  return tells.length + asks.length + events.length + replications.length === 0;
}
