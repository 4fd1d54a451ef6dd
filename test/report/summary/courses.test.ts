import { describe, expect, test } from '@jest/globals';
import { MOST_POINTS } from '../../../src/report/summary/bands.ts';
import { CourseGatherer } from '../../../src/report/summary/courses.ts';

const OUTPUT = { name: 'Course', type: 'DATA_SET', units: null } as const;

function curveText(height: number, points = 3): string {
  const dataX = Array.from({ length: points }, (_, x) => x);
  return JSON.stringify({ dataX, dataY: dataX.map((x) => height * x) });
}

/** Gathers the curves of runs, each given by the key of its point and its curve. The point `a` is the best. */
function gathered(runs: readonly (readonly [point: string, curve: string])[], front: string) {
  const gatherer = new CourseGatherer([OUTPUT]);
  for (const [point, Course] of runs) gatherer.add({ point, outputs: { Course } });
  const best = { key: 'a', values: [], draws: 1, runs: 1, failed: 0, samples: {}, curves: { Course: front } };
  return gatherer.result(best)[0]!;
}

describe('the curves of few runs', () => {
  test('are one curve in front and all others behind, also the others of the best point, in any order of the runs', () => {
    const runs = [1, 2, 3].map((height) => ['a', curveText(height)] as const);
    for (const ordered of [runs, runs.toReversed()]) {
      const { best, others, bands } = gathered([...ordered, ['b', curveText(1)]], curveText(1));
      expect(best.at(-1)).toEqual([2, 2]);
      expect(others.map((curve) => curve.at(-1)![1]).toSorted((a, b) => a - b)).toEqual([2, 4, 6]);
      expect(bands).toEqual([]);
    }
  });

  test('have all curves behind if there is no curve in front', () => {
    const { best, others } = gathered([['a', curveText(2)]], '');
    expect([best, others.length]).toEqual([[], 1]);
  });
});

test('the curve in front has at most as many points as the others', () => {
  const long = curveText(1, MOST_POINTS + 1);
  const { best, others, areThinned } = gathered([['a', long]], long);
  expect([best.length <= MOST_POINTS, others, areThinned]).toEqual([true, [], true]);
});
