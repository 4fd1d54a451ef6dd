import { type CurveAxis, MILLISECONDS } from '../api/index.ts';

/** A curve as [x, y] pairs. */
export type Curve = [x: number, y: number][];

/** The curve of a DATA_SET, without points that are not finite; undefined if the text is not a DATA_SET. */
export function curveOf(text: string | undefined): Curve | undefined {
  const { dataX, dataY } = (parsed(text ?? 'null') ?? {}) as { dataX?: unknown; dataY?: unknown };
  if (!Array.isArray(dataX) || !Array.isArray(dataY)) return undefined;
  return dataX
    .map((x, i): [number, number] => [Number(x), Number(dataY[i])])
    .filter((pair) => pair.every(Number.isFinite));
}

/**
 * The value of a curve at x, by linear interpolation; undefined beyond the ends of the curve. The x values of the
 * points must ascend. If several points have the same x, the last one gives the value at this x.
 */
export function valueAt(curve: Curve, x: number): number | undefined {
  let [low, high] = [0, curve.length];
  // find the number of points up to x
  while (low < high) {
    const middle = (low + high) >> 1;
    if (curve[middle]![0] <= x) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [curve[low - 1], curve[low]];
  if (!before) return undefined;
  if (before[0] === x) return before[1];
  if (!after) return undefined;
  return before[1] + ((after[1] - before[1]) * (x - before[0])) / (after[0] - before[0]);
}

/** The word for an x of a curve: a time, or a place on another axis, such as an axis of frequencies. */
export type XWord = 'time' | 'place';

/** The word for an x of a curve. Units of time mean time, and so does an axis without units and name. */
export function wordOfX({ name, units }: CurveAxis = {}): XWord {
  const isTime = units ? MILLISECONDS[units] !== undefined : name === undefined;
  return isTime ? 'time' : 'place';
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
