import { type InputType, type OutputType, type Unit, unitNames } from '../../api/index.ts';
import type { Measure } from '../../campaign/measures.ts';
import type { Cell, Column } from '../tables/result-table.ts';
import { parsed } from '../../campaign/curves.ts';

const symbols: Partial<Record<string, string>> = {
  MPS: 'm/s',
  KPH: 'km/h',
  FPS: 'ft/s',
  FPM: 'ft/min',
  MPH: 'mph',
  KN: 'knots',
  MPS_SQ: 'm/s²',
  FPS_SQ: 'ft/s²',
  RPM: 'rpm',
  RAD_PER_SECOND: 'rad/s',
  DEG_PER_SECOND: '°/s',
};

/** The units that have words. Another unit is shown as it is written. */
const knownUnits: ReadonlySet<string> = new Set(unitNames);

/** A unit in words: PER_DAY is "per day", SQ_METER "square meter". */
export function unitText(unit: Unit): string {
  if (!knownUnits.has(unit)) return unit;
  return symbols[unit] ?? unit.toLowerCase().replace(/^sq_/, 'square_').replaceAll('_', ' ');
}

/** A value with its unit: "3.2 days", "0.44 per day". */
export function amount(value: string, units: Unit | null): string {
  if (!units) return value;
  const name = unitText(units);
  const hasPlural = knownUnits.has(units) && !symbols[units] && !units.startsWith('PER_');
  if (value === '1' || !hasPlural) return `${value} ${name}`;
  const [noun = '', ...per] = name.split(' per ');
  return `${value} ${[pluralOf(noun), ...per].join(' per ')}`;
}

function pluralOf(noun: string): string {
  if (noun.endsWith('foot')) return noun.replace(/foot$/, 'feet');
  return noun.endsWith('inch') ? `${noun}es` : `${noun}s`;
}

/** The types of inputs and outputs in words; other types have their name in words. */
const typeWords: Partial<Record<InputType | OutputType, string>> = {
  STRING: 'text',
  DOUBLE: 'number',
  INTEGER: 'whole number',
  LONG: 'whole number',
  DATE_TIME: 'date and time',
  BOOLEAN: 'true or false',
  RANDOM_DOUBLE: 'random number',
  RANDOM_INTEGER: 'random whole number',
  RANDOM_BOOLEAN: 'random, true or false',
  FIXED_RANGE_DOUBLE: 'number',
  FIXED_RANGE_INTEGER: 'whole number',
  FIXED_RANGE_LONG: 'whole number',
  FULL_RANGE_BOOLEAN: 'true or false',
  DATA_SET: 'curve',
  INPUT_FILE: 'file',
  OUTPUT_FILE: 'file',
};

/** A type in words: LONG is "whole number", HISTOGRAM_DATA "histogram data". */
export function typeText(type: InputType | OutputType): string {
  return typeWords[type] ?? type.toLowerCase().replaceAll('_', ' ');
}

/** The name of an input or output, with the unit if there is a unit. */
export function titleOf({ name, units }: { name: string; units?: Unit | null | undefined }): string {
  return units ? `${name} (${unitText(units)})` : name;
}

/** The name of an output with its unit. A BOOLEAN output has the note "(share)" instead, because its share is shown. */
export function titleOfMeasure(measure: Pick<Measure, 'name' | 'units' | 'statistic' | 'sources'>): string {
  const { name, statistic, sources } = measure;
  return statistic === 'share' && sources[0] === name ? `${name} (share)` : titleOf(measure);
}

/** The different statistics of some measures. */
export function statisticsOf(measures: readonly Pick<Measure, 'statistic'>[]): Measure['statistic'][] {
  return (['mean', 'share', 'quantile'] as const).filter((one) =>
    measures.some(({ statistic }) => statistic === one),
  );
}

/** A mean, share or quantile for readers: "3.2 days", "12.5 %". */
export function measureText(
  { statistic, units }: Pick<Measure, 'statistic' | 'units'>,
  value: number,
): string {
  return statistic === 'share' ? `${numberText(inPercent(value))} %` : amount(numberText(value), units);
}

