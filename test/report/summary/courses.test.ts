import { describe, expect, test } from '@jest/globals';
import { MOST_POINTS } from '../../../src/report/summary/bands.ts';
import { courseFigures } from '../../../src/report/pictures/curves.ts';
import { CourseGatherer, type Courses } from '../../../src/report/summary/courses.ts';
import { sampleRecord } from '../support.ts';

const OUTPUT = { name: 'Course', type: 'DATA_SET', units: null } as const;

function curveText(height: number, points = 3): string {
  const dataX = Array.from({ length: points }, (_, x) => x);
  return JSON.stringify({ dataX, dataY: dataX.map((x) => height * x) });
}

/** Gathers the curves of runs, each given by the key of its point and its curve. The point `a` is the best. */
function gathered(runs: readonly (readonly [point: string, curve: string])[], front: string) {
  const gatherer = new CourseGatherer([OUTPUT]);
  for (const [point, Course] of runs) gatherer.add({ point, replication: 1, outputs: { Course } });
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

describe('the bands of many runs', () => {
  const END = { varied: [], replications: 100, precision: null, outputs: [OUTPUT] };
  const captionOf = (courses: Courses): string => {
    const { campaign } = sampleRecord({ grid: [], ...END });
    return courseFigures(campaign, [courses], [], { wants: 'lowest', isGoal: false })[0]!.caption;
  };
  const runsOf = (lengths: readonly number[]) =>
    lengths.map((length, at) => [`p${at}`, length === 0 ? '' : curveText(1, length)] as const);
  const lengths = (...groups: [count: number, length: number][]): number[] =>
    groups.flatMap(([count, length]) => Array.from({ length: count }, () => length));

  test('are of all runs if each curve reaches each place', () => {
    const courses = gathered(runsOf(lengths([100, 11])), '');
    expect(courses.bands.map(({ curves }) => curves)).toEqual(lengths([11, 100]));
    expect(captionOf(courses)).toBe('The median and the middle 50 % and 90 % of all 100 runs.');
  });

  test('tell how many curves are behind each place if some end early', () => {
    const courses = gathered(runsOf(lengths([60, 11], [40, 6])), '');
    expect(courses).toMatchObject({ runs: 100, without: 0, isCut: false });
    for (const { x, curves } of courses.bands) expect(curves).toBe(x <= 5 ? 100 : 60);
    expect(captionOf(courses)).toBe(
      'The median and the middle 50 % and 90 % of the runs that reach each place, which are 60 to 100 of all 100 runs.',
    );
  });

  test('tell that they leave places out that fewer than half of the curves reach', () => {
    const courses = gathered(runsOf(lengths([40, 11], [60, 6])), '');
    expect(courses.isCut).toBe(true);
    expect(courses.bands.at(-1)!.x).toBe(5);
    expect(captionOf(courses)).toBe(
      'The median and the middle 50 % and 90 % of all 100 runs. Places that fewer than half of the curves reach are left out.',
    );
  });

  test('tell how many runs have no curve', () => {
    expect(captionOf(gathered(runsOf(lengths([90, 11], [10, 0])), ''))).toBe(
      'The median and the middle 50 % and 90 % of the 90 runs that have a curve (10 have none).',
    );
  });

  test('tell how many runs have no curve, also if they are a part of all runs', () => {
    // every third run has no curve
    const courses = gathered(runsOf(Array.from({ length: 1_200 }, (_, at) => (at % 3 === 0 ? 0 : 11))), '');
    const { runs, without } = courses;
    expect(runs + without).toBeGreaterThan(300);
    expect(without / (runs + without)).toBeCloseTo(1 / 3, 2);
    expect(captionOf(courses)).toBe(
      `The median and the middle 50 % and 90 % of ${runs} runs spread evenly over all that have a curve (${without} of ${runs + without} have none).`,
    );
    expect(captionOf(gathered(runsOf([11, 0, 11]), ''))).toBe(
      'A line for each run that has a curve (1 has none).',
    );
  });

  test('count the curve of a run as often as the design has its point', () => {
    const gatherer = new CourseGatherer([OUTPUT]);
    gatherer.add({ point: 'a', replication: 1, outputs: { Course: curveText(1) } }, 30);
    gatherer.add({ point: 'b', replication: 1, outputs: { Course: curveText(5) } }, 10);
    const { bands, runs } = gatherer.result(undefined)[0]!;
    expect(runs).toBe(40);
    expect(bands.at(-1)).toMatchObject({ q05: 2, q50: 2, q95: 10, curves: 40 });
  });

  test('of a calibration are those of the accepted points with their weights, with the prior behind them', () => {
    const runs = Array.from({ length: 40 }, (_, at) => ({ point: `p${at}`, replication: 1, height: at + 1 }));
    // the points with the heights 21 to 30 are the posterior, and half of the weight is at 25
    const posterior = new Map(
      runs.slice(20, 30).map(({ point, height }) => [`${point} 1`, height === 25 ? 0.5 : 0.5 / 9]),
    );
    const prior = new Set(runs.slice(0, 20).map(({ point }) => `${point} 1`));
    const gatherer = new CourseGatherer([OUTPUT], undefined, { posterior, prior });
    for (const { height, ...run } of runs) gatherer.add({ ...run, outputs: { Course: curveText(height) } });
    const [courses] = gatherer.result(undefined) as [Courses];
    expect(courses).toMatchObject({ runs: 10, others: [], best: [] });
    expect(courses.bands.at(-1)).toMatchObject({ q05: 42, q50: 50, q95: 60, curves: 10 });
    expect(courses.prior.at(-1)).toMatchObject({ x: 2, q50: 21, curves: 20 });
    expect(captionOf(courses)).toBe(
      'The median and the middle 50 % and 90 % of the posterior (10 accepted points, with their weights). Pale behind them is the middle 90 % of the runs from the prior.',
    );
  });

  test('of each value of an input have the weights of a posterior too', () => {
    const runs = ['a', 'b'].flatMap((group, place) =>
      Array.from({ length: 12 }, (_, at) => ({
        point: `${group}${at}`,
        group,
        height: 100 * place + at + 1,
      })),
    );
    // half of the weight of each value is at its last run
    const weightOf = (point: string): number => (point.endsWith('11') ? 0.25 : 0.25 / 11);
    const posterior = new Map(runs.map(({ point }) => [`${point} 1`, weightOf(point)]));
    const order = (a: string, b: string): number => (a < b ? -1 : 1);
    const gatherer = new CourseGatherer(
      [OUTPUT],
      undefined,
      { posterior, prior: new Set() },
      { name: 'Rule', at: 0, order },
    );
    for (const { point, group, height } of runs.toReversed())
      gatherer.add({ point, replication: 1, outputs: { Course: curveText(height) }, values: [group] });
    const [courses] = gatherer.result(undefined) as [Courses];
    expect(courses.groups.map(({ value, bands }) => [value, bands.at(-1)!.q95])).toEqual([
      ['a', 24],
      ['b', 224],
    ]);
    // without weights, the medians would be 13 and 213
    for (const { bands } of courses.groups) expect(bands.at(-1)!.q50 % 200).toBeGreaterThan(18);
    expect(captionOf(courses)).toContain(
      'The median and the middle 90 % of the accepted points with each value of Rule, with their weights.',
    );
    for (const at of [1, 2])
      gatherer.add({ point: 'a0', replication: at, outputs: { Course: '' }, values: ['a'] });
    expect(captionOf(gatherer.result(undefined)[0]!)).toContain(
      'The median and the middle 90 % of the accepted points with each value of Rule that have a curve (1 has none), with their weights.',
    );
  });

  test('of each value of an input tell that some curves end early', () => {
    const by = { name: 'Rule', at: 0, order: (a: string, b: string): number => (a < b ? -1 : 1) };
    const gatherer = new CourseGatherer([OUTPUT], undefined, undefined, by);
    for (const group of ['a', 'b'])
      for (let at = 0; at < 12; at += 1)
        gatherer.add({
          point: `${group}${at}`,
          replication: 1,
          outputs: { Course: curveText(1, at < 4 ? 6 : 11) },
          values: [group],
        });
    expect(captionOf(gatherer.result(undefined)[0]!)).toBe(
      'The median and the middle 90 % of the runs with each value of Rule. Some curves end early, so that only the others count at the places behind their ends.',
    );
  });
});
