import { Worker } from 'node:worker_threads';
import type { SearchLength, SearchLog, SearchStage, SearchStep } from '../../campaign/search/log.ts';
import type { Finder } from '../../campaign/strategy.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import { ForayError } from '../../errors.ts';
import { ownModule } from '../../package/own-files.ts';
import type { FinishedPoints } from '../point-value.ts';
import type { Answer, CourseState, Question } from './messages.ts';

type Reply = { state: CourseState; step?: SearchStep };

/**
 * Courses of searches that one separate thread computes, so that their computations never hold the thread of the
 * caller. All courses share the thread. If the thread ends, the courses are invalid, and the next one gets a new thread.
 */
export class CoursesApart {
  #thread: Worker | undefined;
  #calls = 0;
  #opened = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply> & { course: number }>();

  async open(campaign: CampaignBy<Finder>, log: SearchLog): Promise<CourseApart> {
    this.#opened += 1;
    const course = this.#opened;
    const { state } = await this.ask({ course, kind: 'open', campaign, log });
    return new CourseApart(this, course, state);
  }

  ask(question: DistributiveOmit<Question, 'call'>): Promise<Reply> {
    this.#thread ??= this.#start();
    this.#calls += 1;
    const call = this.#calls;
    const waiting = { ...Promise.withResolvers<Reply>(), course: question.course };
    this.#waiting.set(call, waiting);
    this.#thread.postMessage({ ...question, call });
    return waiting.promise;
  }

  /** Ends a course. Its open questions fail at once, although the thread may still compute for a moment. */
  closeCourse(course: number): void {
    // this question has no answer, so it has the number 0, which no call has
    this.#thread?.postMessage({ call: 0, course, kind: 'close' } satisfies Question);
    this.#fail((one) => one === course, 'The course of the search was closed.');
  }

  close(): void {
    void this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(ownModule('src/search/thread/course-thread'));
    thread.unref();
    thread.on('message', (answer: Answer) => this.#take(answer));
    thread.on('error', ({ message }) => this.#ended(thread, `The thread of searches failed: ${message}`));
    thread.on('exit', () => this.#ended(thread, 'The thread of searches ended.'));
    return thread;
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.get(answer.call);
    this.#waiting.delete(answer.call);
    if (!('error' in answer)) return waiting?.resolve(answer);
    const { code, message, hint } = answer.error;
    waiting?.reject(code === undefined ? new Error(message) : new ForayError(code, message, { hint }));
  }

  #ended(thread: Worker, message: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#fail(() => true, message);
  }

  #fail(which: (course: number) => boolean, message: string): void {
    for (const [call, { course, reject }] of this.#waiting) {
      if (!which(course)) continue;
      this.#waiting.delete(call);
      reject(new Error(message));
    }
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A course that a separate thread computes. */
export class CourseApart {
  readonly #courses: CoursesApart;
  readonly #number: number;
  #state: CourseState;

  constructor(courses: CoursesApart, number: number, state: CourseState) {
    this.#courses = courses;
    this.#number = number;
    this.#state = state;
  }

  get stage(): SearchStage {
    return this.#state.stage;
  }

  get length(): SearchLength {
    return this.#state.length;
  }

  get points(): number {
    return this.#state.points;
  }

  get needs(): number {
    return this.#state.needs;
  }

  awaited(): number[] {
    return this.#state.awaited;
  }

  /** The next step. The caller writes it to the log. If that fails, the course is invalid. */
  async step(finished: FinishedPoints): Promise<SearchStep> {
    const { state, step } = await this.#courses.ask({ course: this.#number, kind: 'step', finished });
    this.#state = state;
    return step!;
  }

  /** Sets the ordinals of the asks of the last step. */
  async written(ordinals: readonly (number | null)[]): Promise<void> {
    const { state } = await this.#courses.ask({ course: this.#number, kind: 'written', ordinals });
    this.#state = state;
  }

  close(): void {
    this.#courses.closeCourse(this.#number);
  }
}
