import { expect, test } from '@jest/globals';
import { drawSvg, type Spec } from '../../../src/report/pictures/vega.ts';

/** Draws adjacent cells. Returns the left and right ends of their rectangles, in the order of the data. */
async function sidesOf(count: number, width: number): Promise<[left: number, right: number][]> {
  const cells = Array.from({ length: count }, (_, at) => ({ from: at, to: at + 1 }));
  const svg = await drawSvg(
    {
      width,
      height: 20,
      data: { values: cells },
      mark: 'rect',
      encoding: {
        x: { field: 'from', type: 'quantitative', scale: { domain: [0, count], nice: false }, axis: null },
        x2: { field: 'to' },
      },
    } as unknown as Spec,
    'cells',
    'cells',
  );
  const paths = [...svg.matchAll(/ d="M(-?[\d.]+),[\d.-]+h([\d.]+)v[\d.]+h-/g)];
  return paths.map(([, left, side]) => [Number(left), Number(left) + Number(side)]);
}

test.each([7, 13, 31, 41, 57])(
  '%i adjacent cells have no gaps, although their coordinates are cut to two decimals',
  async (count) => {
    for (const width of [333, 590, 711]) {
      const sides = (await sidesOf(count, width)).filter(([left, right]) => right - left < width / 2);
      expect(sides).toHaveLength(count);
      for (const [at, [left]] of sides.entries()) {
        if (at > 0) expect(sides[at - 1]![1]).toBeGreaterThanOrEqual(left);
      }
    }
  },
);
