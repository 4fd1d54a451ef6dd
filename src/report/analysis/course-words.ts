import type { XWord } from '../../campaign/curves.ts';
import type { Analysis, InputIndices, TimeIndices } from '../../sensitivity/analysis.ts';
import { numberText } from '../words/words.ts';
import { allowingForTests, divided, leading } from './claims.ts';
import { linearOf, listed, noEffectText, nothingText, unknownText } from './words.ts';

/**
 * The maximum number of stretches of time that a sentence lists in their order. If there are more, it lists at most
 * this many inputs.
 */
const MOST_PARTS = 3;

/** A stretch of time in which the same input matters most, or no input matters. */
interface Stretch {
  /** The input that matters most, or several ("A or B") if it may be any of them; undefined if no input matters. */
  input: string | undefined;
  from: number;
  to: number;
  /** The number of times in the stretch. */
  count: number;
}

/**
 * One sentence about a curve: which input matters most at which times, and which inputs never have a visible effect.
 *
 * @param textOf - the text of a time
 * @param word - what an x of the curve is
 */
export function courseSentence(
  analysis: Analysis,
  textOf: (time: number) => string = numberText,
  word: XWord = 'time',
): string {
  const { output, times: given = [] } = analysis;
  const times = allowingForTests(given);
  const parts = times.map((one) => ({ time: one.time, ...divided({ ...analysis, ...one }) }));
  const stretches = stretchesOf(
    parts.map(({ time, matter }) => {
      const most = leading(analysis, matter).toSorted((a, b) => (a.input < b.input ? -1 : 1));
      return { time, input: most.length > 0 ? listed(most, 'or') : undefined };
    }),
  );
  const [first] = stretches;
  if (!first || parts.every(({ unknown }, at) => unknown.length === times[at]!.indices.length)) {
    const why = analysis.unknown === undefined ? '' : `, because ${analysis.unknown}`;
    return `It is unknown which inputs matter for ${output}${why}.`;
  }
  const never = neverSeen(times, parts);
  const rest = unknownRest(times, parts, word);
  if (stretches.every(({ input }) => input === undefined)) {
    const at = `at any of ${times.length} ${word}s${rest}.`;
    if (parts.some(({ little }) => little.length > 0))
      return `No input has more than a little ${linearOf(analysis)}effect on ${output} ${at}`;
    if (never.length === 0) return `It is unknown which inputs matter for ${output}${rest}.`;
    const isTested = times.every(({ indices }) => indices.some(({ p }) => p !== undefined));
    return `${noEffectText(analysis, rest === '' ? 'all' : never, isTested)} ${at}`;
  }
  const others = never.length > 0 ? `; ${nothingText(analysis, never)} at any ${word}` : '';
  const what = `${output}${analysis.method === 'regression' ? ' as a linear function' : ''}`;
  return `${leadText(what, stretches, `${times.length} ${word}s`, textOf)}${others}${rest}.`;
}

/** @param all - the number of all times with its word, such as "60 times" */
function leadText(
  what: string,
  stretches: readonly Stretch[],
  all: string,
  textOf: (time: number) => string,
): string {
  const [first] = stretches as [Stretch];
  const spanText = ({ from, to }: Stretch): string =>
    from === to ? textOf(from) : `${textOf(from)} to ${textOf(to)}`;
  if (stretches.length === 1)
    return `${first.input} matters most for ${what} at all ${all} from ${spanText(first)}`;
  if (stretches.length <= MOST_PARTS) {
    const [head, ...others] = stretches.map(
      (one) => `${one.input ?? 'no input'} ${one.from === one.to ? 'at' : 'from'} ${spanText(one)}`,
    );
    return `The input that matters most for ${what} changes: ${[head, ...others].join(', then ')}`;
  }
  const counts = new Map<string, number>();
  for (const { input, count } of stretches)
    if (input !== undefined) counts.set(input, (counts.get(input) ?? 0) + count);
  const ordered = [...counts].toSorted(([, a], [, b]) => b - a);
  const texts = ordered.slice(0, MOST_PARTS).map(([input, count]) => `${input} at ${count} of ${all}`);
  return `The input that matters most for ${what} changes often: ${texts.join(', ')}`;
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

/** The inputs of each time by what is known of them. */
type Known = readonly Record<'matter' | 'little' | 'unknown', readonly { input: string }[]>[];

/** Inputs that have no visible effect at any time. Their effect is known at all times. */
function neverSeen(times: readonly TimeIndices[], parts: Known): InputIndices[] {
  const seen = new Set(
    parts.flatMap(({ matter, little, unknown }) =>
      [...matter, ...little, ...unknown].map(({ input }) => input),
    ),
  );
  const all = new Map(times.flatMap(({ indices }) => indices.map((one) => [one.input, one])));
  return [...all.values()].filter(({ input }) => !seen.has(input));
}

/** "; the effect of Rule is unknown at some times", of inputs that have a visible effect at no time. */
function unknownRest(times: readonly TimeIndices[], parts: Known, word: XWord): string {
  const seen = new Set(
    parts.flatMap(({ matter, little }) => [...matter, ...little].map(({ input }) => input)),
  );
  const counts = new Map<string, number>();
  for (const { input } of parts.flatMap(({ unknown }) => unknown))
    if (!seen.has(input)) counts.set(input, (counts.get(input) ?? 0) + 1);
  const isAlways = (count: number): boolean => count === times.length;
  const groups = [
    { when: '', inputs: [...counts].filter(([, count]) => isAlways(count)) },
    { when: ` at some ${word}s`, inputs: [...counts].filter(([, count]) => !isAlways(count)) },
  ];
  return groups
    .filter(({ inputs }) => inputs.length > 0)
    .map(({ when, inputs }) => `; ${unknownText(inputs.map(([input]) => ({ input })))}${when}`)
    .join('');
}
