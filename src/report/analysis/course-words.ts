import type { Analysis, InputIndices, TimeIndices } from '../../sensitivity/analysis.ts';
import { numberText } from '../words/words.ts';
import { allowingForTests, divided } from './claims.ts';
import { nothingText } from './words.ts';

/**
 * The maximum number of stretches of time that a sentence lists in their order. If there are more, it lists at most
 * this many inputs.
 */
const MOST_PARTS = 3;

/** A stretch of time in which the same input matters most, or no input matters. */
interface Stretch {
  /** The input that matters most; undefined if no input matters. */
  input: string | undefined;
  from: number;
  to: number;
  /** The number of times in the stretch. */
  count: number;
}

/**
 * One sentence about a curve: which input matters most at which times, and which inputs never have a visible effect.
 */
export function courseSentence(analysis: Analysis): string {
  const { output, times: given = [] } = analysis;
  const times = allowingForTests(given);
  const parts = times.map((one) => ({ time: one.time, ...divided({ ...analysis, ...one }) }));
  const stretches = stretchesOf(parts.map(({ time, matter }) => ({ time, input: matter[0]?.input })));
  const [first] = stretches;
  if (!first || parts.every(({ unknown }, at) => unknown.length === times[at]!.indices.length)) {
    const why = analysis.unknown === undefined ? '' : `, because ${analysis.unknown}`;
    return `It is unknown which inputs matter for ${output}${why}.`;
  }
  const never = neverSeen(times, parts);
  if (stretches.every(({ input }) => input === undefined)) {
    const isTested = times.every(({ indices }) => indices.some(({ p }) => p !== undefined));
    if (analysis.method !== 'regression' && isTested && parts.every(({ little }) => little.length === 0))
      return `The effects of all inputs on ${output} cannot be distinguished from chance at any of ${times.length} times.`;
    const linear = analysis.method === 'regression' ? ' linear' : '';
    const effect = parts.every(({ little }) => little.length === 0)
      ? `a visible${linear}`
      : `more than a little${linear}`;
    return `No input has ${effect} effect on ${output} at any of ${times.length} times.`;
  }
  const rest = never.length > 0 ? `; ${nothingText(analysis, never)} at any time` : '';
  return `${leadText(output, stretches, times.length)}${rest}.`;
}

function leadText(output: string, stretches: readonly Stretch[], count: number): string {
  const [first] = stretches as [Stretch];
  if (stretches.length === 1)
    return `${first.input} matters most for ${output} at all ${count} times from ${spanText(first)}`;
  if (stretches.length <= MOST_PARTS) {
    const [head, ...others] = stretches.map(
      (one) => `${one.input ?? 'no input'} ${one.from === one.to ? 'at' : 'from'} ${spanText(one)}`,
    );
    return `The input that matters most for ${output} changes: ${[head, ...others].join(', then ')}`;
  }
  const counts = new Map<string, number>();
  for (const { input, count: own } of stretches)
    if (input !== undefined) counts.set(input, (counts.get(input) ?? 0) + own);
  const ordered = [...counts].toSorted(([, a], [, b]) => b - a);
  const texts = ordered.slice(0, MOST_PARTS).map(([input, own]) => `${input} at ${own} of ${count} times`);
  return `The input that matters most for ${output} changes often: ${texts.join(', ')}`;
}

function spanText({ from, to }: Stretch): string {
  return from === to ? numberText(from) : `${numberText(from)} to ${numberText(to)}`;
}

function stretchesOf(leaders: readonly { time: number; input: string | undefined }[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { time, input } of leaders) {
    const last = stretches.at(-1);
    if (last && last.input === input) {
      last.to = time;
      last.count += 1;
    } else stretches.push({ input, from: time, to: time, count: 1 });
  }
  return stretches;
}

/** Inputs that have no visible effect at any time. Their effect is known at all times. */
function neverSeen(
  times: readonly TimeIndices[],
  parts: readonly Record<'matter' | 'little' | 'unknown', readonly { input: string }[]>[],
): InputIndices[] {
  const seen = new Set(
    parts.flatMap(({ matter, little, unknown }) =>
      [...matter, ...little, ...unknown].map(({ input }) => input),
    ),
  );
  const all = new Map(times.flatMap(({ indices }) => indices.map((one) => [one.input, one])));
  return [...all.values()].filter(({ input }) => !seen.has(input));
}
