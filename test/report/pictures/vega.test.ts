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

test('names that Vega could take for signals are drawn like all other names', async () => {
  const drawn = async (name: string, view: object) => {
    const data = {
      values: [
        { name, value: 1 },
        { name: 'b', value: 2 },
      ],
    };
    const y = { field: 'value', type: 'quantitative', title: [name, 'mean'] };
    const x = { field: 'name', type: 'nominal', sort: [name, 'b'], title: name };
    return drawSvg({ data, ...view, encoding: { x, y } } as unknown as Spec, 'p', 'a picture');
  };
  const named = async (name: string) => [
    await drawn(name, { mark: 'point', title: name }),
    await drawn(name, { mark: { type: 'text', text: name } }),
    await drawSvg(
      {
        data: { values: [{ name, value: 1 }] },
        facet: { field: 'name', type: 'nominal', title: name },
        spec: { mark: 'point', encoding: { x: { field: 'value', type: 'quantitative', title: name } } },
      } as unknown as Spec,
      'p',
      'a picture',
    ),
  ];
  for (const name of ['if', ...Object.getOwnPropertyNames(Object.prototype)]) {
    const other = `${name.slice(0, -1)}Q`;
    const expected = (await named(other)).map((svg) => svg.replaceAll(other, name));
    expect(expected.every((svg) => svg.includes(`>${name}</text>`))).toBe(true);
    expect(await named(name)).toEqual(expected);
  }
});
