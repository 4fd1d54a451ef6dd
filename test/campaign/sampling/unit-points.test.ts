import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import {
  MOST_INPUTS,
  type SamplingMethod,
  unitColumns,
  unitPoints,
} from '../../../src/campaign/sampling/unit-points.ts';
import { zOf } from '../../models/kernel/support.ts';
import { anySample, METHODS, numbersOf, pointsOf } from './support.ts';

describe('any sample', () => {
  test('has the requested number of points in the unit cube, and the same points each time', () => {
    fc.assert(
      fc.property(anySample, ({ method, ...sampling }) => {
        const points = [...unitPoints(method, sampling)];
        expect(points).toHaveLength(sampling.points);
        expect(points.every((point) => point.length === sampling.names.length)).toBe(true);
        expect(points.flat().filter((u) => !(u >= 0 && u < 1))).toEqual([]);
        expect([...unitPoints(method, sampling)]).toEqual(points);
      }),
    );
  });

  test('begins with the points of a smaller sample, unless the method is lhs', () => {
    fc.assert(
      fc.property(anySample, fc.nat(200), ({ method, ...sampling }, fewer) => {
        fc.pre(method !== 'lhs');
        const first = [...unitPoints(method, { ...sampling, points: Math.min(fewer, sampling.points) })];
        expect([...unitPoints(method, sampling)].slice(0, first.length)).toEqual(first);
      }),
    );
  });

  test('keeps its coordinates when a name is added at the end', () => {
    fc.assert(
      fc.property(anySample, ({ method, ...sampling }) => {
        const fewer = { ...sampling, names: sampling.names.slice(0, -1) };
        const all = [...unitPoints(method, sampling)];
        expect(all.map((point) => point.slice(0, -1))).toEqual([...unitPoints(method, fewer)]);
      }),
    );
  });

  test('has the same points if they are computed in another order', () => {
    fc.assert(
      fc.property(anySample, ({ method, ...sampling }) => {
        const points = [...unitPoints(method, sampling)];
        const columns = unitColumns(method, sampling);
        const backwards = points.map((_, at) => columns.map((column) => column(points.length - 1 - at)));
        expect(backwards.reverse()).toEqual(points);
      }),
    );
  });
});

describe.each(METHODS)('%s', (method) => {
  test('gives other numbers for another seed or another name', () => {
    const numbers = numbersOf(method, 50);
    expect(numbersOf(method, 50, { seed: 43 })).not.toEqual(numbers);
    expect(numbersOf(method, 50, { name: 'X' })).not.toEqual(numbers);
    const points = pointsOf(method, 50, ['a', 'b']);
    expect(points.every(([a, b]) => a !== b)).toBe(true);
  });

  test('has the mean and the variance of a uniform distribution, and no correlation between two inputs', () => {
    const points = pointsOf(method, 4_096, ['a', 'b']);
    const zs = [
      zOf(
        points.map(([a]) => a!),
        1 / 2,
      ),
      zOf(
        points.map(([a]) => (a! - 0.5) ** 2),
        1 / 12,
      ),
      zOf(
        points.map(([a, b]) => (a! - 0.5) * (b! - 0.5)),
        0,
      ),
    ];
    for (const z of zs) expect(Math.abs(z)).toBeLessThan(4);
  });
});

test.each(['sobol', 'halton'] as const)('plain %s does not depend on the seed or the name', (method) => {
  const plain = numbersOf(method, 50, { scramble: false });
  expect(numbersOf(method, 50, { scramble: false, seed: 43, name: 'X' })).toEqual(plain);
});

test.each(['sobol', 'halton'] as const)(
  '%s takes its maximum number of inputs, all with different coordinates',
  (method) => {
    const names = Array.from({ length: MOST_INPUTS }, (_, at) => `x${at}`);
    const points = pointsOf(method, 512, names, { scramble: false });
    expect(MOST_INPUTS).toBeGreaterThanOrEqual(100);
    expect(new Set(names.map((_, at) => points.map((point) => point[at]).join())).size).toBe(MOST_INPUTS);
  },
);

// a design must give the same points forever, so these numbers may never change
test.each<[SamplingMethod, number[][]]>([
  [
    'random',
    [
      [0.20852034465010827, 0.12431802862272223],
      [0.5422860533222734, 0.5673508321893211],
      [0.2766630042262056, 0.9157029815317297],
    ],
  ],
  [
    'lhs',
    [
      [0.4998883133133252, 0.49772094438473385],
      [0.26334065447251004, 0.3087143674492836],
      [0.8613517259558042, 0.9463271076480547],
    ],
  ],
  [
    'sobol',
    [
      [0.1076359924627468, 0.5692158796591684],
      [0.8760337649146095, 0.04853374243248254],
      [0.5910499974852428, 0.9122176511446014],
    ],
  ],
  [
    'halton',
    [
      [0.9935215817437588, 0.8173151404588989],
      [0.4935215817437588, 0.15064847379223217],
      [0.7435215817437588, 0.4839818071255655],
    ],
  ],
])('the first points of %s do not change', (method, expected) => {
  expect(pointsOf(method, 3, ['Contact rate', 'Größe'])).toEqual(expected);
});
