import { type CurveAxis, MILLISECONDS } from '../../api/index.ts';
import { wordOfX, type XWord } from '../../campaign/curves.ts';
import { rangeOf } from '../../statistics/sample.ts';
import { steps } from './scales.ts';
import { titleOf } from '../words/words.ts';

/** The months of the units of time that have no fixed length. */
const MONTHS: Readonly<Partial<Record<string, number>>> = { MONTH: 1, YEAR: 12 };

/** The time in ms of each x of an axis with dates, NaN beyond the times of a `Date`; undefined without dates. */
function timesOf({ units, start }: CurveAxis = {}): ((x: number) => number) | undefined {
  if (start === undefined || !units) return undefined;
  const from = new Date(`${start}T00:00Z`);
  const months = MONTHS[units];
  if (months !== undefined) return (x) => monthsAfter(from, months * x);
  const unit = MILLISECONDS[units]!;
  return (x) => new Date(Math.round(from.getTime() + x * unit)).getTime();
}

/** The time some months of the calendar after a date, in ms. A part of a month is this part of its days. */
function monthsAfter(date: Date, months: number): number {
  const whole = Math.floor(months);
  const [from, to] = [dayAfter(date, whole), dayAfter(date, whole + 1)];
  return Math.round(from + (months - whole) * (to - from));
}

/** The same day some whole months later, or the last day if the month has no such day: 28 February after 31 January. */
function dayAfter(date: Date, months: number): number {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  // the day before the first day of the next month
  const last = new Date(new Date(0).setUTCFullYear(year, month + 1, 0)).getUTCDate();
  return new Date(0).setUTCFullYear(year, month, Math.min(date.getUTCDate(), last));
}

/** Steps of time in ms, and how many characters of a time such as 12:30:15.250 tell times with such a step apart. */
const STEPS = [
  [MILLISECONDS.DAY!, 0],
  [MILLISECONDS.MINUTE!, 5],
  [MILLISECONDS.SECOND!, 8],
  [1, 12],
] as const;

/**
 * Spans of time in ms, how the labels of an axis of this length show times, and about how many such labels fit. They are
 * at least one unit of their last part apart.
 */
const FORMATS = [
  [3_653 * MILLISECONDS.DAY!, '%Y', 10],
  [10 * MILLISECONDS.DAY!, '%Y-%m-%d', 6],
  [10 * MILLISECONDS.MINUTE!, '%Y-%m-%d %H:%M', 3],
  [10 * MILLISECONDS.SECOND!, '%H:%M:%S', 6],
  [0, '%H:%M:%S.%L', 4],
] as const;

/** The x axis of a curve: its encoding, where and how a value is shown, and what the caption says of it. */
export interface XAxis {
  title: string;
  word: XWord;
  placeOf: (x: number) => number;
  textOf: (x: number) => number | { value: number; text: string };
  isOnAxis: (x: number) => boolean;
  encoding: object;
  note: string | undefined;
}

/**
 * The x axis that an output declares for its curves.
 *
 * @param places - all x of the picture
 */
export function xAxis(declared: CurveAxis | undefined, places: readonly number[]): XAxis {
  const { name, units, scale } = declared ?? {};
  const timeOf = timesOf(declared);
  const times = timeOf && places.map(timeOf);
  if (times && !times.some(Number.isNaN)) return dateAxis(declared, timeOf, times);
  const isOnAxis = (x: number): boolean => scale !== 'log' || x > 0;
  const isNamed = name !== undefined || units;
  const title = isNamed ? titleOf({ name: name ?? 'x', units }) : 'x';
  const encoding = {
    field: 'x',
    type: 'quantitative',
    title: isNamed ? title : null,
    scale: { nice: false, ...(scale === 'log' && { type: 'log' }) },
    axis: { grid: false, tickCount: 10, ...(scale === 'log' && logTicks(places.filter(isOnAxis))) },
  };
  const beyond = times && 'The axis has no dates, because some of them are beyond the calendar';
  const beside = places.every(isOnAxis)
    ? undefined
    : 'Points with x ≤ 0 are left out, because the axis is logarithmic';
  const word = wordOfX(declared);
  return { title, word, placeOf: (x) => x, textOf: (x) => x, isOnAxis, encoding, note: beyond ?? beside };
}

/** @param times - those of all x of the picture, in ms */
function dateAxis(
  declared: CurveAxis | undefined,
  timeOf: (x: number) => number,
  times: readonly number[],
): XAxis {
  const [, length] = STEPS.find(([step]) => times.every((time) => time % step === 0))!;
  const textOf = (x: number) => {
    const [date, time] = new Date(timeOf(x)).toISOString().split('T') as [string, string];
    return { value: x, text: `${date} ${time.slice(0, length)}`.trim() };
  };
  const title = declared?.name ?? 'Date';
  const [from, to] = rangeOf(times);
  const [, format, tickCount] = FORMATS.find(([span]) => to - from >= span)!;
  const encoding = {
    field: 'x',
    type: 'temporal',
    title,
    scale: { type: 'utc', nice: false },
    axis: { grid: false, format, tickCount },
  };
  const word = wordOfX(declared);
  return { title, word, placeOf: timeOf, textOf, isOnAxis: () => true, encoding, note: undefined };
}

function logTicks(places: readonly number[]): object {
  // a curve without a place on the axis has no ticks
  return { values: places.length > 0 ? steps(...rangeOf(places)) : [], format: ',~r' };
}
