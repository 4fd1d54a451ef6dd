import type { Measure } from '../../campaign/measures.ts';
import { estimateTexts, measureText } from '../words/words.ts';

/** The point that pictures mark. */
export interface MarkedPoint {
  /** The values of all inputs that vary, in their order. */
  values: readonly string[];
  mean: number;
  /** The interval of the mean; null if it has none. */
  interval: Interval | null;
}

type Interval = readonly [low: number, high: number];

/**
 * Makes layers with a ring around the best point and its mean beside the ring. Both can be read on any colour.
 *
 * @param word - the name of the point
 * @param isOnRight - whether the point is on the right side of the picture. The words then go to its left
 */
export function bestMark(
  { x, y, mean, interval, output }: { x: number; y: number; output: Measure } & Omit<MarkedPoint, 'values'>,
  word: string,
  isOnRight: boolean,
): object[] {
  const ring = { type: 'point', shape: 'circle', size: 190, filled: false, opacity: 1 };
  const plain = { ...output, units: null };
  const text = interval ? estimateTexts(plain, mean, interval)[0] : measureText(plain, mean);
  return marked({ x, y }, ring, `${word}: ${text}`, isOnRight);
}

/**
 * Makes layers with a cross at a known point.
 *
 * @param isOnRight - whether the point is on the right side of the picture. The words then go to its left
 */
export function knownMark(
  { x, y, label }: { x: number; y: number; label: string },
  isOnRight: boolean,
): object[] {
  const cross = { type: 'point', shape: 'cross', size: 110, filled: false, opacity: 1 };
  return marked({ x, y }, cross, label, isOnRight);
}

/** Draws a symbol and words. Each has a white copy behind it, so that both can be read on any colour. */
function marked(
  place: { x: number; y: number },
  symbol: object,
  words: string,
  isOnRight: boolean,
): object[] {
  const data = { values: [place] };
  const encoding = {
    x: { field: 'x', type: 'quantitative' },
    y: { field: 'y', type: 'quantitative' },
  };
  const letters = {
    type: 'text',
    align: isOnRight ? 'right' : 'left',
    dx: isOnRight ? -16 : 16,
    fontSize: 13,
    fontWeight: 600,
  };
  const text = { value: words };
  return [
    { data, mark: { ...symbol, stroke: 'white', strokeWidth: 5 }, encoding },
    {
      data,
      mark: { ...letters, color: 'white', stroke: 'white', strokeWidth: 4 },
      encoding: { ...encoding, text },
    },
    { data, mark: { ...symbol, stroke: '#1a1a1a', strokeWidth: 2 }, encoding },
    { data, mark: { ...letters, color: '#1a1a1a' }, encoding: { ...encoding, text } },
  ];
}