/**
 * A mean with the half-width of its interval, or a share or a quantile with the ends of its interval: "3.20 ± 0.40 days",
 * "12.5 % (9.0 % to 17.1 %)", "3.20 days (3.10 days to 4.00 days)". The intervals of shares and quantiles are not
 * symmetric. The digits are those of {@link estimateTexts}.
 */
export function intervalText(
  measure: Pick<Measure, 'statistic' | 'units'>,
  value: number,
  [low, high]: readonly [number, number],
): string {
  if (measure.statistic === 'mean') {
    const half = (high - low) / 2;
    const text = (one: number): string => textWithin(one, half);
    return amount(`${text(value)} ± ${text(half)}`, measure.units);
  }
  const [middle, from, to] = estimateTexts(measure, value, [low, high]);
  return `${middle} (${from} to ${to})`;
}

/**
 * A mean, share or quantile and the ends of its interval for readers, all with the same digits: down to the second digit
 * of the half-width of the interval, because chance decides the further ones.
 */
export function estimateTexts(
  { statistic, units }: Pick<Measure, 'statistic' | 'units'>,
  value: number,
  [low, high]: readonly [number, number],
): [value: string, low: string, high: string] {
  const isShare = statistic === 'share';
  const scale = isShare ? 100 : 1;
  const half = (scale * (high - low)) / 2;
  const text = (one: number): string => {
    const digits = textWithin(scale * one, half);
    return isShare ? `${digits} %` : amount(digits, units);
  };
  return [text(value), text(low), text(high)];
}

/** The most decimals of a number for readers; a number that needs more has an exponent. */
const MOST_DECIMALS = 9;
/** The most decimals before an exponent; a number has no further digits. */
const MOST_EXPONENT_DECIMALS = 16;

/**
 * A number to the second digit of the half-width of its interval: 1,235,000 with 52,341, and 3.20 with 0.41. Without a
 * width it is as in `numberText`.
 */
export function textWithin(value: number, half: number): string {
  const decimals = 1 - Math.floor(Math.log10(Number(half.toPrecision(2))));
  if (!Number.isFinite(decimals) || (value === 0 && decimals > MOST_DECIMALS)) return numberText(value);
  if (decimals > MOST_DECIMALS || Math.abs(value) >= 1e15) {
    const digits = Math.floor(Math.log10(Math.abs(value))) + decimals;
    return value.toExponential(Math.min(Math.max(digits, 0), MOST_EXPONENT_DECIMALS));
  }
  if (decimals >= 0) return fixedText(value, decimals);
  const step = 10 ** -decimals;
  return fixedText(step * Math.round(value / step), 0);
}

/** A number with thousands separators and this number of decimals. */
export function fixedText(value: number, decimals: number): string {
  return unsignedZero(
    value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
  );
}

/** A number that is rounded to zero has no sign. */
function unsignedZero(text: string): string {
  return /^-[0.,]+$/.test(text) ? text.slice(1) : text;
}

/** The text of `measureText` with all digits. A share is rounded to 12 digits. */
export function fullText({ statistic, units }: Pick<Measure, 'statistic' | 'units'>, value: number): string {
  // further digits of 100 times a share may have a rounding error
  return statistic === 'share' ? `${Number((100 * value).toPrecision(12))} %` : amount(String(value), units);
}

/**
 * The cells of a measure's column for readers. Shares are in percent. The cells have the decimals of `numberColumn`, and
 * shares no more than the runs can tell apart.
 *
 * @param runs - the numbers of runs of the values; empty if they are not known
 */
export function measureColumn(
  { statistic }: Pick<Measure, 'statistic'>,
  values: readonly (number | undefined)[],
  runs: readonly number[],
): string[] {
  if (statistic !== 'share') return numberColumn(values);
  // the column rounds them, so a share that was rounded before would have wrong decimals
  const shares = values.map((value) => (value === undefined ? undefined : 100 * value));
  return numberColumn(shares, decimalsOfShares(runs)).map((text) => text && `${text} %`);
}

