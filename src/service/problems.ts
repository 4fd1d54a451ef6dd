import type { Health } from '../api/health.ts';

/** All problems that `/health` may name. docs/reference/service.md documents each code. */
export const problemCodes = {
  MODELS_UNREADABLE: 'a folder of models cannot be read: its models stay as they were, and their runs wait',
  MODEL_UNREADABLE: "a model's files cannot be read: it stays as it was, and its runs wait",
  VERSION_NOT_KEPT:
    "the files of a model's newest version cannot be stored: it runs only while the model does not change",
  NO_EXECUTOR: 'the system has no process, memory or descriptor for an executor: runs wait',
  RUNS_DEFERRED:
    'runs of a model wait: its files cannot be read, or the system lacks resources for its program',
  DATABASE_LOST: 'the file of the database was removed or replaced: nothing is read or written',
  DATABASE_AWAY: "the database's server cannot be reached: nothing is read or written",
  QUEUE_STUCK: 'the database cannot be read or written: runs wait',
  LANES_STUCK: 'Temporal cannot be reached: executors on other machines get no new work',
  RUNS_UNSERVED: 'no executor on another machine takes the runs of a model: they wait',
  FILES_STUCK: 'the store of files cannot be used: runs with files wait',
  FILES_CLOCK:
    'the clock of the service and that of the store of files differ by more than 30 seconds: addresses of files are valid for a shorter or longer time',
  RUNS_UNRECORDED: 'the database cannot be written: the ends of runs wait in memory until it can',
} as const satisfies Record<string, string>;

export type ProblemCode = keyof typeof problemCodes;

export interface Problem {
  code: ProblemCode;
  /** The object with the problem, to distinguish problems with the same code. It may be a path, and is never shown. */
  subject: string;
  /** The public message, visible without a key: no paths, no names of private models. */
  message: string;
  /** The message for the operator of the service. */
  detail: string;
}

/** The current problems of the service. Each is reported when it begins and when it ends. */
export class Problems {
  readonly #now: () => number;
  readonly #report: (line: string) => void;
  readonly #known = new Map<string, Problem & { since: string }>();

  /** @param report - called with a line for the operator */
  constructor(now: () => number, report: (line: string) => void) {
    this.#now = now;
    this.#report = report;
  }

  /** Notes a problem. A known problem stays unchanged. */
  raise(problem: Problem): void {
    const key = keyOf(problem);
    if (this.#known.has(key)) return;
    this.#known.set(key, { ...problem, since: new Date(this.#now()).toISOString() });
    this.#report(problem.detail);
  }

  /** Notes the end of a problem, if there was one. */
  resolve(code: ProblemCode, subject: string): void {
    const problem = this.#known.get(keyOf({ code, subject }));
    if (!problem) return;
    this.#known.delete(keyOf(problem));
    this.#report(`This is over: ${problem.detail}`);
  }

  /** Notes all current problems with the given codes. Other problems with these codes have ended. */
  replace(codes: readonly ProblemCode[], problems: readonly Problem[]): void {
    const keys = new Set(problems.map(keyOf));
    for (const known of [...this.#known.values()]) {
      if (codes.includes(known.code) && !keys.has(keyOf(known))) this.resolve(known.code, known.subject);
    }
    for (const problem of problems) this.raise(problem);
  }

  has(code: ProblemCode): boolean {
    return [...this.#known.values()].some((one) => one.code === code);
  }

  health(): Omit<Health, 'service'> {
    const problems = [...this.#known.values()].map(({ code, message, since }) => ({ code, message, since }));
    return { status: problems.length === 0 ? 'ok' : 'degraded', problems };
  }
}

function keyOf({ code, subject }: Pick<Problem, 'code' | 'subject'>): string {
  return `${code} ${subject}`;
}
