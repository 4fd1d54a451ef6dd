import type { CalibrationSummary, GenerationStory } from '../../search/abc/story.ts';
import { isWholeType } from '../../api/index.ts';
import type { Campaign } from '../../campaign/types.ts';
import { stopText } from './stop-words.ts';
import { amount, counted, numberText, percent, textWithin } from './words.ts';

/**
 * The progress of a calibration in one line: "generation 4, distances up to 2.1: 120 of 200 points accepted, 1,843
 * asked for".
 */
export function calibrationText({
  generation,
  tolerance,
  accepted,
  particles,
  asked,
  failed,
  stoppedBy,
}: CalibrationSummary): string {
  const failures = failed > 0 ? `, ${failed} failed` : '';
  const stop = stoppedBy === null ? '' : `; it ended because ${stopText(stoppedBy, 'calibration')}`;
  return `generation ${generation}, ${toleranceText(tolerance)}: ${accepted} of ${counted(particles, 'point')} accepted, ${asked.toLocaleString('en-US')} asked for${failures}${stop}`;
}

export function toleranceText(tolerance: number | null): string {
  return tolerance === null ? 'all distances' : `distances up to ${numberText(tolerance)}`;
}

/** Below this part of the interval, a change from one generation to the next is called small. */
const SMALL = 0.1;

/**
 * How the posterior changed from the last generation but one to the last, and whether that is much: "From generation 3 to
 * 4, the median of Contact rate moved by 4 % of its 95 % interval, which became 12 % narrower", "The last two generations
 * hardly differ". Empty with fewer than two complete generations.
 */
export function lastChangeTexts(generations: readonly GenerationStory[]): string[] {
  const [before, last] = generations.filter(({ inputs }) => inputs !== null).slice(-2);
  if (!before || !last) return [];
  const changes = Object.entries(last.inputs!).flatMap(([name, now]) => {
    const then = before.inputs![name]!;
    if (!('mean' in now) || !('mean' in then)) return [];
    const [width, widthBefore] = [now.high - now.low, then.high - then.low];
    return width > 0 && widthBefore > 0
      ? [{ name, moved: Math.abs(now.median - then.median) / width, grown: width / widthBefore - 1 }]
      : [];
  });
  if (changes.length === 0) return [];
  const share = (part: number): string => percent(Number(Math.abs(part).toFixed(2)));
  const texts = changes.map(({ name, moved, grown }) => {
    const change = share(grown);
    const width =
      change === '0 %' ? 'kept its width' : `became ${change} ${grown < 0 ? 'narrower' : 'wider'}`;
    return `the median of ${name} moved by ${share(moved)} of its 95 % interval, which ${width}`;
  });
  const areSmall = changes.every(({ moved, grown }) => moved < SMALL && Math.abs(grown) < SMALL);
  return [
    `From generation ${before.number} to ${last.number}, ${texts.join('; ')}`,
    areSmall
      ? 'The last two generations hardly differ'
      : 'The last two generations still differ, so a further generation may change the posterior',
  ];
}

/**
 * A quantile of the posterior, to the second digit of the half-width of its interval. A quantile of an input with whole
 * numbers is one of them.
 *
 * @param base - the inputs of the version
 */
export function quantileText(base: Campaign['base'], name: string, value: number, half: number): string {
  const type = base.find((input) => input.name === name)?.type;
  return type !== undefined && isWholeType(type) && Number.isInteger(value)
    ? numberText(value)
    : textWithin(value, half);
}

/** The posterior, one line per input: "Contact rate: mean 1.670 per day, sd 0.041; 95 % between 1.592 and 1.751". */
export function posteriorLines(
  { base }: Pick<Campaign, 'base'>,
  { posterior }: Pick<CalibrationSummary, 'posterior'>,
): string[] {
  if (!posterior) return [];
  return Object.entries(posterior.inputs).map(([name, marginal]) => {
    if ('shares' in marginal) {
      const shares = Object.entries(marginal.shares).sort(([, a], [, b]) => b - a);
      return `${name}: ${shares.map(([value, share]) => `${value} ${percent(Number(share.toFixed(3)))}`).join(', ')}`;
    }
    const { mean, sd, low, high } = marginal;
    const units = base.find((input) => input.name === name)?.units ?? null;
    const half = (high - low) / 2;
    const [from, to] = [low, high].map((one) => quantileText(base, name, one, half));
    return `${name}: mean ${amount(textWithin(mean, half), units)}, sd ${textWithin(sd, half)}; 95 % between ${from} and ${to}`;
  });
}
