import { type InputType, isWholeType, type OutputType } from '../../api/index.ts';
import type { Measure } from '../../campaign/measures.ts';
import { rangeOf } from '../../statistics/sample.ts';
import { ticksBetween } from '../words/ticks.ts';
import { titleOfMeasure } from '../words/words.ts';

/** If the highest value is more than this many times the lowest value, low values look alike on a linear scale. */
const WIDE = 20;

/** The maximum number of powers of ten with a label on an axis. */
const MOST_POWERS = 12;

/** The maximum number of ticks of a short logarithmic axis, which has those of a linear one. */
const MOST_LINEAR = 5;

/** The margin beside the values, as a part of their range. */
const MARGIN = 0.06;

/** Whether the values need a logarithmic scale: they are all positive, and far apart. */
export function isWide(values: readonly number[]): boolean {
  const [min, max] = rangeOf(values);
  return min > 0 && max / min > WIDE;
}

/** Whether values along an axis are positive, far apart, and at unequal distances, such as 1, 10, 1000. */
export function isUneven(ascending: readonly number[]): boolean {
  const gaps = ascending.slice(1).map((value, at) => value - ascending[at]!);
  return isWide(ascending) && isWide(gaps);
}

/**
 * Makes the axis of means, with a margin around the values.
 *
 * @param isLog - whether the axis is logarithmic
 */
export function meanAxis(values: readonly number[], isLog = isWide(values)) {
  const [min, max] = rangeOf(values);
  if (isLog) {
    const factor = 10 ** (MARGIN * (Math.log10(max) - Math.log10(min)));
    const [low, high] = [Math.max(min / factor, Number.MIN_VALUE), Math.min(max * factor, Number.MAX_VALUE)];
    return {
      scale: { type: 'log', domain: [low, high], nice: false },
      axis: { values: steps(low, high), format: ',~r' },
    };
  }
  // equal values, and zeros, have a margin too
  const margin = (max - min) * MARGIN || Math.abs(max) * MARGIN || 1;
  return {
    scale: { domain: [min - margin, max + margin], nice: false, zero: false },
    axis: { tickCount: 8 },
  };
}

/** Ticks only at whole numbers, for an axis of an input that has no other values. */
export function wholeTicks({ type }: { type: InputType | OutputType }): object {
  return isWholeType(type) ? { tickMinStep: 1, format: ',d' } : {};
}

/** If all shares are within this distance of 0 % or of 100 %, the axis shows only this end. */
const NEAR_END = 0.2;

/**
 * Makes the axis of shares in percent. The axis goes from 0 to 100 %, or shows only one end if all shares are near this
 * end and not all are equal to it.
 */
export function shareAxis(values: readonly number[]) {
  const domain = shareDomain(rangeOf(values));
  // "~" removes trailing zeros
  return { scale: { domain, nice: false }, axis: { tickCount: 6, format: '~%' } };
}

function shareDomain([min, max]: readonly [number, number]): [number, number] {
  if (max > 0 && max <= NEAR_END) return [0, max * (1 + MARGIN)];
  if (min < 1 && min >= 1 - NEAR_END) return [1 - (1 - min) * (1 + MARGIN), 1];
  return [0, 1];
}

/** The approximate number of contour lines of a surface. */
const LEVELS = 8;

/** Some round numbers between the lowest and the highest value, ascending. */
export function levelsWithin(values: readonly number[], isLog: boolean): number[] {
  const [min, max] = rangeOf(values);
  // the difference of two large numbers may overflow
  const gap = max / LEVELS - min / LEVELS;
  if (!(gap > 0)) return [];
  if (isLog && isWide(values)) return steps(min, max);
  const power = 10 ** Math.floor(Math.log10(gap));
  // a step that is a little shorter than the gap is nearer to it than the next one
  const step = power * [1, 2, 5, 10].find((factor) => 1.4 * factor * power >= gap)!;
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * The numbers between `low` and `high` that are 1, 2 or 5 times a power of ten. If there are many powers of ten, only
 * the powers are returned. If there are very many, only some of the powers are returned. If fewer than two of these
 * numbers fit, the ticks are those of a linear axis.
 *
 * @param mostDecades - the maximum number of powers of ten for which all three numbers are returned
 */
export function steps(low: number, high: number, mostDecades = 4): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first > mostDecades ? [1] : [1, 2, 5];
  const every = Math.ceil((last - first) / MOST_POWERS);
  const all = Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) =>
    factors.map((factor) => Number(`${factor}e${first + every * i}`)),
  );
  const found = all.flat().filter((step) => low <= step && step <= high);
  return found.length < 2 ? ticksBetween(low, high, MOST_LINEAR).map(({ value }) => value) : found;
}

/**
 * Chooses a colour scale on which low values can be distinguished. It is logarithmic if all values are positive and the
 * highest is more than ten times the lowest. It is a square-root scale if the lowest value is zero and the highest is
 * more than ten times the lowest positive value. Otherwise it is linear.
 */
export function colourScale(values: readonly number[]): 'log' | 'sqrt' | 'linear' {
  const [min, max] = rangeOf(values);
  if (min > 0) return max / min > 10 ? 'log' : 'linear';
  const smallest = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
  return min === 0 && max / smallest > 10 ? 'sqrt' : 'linear';
}

/** The maximum number of characters of a line beside a picture. A longer line would be cut. */
const LONGEST_LINE = 20;

/** The title of a legend beside a picture, in as many lines as it needs. */
export function legendTitle(output: Measure): string | string[] {
  const lines: string[] = [];
  for (const word of titleOfMeasure(output).split(' ')) {
    const last = lines.at(-1);
    const isFitting = last !== undefined && last.length + 1 + word.length <= LONGEST_LINE;
    if (isFitting) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length === 1 ? lines[0]! : lines;
}
