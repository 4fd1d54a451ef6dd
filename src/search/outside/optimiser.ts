import {
  nameOfMethod,
  type OutsideMethod,
  type Requirement,
  type Search,
} from '../../campaign/search/search.ts';
import type { Space } from '../../campaign/search/space.ts';
import type { Goal } from '../../campaign/types.ts';
import { bounded } from '../../text/printable.ts';
import type { Proposal, Recommendation, Told } from '../methods/method.ts';
import { type Answers, type NumberedPoint, optimiserFailed, type OutsideResult } from './messages.ts';
import { Killed, logLine, Session } from './session.ts';
import { type OutsideSpace, outsideSpace } from './space.ts';

/** The maximum number of starts of an optimiser for one answer, if signals end its process again and again. */
const MOST_STARTS = 10;
/** A process is ended after this many milliseconds without a question. The next question starts another process. */
const IDLE_MS = 10 * 60_000;
/** The maximum number of characters of the command that the log of the search shows. */
const LONGEST_NAME = 100;

export interface OptimiserSettings {
  /** The id of the campaign, for the worker's log. */
  id: string;
  method: OutsideMethod;
  search: Pick<Search, 'inputs' | 'require' | 'parallel'>;
  goal: Goal;
  space: Space;
  seed: number;
}

/** A step in the course of an optimiser: its proposals, or a told result. */
type Entry =
  /**
   * The points that foray made from the proposals of one answer. `by`: the process that gave the answer; null if the
   * answer is older than this object.
   */
  { kind: 'asked'; points: NumberedPoint[]; by: Session | null } | { kind: 'told'; result: OutsideResult };

/**
 * An outside optimiser as a method whose answers are slow, because it is a process. The process may be replaced at any
 * time, because this object keeps the proposals and results, and sends them to a new process in the same order. Each
 * question asks for as many points as may be opened. If the optimiser gives fewer points, foray asks again after it has
 * told more results. So the questions and their order depend only on the log.
 */
