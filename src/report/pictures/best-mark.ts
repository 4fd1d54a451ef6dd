import type { Measure } from '../../campaign/measures.ts';
import { measureText } from '../words.ts';

/**
 * Layers with a ring around the best point, and its mean beside it, readable on any colour.
 *
 * @param word - what the point is called
 * @param isOnRight - whether the words go to the left of it
 */
export function bestMark(
  { x, y, mean, output }: { x: number; y: number; mean: number; output: Measure },
  word: string,
  isOnRight: boolean,
): object[] {
  const data = { values: [{ x, y }] };
  const encoding = {
    x: { field: 'x', type: 'quantitative' },
    y: { field: 'y', type: 'quantitative' },
  };
  const words = {
    type: 'text',
    align: isOnRight ? 'right' : 'left',
    dx: isOnRight ? -16 : 16,
    fontSize: 13,
    fontWeight: 600,
  };
  const ring = { type: 'point', shape: 'circle', size: 190, filled: false, opacity: 1 };
  const text = { value: `${word}: ${measureText({ ...output, units: null }, mean)}` };
  return [
    { data, mark: { ...ring, stroke: 'white', strokeWidth: 5 }, encoding },
    {
      data,
      mark: { ...words, color: 'white', stroke: 'white', strokeWidth: 4 },
      encoding: { ...encoding, text },
    },
    { data, mark: { ...ring, stroke: '#1a1a1a', strokeWidth: 2 }, encoding },
    { data, mark: { ...words, color: '#1a1a1a' }, encoding: { ...encoding, text } },
  ];
}