/** The decimals of shares in percent that runs can tell apart: the shares of n runs differ by at least 1/n. */
function decimalsOfShares(runs: readonly number[]): number {
  return runs.length === 0 ? Infinity : Math.max(0, Math.ceil(Math.log10(Math.max(...runs))) - 2);
}

/** Formats a share in percent: 0.125 is "12.5 %". */
export function percent(share: number): string {
  return `${+(100 * share).toPrecision(6)} %`;
}

/** The number of significant digits in a number for readers. */
const DIGITS = 4;

/** A share in percent, rounded to `DIGITS` significant digits. */
function inPercent(share: number): number {
  return Number((100 * share).toPrecision(DIGITS));
}

/**
 * A number for readers, with thousands separators: at most four significant digits, or all digits before the decimal
 * point if there are more. Below 1e-4 and from 1e15, the number has an exponent.
 */
export function numberText(value: number): string {
  const size = Math.abs(value);
  // "1e+20" instead of "1.000e+20", as in pictures
  if (size !== 0 && (size < 1e-4 || size >= 1e15))
    return value.toExponential(DIGITS - 1).replace(/\.?0+e/, 'e');
  return value.toLocaleString(
    'en-US',
    size >= 10 ** (DIGITS - 1) ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: DIGITS },
  );
}

/**
 * Shortens the text of a number to as many digits as `numberText`. A whole number stays unchanged, because a model may
 * use it as an identifier, in which each digit matters.
 */
export function shortNumber(text: string): string {
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) || text === '' || !Number.isFinite(value)) return text;
  const size = Math.abs(value);
  const short = size >= 10 ** (DIGITS - 1) && size < 1e15 ? Math.round(value) : +value.toPrecision(DIGITS);
  // the largest numbers cannot be rounded up
  return Number.isFinite(short) ? String(short) : text;
}

/** A smaller part of a number is a rounding error. */
const ROUNDING = 1e-9;

/**
 * The decimals that tell numbers apart: down to the second digit of the distance between the lowest and the highest. 0 for
 * whole numbers, and for numbers that are equal except for rounding.
 */
function decimalsApart(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const areApart = high - low > ROUNDING * Math.max(-low, high);
  if (!areApart || known.every(Number.isInteger)) return 0;
  return Math.min(MOST_DECIMALS, Math.max(0, 1 - Math.floor(Math.log10(high - low))));
}

/**
 * The numbers of one column for readers. All have the same number of decimals: the largest number of decimals that
 * `numberText` gives to one of them, or more if numbers near each other would look equal. If a number has an exponent,
 * all numbers stay as in `numberText`.
 *
 * @param most - the most decimals
 */
export function numberColumn(values: readonly (number | undefined)[], most = Infinity): string[] {
  const texts = values.map((value) => (value === undefined ? '' : numberText(value)));
  if (texts.some((text) => text.includes('e'))) return texts;
  const wanted = Math.max(decimalsApart(values), ...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const decimals = Math.min(wanted, most);
  return values.map((value) => (value === undefined ? '' : fixedText(value, decimals)));
}

/** A number with its noun: "1 point", "1,200 points". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/**
 * A cell for readers. A number is shortened by `shortNumber`, unless its column is exact. A value that is not a single
 * cell is described, such as "121 points".
 */
export function brief({ kind, type, isExact = false }: Column, cell: Cell): string {
  if (cell === null) return '';
  if (kind === 'number') return isExact ? cell : shortNumber(cell);
  if (kind !== 'json') return cell;
  const value = (parsed(cell) ?? {}) as Record<string, unknown>;
  if (type === 'DATA_SET' && Array.isArray(value.dataX)) return counted(value.dataX.length, 'point');
  if (type === 'OUTPUT_FILE' && typeof value.localPath === 'string') return value.localPath;
  if (type === 'HISTOGRAM_DATA' && Array.isArray(value.hits)) return counted(value.hits.length, 'bin');
  if (typeof value.mean === 'number') return `mean ${numberText(value.mean)}`;
  return cell;
}

/** The value of an input in a sentence. An empty text, or no file, would leave a gap. */
export function inputText(value: string): string {
  return value === '' ? '(empty)' : value;
}
