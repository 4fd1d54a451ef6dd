import { parentPort } from 'node:worker_threads';
import { byName } from '../../api/index.ts';
import { isForayError, messageOf } from '../../errors.ts';
import { type Course, courseOf } from '../course-of.ts';
import type { FinishedPoints } from '../point-value.ts';
import type { Answer, CourseState, Question } from './messages.ts';

/**
 * The courses of searches and calibrations, by their numbers. A course is rebuilt from the log of its campaign, and
 * proposes the next points. Courses have a thread of their own, because their computations would keep a worker from its
 * heartbeats.
 */
const courses = new Map<number, Course>();

parentPort!.on('message', (question: Question) => {
  const { call, course: number } = question;
  if (question.kind === 'close') {
    courses.get(number)?.close();
    courses.delete(number);
    return;
  }
  answer(question).catch((error: unknown) => {
    const known = isForayError(error) ? { code: error.code, hint: error.hint } : {};
    tell({ call, error: { ...known, message: messageOf(error) } });
  });
});

async function answer(question: Exclude<Question, { kind: 'close' }>): Promise<void> {
  const { call, course: number } = question;
  if (question.kind === 'open') {
    const course = await courseOf(question.campaign, question.log);
    courses.set(number, course);
    return tell({ call, state: stateOf(course) });
  }
  const course = courses.get(number)!;
  if (question.kind === 'step') {
    const step = await course.step(withoutPrototypes(question.finished));
    return tell({ call, step, state: stateOf(course) });
  }
  course.written(question.ordinals);
  tell({ call, state: stateOf(course) });
}

function stateOf(course: Course): CourseState {
  const { stage, length, points, needs } = course;
  return { stage, length, points, needs, awaited: course.awaited() };
}

/** A message gives each object a prototype, which objects with names of outputs must not have. */
function withoutPrototypes(finished: FinishedPoints): FinishedPoints {
  for (const runs of finished.values())
    for (const { outputs } of runs) byName(outputs as Record<string, string>);
  return finished;
}

function tell(message: Answer): void {
  parentPort!.postMessage(message);
}
