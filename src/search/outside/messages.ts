import { ForayError } from '../../errors.ts';
import { bounded, printableLine } from '../../text/printable.ts';

/**
 * The messages between foray and an outside optimiser: JSON objects with one name, one per line (docs/guides/search.md,
 * Outside optimisers).
 */

/** A point by the names of its inputs, in their units. */
export type OutsidePoint = Record<string, string | number | boolean>;

/** A point with the number of its proposal; null for a point that the optimiser did not propose. */
export interface NumberedPoint {
  id: number | null;
  point: OutsidePoint;
}

/** The result of a point: values in the sign of the output, or why there is none. */
export type OutsideResult = NumberedPoint &
  ({ values: [number]; se?: [number]; n: number; require?: (number | null)[] } | { failed: string });

/** The answers of an optimiser, by their names. */
export interface Answers {
  ready: { best?: boolean };
  points: { points: unknown[]; done: boolean };
  best: { point: unknown; value: number | null } | null;
}

type Answer = { [K in keyof Answers]: { kind: K; answer: Answers[K] } }[keyof Answers];

/** A message of an optimiser. `question`: the number of the question that it answers; null if it has none. */
export type Heard = (Answer & { question: number | null }) | { kind: 'diverged' };

/** The most characters of a line in a message. */
const LONGEST_SHOWN = 200;
/**
 * NaN and infinite numbers, which Python writes and JSON does not have. Texts are matched too, because they may contain
 * such words.
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
  throw optimiserFailed(`says ${shown(line)} on its standard output, which is not a message`);
}

function answerIn({ ready, points, done = false, best }: Record<string, unknown>): Answer | undefined {
  if (isObject(ready)) return { kind: 'ready', answer: { best: ready.best === true } };
  if (Array.isArray(points) && typeof done === 'boolean')
    return { kind: 'points', answer: { points: points as unknown[], done } };
  if (best === null) return { kind: 'best', answer: null };
  if (!isObject(best)) return undefined;
  const { point, value = null } = best;
  return value === null || typeof value === 'number' ? { kind: 'best', answer: { point, value } } : undefined;
}

/** Replaces words that JSON lacks by texts, so that an error can name the place. */
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

/** A text from outside, for a sentence. */
export function shown(text: string): string {
  // the text may have millions of characters
  return `“${bounded(printableLine(text.slice(0, LONGEST_SHOWN + 1)), LONGEST_SHOWN)}”`;
}

/** @param how - completes "The optimiser …"; a full stop is added at its end */
export function optimiserFailed(how: string): ForayError {
  return new ForayError('OPTIMISER_FAILED', `The optimiser ${how}${/[.?]$/.test(how) ? '' : '.'}`);
}
