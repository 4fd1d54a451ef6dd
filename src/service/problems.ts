import type { Health } from '../api/health.ts';

/** Every problem that `/health` may name, once; docs/service.md documents each code. */
export const problemCodes = {
  MODELS_UNREADABLE: 'a folder of models cannot be read: its models stay as they were, and their runs wait',
  MODEL_UNREADABLE: "a model's files cannot be read: it stays as it was, and its runs wait",
  NO_EXECUTOR: 'the system has no process, memory or descriptor for an executor: runs wait',
  RUNS_DEFERRED:
    'runs of a model wait: its files cannot be read, or the system has nothing left for its program',
  QUEUE_STUCK: 'the database cannot be read or written: runs wait',
  RUNS_UNRECORDED: 'the database cannot be written: what has become of runs is kept in memory until it can',
} as const satisfies Record<string, string>;

export type ProblemCode = keyof typeof problemCodes;

export interface Problem {
  code: ProblemCode;
  /** What has it, to tell it from others with the code: may be a path, and is never shown. */
  subject: string;
  /** For anybody, without a key: no paths, no names of private models. */
  message: string;
  /** For whoever runs the service. */
  detail: string;
}

/** What the service cannot do just now. Each problem is reported when it begins and when it is over, not in between. */
export class Problems {
  readonly #now: () => number;
  readonly #report: (line: string) => void;
  readonly #known = new Map<string, Problem & { since: string }>();

  /** @param report - takes a line for whoever runs the service */
  constructor(now: () => number, report: (line: string) => void) {
    this.#now = now;
    this.#report = report;
  }

  /** Notes that there is a problem. One that is known stays as it is. */
  raise(problem: Problem): void {
    const key = keyOf(problem);
    if (this.#known.has(key)) return;
    this.#known.set(key, { ...problem, since: new Date(this.#now()).toISOString() });
    this.#report(problem.detail);
  }

  /** Notes that a problem is over, if there was one. */
  resolve(code: ProblemCode, subject: string): void {
    const problem = this.#known.get(keyOf({ code, subject }));
    if (!problem) return;
    this.#known.delete(keyOf(problem));
    this.#report(`This is over: ${problem.detail}`);
  }

  /** Notes all problems that there are of some codes: any other of these is over. */
  replace(codes: readonly ProblemCode[], problems: readonly Problem[]): void {
    const keys = new Set(problems.map(keyOf));
    for (const known of [...this.#known.values()]) {
      if (codes.includes(known.code) && !keys.has(keyOf(known))) this.resolve(known.code, known.subject);
    }
    for (const problem of problems) this.raise(problem);
  }

  health(): Health {
    const problems = [...this.#known.values()].map(({ code, message, since }) => ({ code, message, since }));
    return { status: problems.length === 0 ? 'ok' : 'degraded', problems };
  }
}

function keyOf({ code, subject }: Pick<Problem, 'code' | 'subject'>): string {
  return `${code} ${subject}`;
}
