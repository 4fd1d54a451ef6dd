import { numberText } from '../../report/index.ts';
import { rangeOf } from '../../statistics/sample.ts';
import { cut, type Line, widthOf } from './text.ts';

const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** Maximum number of columns of a histogram. */
const WIDEST = 60;

/**
 * Counts the numbers in equal steps from the smallest to the largest. The number of steps follows the Rice rule, 2
 * n^(1/3) (D. M. Lane, Online Statistics Education), up to `most`.
 */
export function binned(
  values: readonly number[],
  most: number,
): { from: number; to: number; counts: number[] } {
  const [from, to] = rangeOf(values);
  const bins = from === to ? 1 : Math.max(1, Math.min(most, Math.ceil(2 * Math.cbrt(values.length))));
  const counts = new Array<number>(bins).fill(0);
  // the values are halved, because the span of two large numbers may overflow
  const span = to / 2 - from / 2;
  for (const value of values) {
    const share = span === 0 ? 0 : (value / 2 - from / 2) / span;
    counts[Math.min(bins - 1, Math.floor(share * bins))]! += 1;
  }
  return { from, to, counts };
}

/**
 * A histogram of block characters: `height` lines, and one more line with the range of the values. A step with values
 * is always visible.
 *
 * @param values - at least one, all finite
 */
export function histogram(values: readonly number[], width: number, height: number): Line[] {
  const room = Math.max(1, Math.min(width, WIDEST));
  const { from, to, counts } = binned(values, room);
  const stepWidth = Math.max(1, Math.floor(room / counts.length));
  const highest = counts.reduce((a, b) => Math.max(a, b), 0);
  // a block character shows eighths of a line
  const levels = counts.map((count) =>
    count === 0 ? 0 : Math.max(1, Math.round((8 * height * count) / highest)),
  );
  const lines = Array.from({ length: height }, (_, at): Line => {
    const below = 8 * (height - 1 - at);
    const blocks = levels.map((level) => BLOCKS[Math.max(0, Math.min(8, level - below))]!.repeat(stepWidth));
    return [{ style: 'cyan', text: blocks.join('') }];
  });
  return [
    ...lines,
    [{ style: 'dim', text: axis(numberText(from), numberText(to), stepWidth * counts.length, width) }],
  ];
}

/** The ends of the axis; one number if both ends are the same. Without enough space, two blanks separate the ends. */
function axis(from: string, to: string, drawn: number, width: number): string {
  if (from === to) return cut(from, width);
  const space = Math.max(2, drawn - widthOf(from) - widthOf(to));
  return cut(`${from}${' '.repeat(space)}${to}`, width);
}
