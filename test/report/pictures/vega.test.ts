import { expect, test } from '@jest/globals';
import { draw, type Spec } from '../../../src/report/pictures/vega.ts';

/** Draws adjacent cells. Returns the left and right ends of their rectangles, in the order of the data. */
async function sidesOf(count: number, width: number): Promise<[left: number, right: number][]> {
  const cells = Array.from({ length: count }, (_, at) => ({ from: at, to: at + 1 }));
  const { svg } = await draw(
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
    return (await draw({ data, ...view, encoding: { x, y } } as unknown as Spec, 'p', 'a picture')).svg;
  };
  const named = async (name: string) => [
    await drawn(name, { mark: 'point', title: name }),
    await drawn(name, { mark: { type: 'text', text: name } }),
    (
      await draw(
        {
          data: { values: [{ name, value: 1 }] },
          facet: { field: 'name', type: 'nominal', title: name },
          spec: { mark: 'point', encoding: { x: { field: 'value', type: 'quantitative', title: name } } },
        } as unknown as Spec,
        'p',
        'a picture',
      )
    ).svg,
  ];
  for (const name of ['if', ...Object.getOwnPropertyNames(Object.prototype)]) {
    const other = `${name.slice(0, -1)}Q`;
    const expected = (await named(other)).map((svg) => svg.replaceAll(other, name));
    expect(expected.every((svg) => svg.includes(`>${name}</text>`))).toBe(true);
    expect(await named(name)).toEqual(expected);
  }
});

test.each<[number[], string | undefined, string[]]>([
  [[-2e16, 2.85e16], undefined, ['\u22122e+16', '\u22121e+16', '0', '1e+16', '2e+16']],
  [[1e12, 1.02e12], undefined, ['1e+12', '1.005e+12', '1.01e+12', '1.015e+12', '1.02e+12']],
  [
    [27_021_597_764_222_976, 36_028_797_018_963_968],
    'd',
    ['2.8e+16', '3e+16', '3.2e+16', '3.4e+16', '3.6e+16'],
  ],
  [[0, 2e-6], undefined, ['0', '5e-7', '1e-6', '1.5e-6', '2e-6']],
  [[0, 2e11], undefined, ['0', '50,000,000,000', '100,000,000,000', '150,000,000,000', '200,000,000,000']],
  [[0, 2e-4], undefined, ['0.00000', '0.00005', '0.00010', '0.00015', '0.00020']],
  [[0, 2e-5], '~%', ['0 %', '0.0005 %', '0.001 %', '0.0015 %', '0.002 %']],
  [[1e10, 1e16], '~r', ['10000000000', '1e+16']],
])(
  'the labels of an axis for the numbers %j with the format %s are not cut',
  async (domain, format, labels) => {
    const isLog = format === '~r';
    const x = {
      field: 'x',
      type: 'quantitative',
      scale: { domain, nice: false, type: isLog ? 'log' : 'linear' },
      axis: { tickCount: 5, ...(isLog && { values: domain }), format },
    };
    const spec = { width: 900, data: { values: [{ x: domain[0] }] }, mark: 'point', encoding: { x } };
    const { svg } = await draw(spec, 'p', 'a picture');
    expect([...svg.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text).slice(0, -1)).toEqual(labels);
  },
);

test('a label keeps the text of a colour, and marks have short colours', async () => {
  const x = { field: 'name', type: 'nominal', axis: { labelLimit: 900 } };
  const values = ['rgb(1, 2, 3)', 'fill="rgb(1, 2, 3)"'].map((name) => ({ name, colour: 'rgb(4, 5, 6)' }));
  const color = { field: 'colour', type: 'nominal', scale: null };
  const spec = { data: { values }, mark: { type: 'point', filled: true }, encoding: { x, color } };
  const { svg } = await draw(spec, 'p', 'rgb(7, 8, 9)');
  expect(svg).toContain('>rgb(1, 2, 3)</text>');
  expect(svg).toMatch(/>fill=(?:"|&quot;)rgb\(1, 2, 3\)(?:"|&quot;)<\/text>/);
  expect(svg).toContain('aria-label="rgb(7, 8, 9)"');
  expect(svg).toContain('fill="#040506"');
  expect(svg).not.toContain('rgb(4');
});

test('several marks of a row at one place are one mark, and marks without a row are none', async () => {
  const values = [1, 2, 3].map((x, row) => ({ x, y: x, low: 0, row }));
  const x = { field: 'x', type: 'quantitative' };
  const spec = {
    data: { values },
    encoding: { x },
    layer: [
      { mark: 'line', encoding: { y: { field: 'y', type: 'quantitative' } } },
      { mark: 'point', encoding: { y: { field: 'y', type: 'quantitative' } } },
      { mark: 'point', encoding: { y: { field: 'low', type: 'quantitative' } } },
      {
        data: { values: [{ x: 2, y: 2 }] },
        mark: 'point',
        encoding: { y: { field: 'y', type: 'quantitative' } },
      },
    ],
  };
  const { panels } = await draw(spec, 'p', 'a picture');
  // the points at "low" are at other places, so they are marks of their own
  expect(panels.map(({ marks }) => marks.map(({ row }) => row))).toEqual([[0, 1, 2, 0, 1, 2]]);
});