export class Optimiser {
  readonly #settings: OptimiserSettings;
  readonly #space: OutsideSpace;
  readonly #sign: 1 | -1;
  readonly #name: string;
  readonly #entries: Entry[] = [];
  #session: Session | undefined;
  /** The number of entries that the current process knows. */
  #sent = 0;
  /** The points of the last answer that `ask` has not returned yet. */
  #queue: number[][] = [];
  #proposed = 0;
  #told = 0;
  /** True if the optimiser must be told a result before the next question. */
  #needsResults = false;
  #isDone = false;
  #hasDiverged = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(settings: OptimiserSettings) {
    const { method, search, space, goal } = settings;
    this.#settings = settings;
    this.#space = outsideSpace(search.inputs, space);
    this.#sign = goal.wants === 'lowest' ? 1 : -1;
    this.#name = bounded(nameOfMethod(method), LONGEST_NAME);
  }

  /** Whether the next proposals are known already. */
  get hasMore(): boolean {
    return this.#queue.length > 0;
  }

  /** Like `ask` of a method. */
  async ask(): Promise<Proposal | null | 'exhausted'> {
    if (!this.hasMore && !this.#isDone && !this.#needsResults) await this.#askProcess();
    const x = this.#queue.shift();
    if (x) return { x, by: this.#name };
    return this.#isDone ? 'exhausted' : null;
  }

  /**
   * Tells which point a proposal became. The caller calls it for each proposal, in the order of the proposals. It is also
   * called for proposals in the log that are older than this object.
   */
  named(x: readonly number[]): void {
    const by = this.#session ?? null;
    const numbered = { id: this.#proposed, point: this.#space.pointAt(x) };
    this.#proposed += 1;
    this.#needsResults = !this.hasMore;
    const last = this.#entries.at(-1);
    if (last?.kind === 'asked' && this.#sent < this.#entries.length) last.points.push(numbered);
    else this.#entries.push({ kind: 'asked', points: [numbered], by });
  }

  tell(told: Told): void {
    this.#entries.push({ kind: 'told', result: this.#resultOf(told) });
    if (told.ask === null) return;
    this.#told += 1;
    this.#needsResults = false;
  }

  async recommend(): Promise<Recommendation | null> {
    const best = await this.#request({ best: true }, 'best');
    return best && { x: this.#space.coordinatesOf(best.point), value: best.value };
  }

  /** Ends the process. If the method is asked again, it starts another process. */
  close(): void {
    clearTimeout(this.#idle);
    this.#session?.end();
    this.#session = undefined;
  }

  async #askProcess(): Promise<void> {
    const wanted = this.#settings.search.parallel - (this.#proposed - this.#told);
    const { points, done } = await this.#request({ ask: wanted }, 'points');
    if (points.length > wanted)
      throw this.#endedBecause(`proposes ${points.length} points, but it was asked for ${wanted}`);
    if (points.length === 0 && !done && this.#proposed === this.#told)
      throw this.#endedBecause('proposes nothing, although it was told the results of all of its points');
    try {
      this.#queue = points.map((point) => this.#space.coordinatesOf(point));
    } catch (error) {
      this.close();
      throw error;
    }
    this.#needsResults = points.length === 0;
    this.#isDone = done;
  }

  /** Sends a question to the process. If a signal has ended the process, another process is started. */
  async #request<K extends keyof Answers>(message: object, kind: K): Promise<Answers[K]> {
    for (let starts = 1; ; starts += 1) {
      try {
        const session = await this.#openSession();
        if (kind === 'best' && !session.recommends) return null as Answers[K];
        // a new process repeats earlier answers, and may take the whole time limit for each
        const repeated = this.#sendEntries(session);
        const answer = await session.ask(message, kind, (1 + repeated) * this.#settings.method.timeout);
        clearTimeout(this.#idle);
        this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
        return answer;
      } catch (error) {
        this.close();
        if (!(error instanceof Killed)) throw error;
        if (starts === MOST_STARTS) throw optimiserFailed(`${error.message}, ${starts} times in a row`);
      }
    }
  }

  /** The session of the running process, or of a new one. */
  async #openSession(): Promise<Session> {
    if (this.#session?.fault) throw this.#session.fault;
    if (this.#session && !this.#session.hasEnded) return this.#session;
    const { id, method, search, goal, seed } = this.#settings;
    const { output, wants } = goal;
    const session = new Session(
      method,
      (line) => logLine(id, line),
      () => this.#noteDivergence(),
    );
    this.#session = session;
    this.#sent = 0;
    const start = {
      seed,
      space: this.#space.described,
      objectives: [{ name: output, goal: wants === 'lowest' ? 'min' : 'max' }],
      require: search.require.map(requirement),
      parallel: search.parallel,
      options: method.options,
    };
    const { best = false } = await session.ask({ start }, 'ready', method.timeout);
    session.recommends = best;
    return session;
  }

  /**
   * Sends the entries that the process does not know yet.
   *
   * @returns how many of these entries are answers of earlier processes. This process has to repeat these answers
   */
  #sendEntries(session: Session): number {
    const news = this.#entries.slice(this.#sent);
    this.#sent = this.#entries.length;
    for (const entry of news)
      if (entry.kind === 'told') session.send({ tell: [entry.result] });
      else session.send({ [entry.by === session ? 'named' : 'asked']: entry.points });
    return news.filter((entry) => entry.kind === 'asked' && entry.by !== session).length;
  }

  #resultOf({ ask, x, value, variance, runs, excess }: Told): OutsideResult {
    const numbered = { id: ask, point: this.#space.pointAt(x) };
    if (value === null)
      return {
        ...numbered,
        failed: runs === 0 ? '"where" does not hold for it' : 'too many of its runs failed',
      };
    const { require } = this.#settings.search;
    return {
      ...numbered,
      values: [this.#sign * value],
      ...(variance !== null && { se: [Math.sqrt(variance)] as [number] }),
      n: runs,
      ...(require.length > 0 && { require: require.map((limit, at) => limited(limit, excess[at]!)) }),
    };
  }

  #noteDivergence(): void {
    if (this.#hasDiverged) return;
    this.#hasDiverged = true;
    logLine(
      this.#settings.id,
      'after a new start, the optimiser proposes other points than before. The points of the log count, and further points may differ.',
    );
  }

  /** Ends the process. @returns the error, whose sentence `how` completes */
  #endedBecause(how: string): Error {
    this.close();
    return optimiserFailed(how);
  }
}

function requirement({ output, min, max, chance }: Requirement): object {
  return {
    name: output,
    ...(min !== null && { min }),
    ...(max !== null && { max }),
    ...(chance !== null && { chance }),
  };
}

/**
 * The value that a requirement limits: the output, or for a chance the share of runs in which the requirement holds. It
 * is computed from the distance to meeting the requirement. If the requirement has both limits, the distance does not
 * tell which limit is nearer: the result is the value with this distance from the upper limit. Null if no run has a
 * value.
 */
function limited({ min, max, chance }: Requirement, excess: number): number | null {
  if (excess === Number.MAX_VALUE) return null;
  if (chance !== null) return chance - excess;
  return max === null ? min! - excess : max + excess;
}
