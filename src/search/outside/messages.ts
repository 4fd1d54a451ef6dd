import { ForayError } from '../../errors.ts';
import { bounded, printableLine } from '../../text/printable.ts';

/**
 * The messages between foray and an outside optimiser. Each line is a JSON object. One of its keys, such as
 * `points`, tells the kind of message (docs/guides/search.md, Outside optimisers).
 */

/** A point: the value of each input by its name, in the units of the input. */
export type OutsidePoint = Record<string, string | number | boolean>;

/** A point with the number of its proposal; null for a point that the optimiser did not propose. */
export interface NumberedPoint {
  id: number | null;
  point: OutsidePoint;
}

/** The result of a point: the values of the output itself, or the reason why there are none. */
export type OutsideResult = NumberedPoint &
  ({ values: [number]; se?: [number]; n: number; require?: (number | null)[] } | { failed: string });

/** The answers of an optimiser, by the kind of message. */
export interface Answers {
  ready: { best?: boolean };
  points: { points: unknown[]; done: boolean };
  best: { point: unknown; value: number | null } | null;
}

type AnswerOfKind = { [K in keyof Answers]: { kind: K; answer: Answers[K] } }[keyof Answers];

/**
 * A message of an optimiser. `question`: the number of the question that it answers; null if it gives no number.
 * `diverged`: after a restart, the optimiser proposed other points than before. This answers no question.
 */
export type Heard = (AnswerOfKind & { question: number | null }) | { kind: 'diverged' };

/** The maximum number of characters of a line that an error message quotes. */
const LONGEST_SHOWN = 200;
/**
 * Matches NaN and infinite numbers, which Python writes although JSON does not have them. It also matches each text as
 * a whole. `jsonIn` leaves texts unchanged, so such words inside a text stay.
 */
const NO_JSON = /"(?:\\.|[^"\\])*"|-?\b(?:NaN|Infinity)\b/g;

/** @throws ForayError OPTIMISER_FAILED if the line is not an answer */
export function heardIn(line: string): Heard {
  const message = jsonIn(line);
  if (isObject(message)) {
    const answer = answerIn(message);
    const { question = null, diverged } = message;
    if (answer && (question === null || typeof question === 'number')) return { ...answer, question };
    if (Array.isArray(diverged)) return { kind: 'diverged' };
  }
  throw optimiserFailed(`says ${shown(line)} on its standard output, but this is not a message`);
}

function answerIn({ ready, points, done = false, best }: Record<string, unknown>): AnswerOfKind | undefined {
  if (isObject(ready)) return { kind: 'ready', answer: { best: ready.best === true } };
  if (Array.isArray(points) && typeof done === 'boolean')
    return { kind: 'points', answer: { points: points as unknown[], done } };
  if (best === null) return { kind: 'best', answer: null };
  if (!isObject(best)) return undefined;
  const { point, value = null } = best;
  return value === null || typeof value === 'number' ? { kind: 'best', answer: { point, value } } : undefined;
}

/** Parses a line. NaN and infinite numbers become texts, so that an error can name the place of such a value. */
function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    try {
      return JSON.parse(line.replace(NO_JSON, (found) => (found.startsWith('"') ? found : `"${found}"`)));
    } catch {
      return undefined;
    }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Quotes a text of an optimiser, for use in a sentence. */
export function shown(text: string): string {
  // cut first, because the text may have millions of characters
  return `“${bounded(printableLine(text.slice(0, LONGEST_SHOWN + 1)), LONGEST_SHOWN)}”`;
}

/**
 * @param how - completes "The optimiser …"; a full stop is added, unless the text ends with a full stop or a question
 * mark
 */
export function optimiserFailed(how: string): ForayError {
  return new ForayError('OPTIMISER_FAILED', `The optimiser ${how}${/[.?]$/.test(how) ? '' : '.'}`);
}
