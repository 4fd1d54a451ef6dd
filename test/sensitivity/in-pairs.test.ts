import { describe, expect, test } from '@jest/globals';
import { measureOf } from '../../src/campaign/measures.ts';
import { expand } from '../../src/campaign/points.ts';
import type { Design } from '../../src/campaign/designs/index.ts';
import { analysesOf } from '../../src/sensitivity/analyze.ts';
import { courseSentence } from '../../src/report/analysis/course-words.ts';
import { PointGatherer } from '../../src/sensitivity/gather.ts';
import { analyzed, byName, campaignOf, OUTPUTS, spread } from './campaigns.ts';

const tenths = Array.from({ length: 10 }, (_, at) => String(at / 10));
const grid: Design = {
  kind: 'grid',
  inputs: ['A', 'B'],
  values: [tenths, ['0', '0.25', '0.5', '0.75', '1']],
};

/** Runs with common random numbers. Points with a larger A have more replications, as if they were less precise. */
function uneven(model: (values: number[], chance: number, replication: number) => number | undefined) {
  const campaign = campaignOf({ design: grid, replications: 4, seed: 1, commonRandomNumbers: true });
  const gatherer = new PointGatherer(campaign, [measureOf(OUTPUTS, 'Y')], {
    dataSets: [],
    points: 50,
    keepsRuns: true,
  });
  const counts = { total: 0, done: 0, failed: 0 };
  for (const { key, values } of expand(campaign)) {
    const numbers = values.map(Number);
    for (let replication = 1; replication <= 4 + 8 * numbers[0]!; replication += 1) {
      const value = model(numbers, [0.31, -1.2, 0.77, 2.1][replication % 4]! * replication, replication);
      const status = value === undefined ? 'failed' : 'done';
      counts.total += 1;
      counts[status] += 1;
      gatherer.add({
        point: key,
        replication,
        status,
        values,
        outputs: value === undefined ? {} : { Y: String(value) },
      });
    }
  }
  return analysesOf(campaign, gatherer.result(), counts)[0]!;
}

describe('with common random numbers and different numbers of replications', () => {
  test('points are compared by the replications that all have', () => {
    const { A, B } = byName(uneven(([, b], chance) => 10 + 3 * b! + chance).indices);
    expect(A!.p).toBe(1);
    expect(A!.effect).toBeCloseTo(0, 9);
    expect(B!.effect).toBeCloseTo(3, 9);
    expect(B!.p).toBeLessThan(1e-6);
  });

  test('a replication that fails at all points that have it shows no dependence on an input', () => {
    const late = uneven(([, b], chance, replication) => (replication > 8 ? undefined : b! + chance));
    expect(late.warnings.join(' ')).not.toContain('depends on');
  });
});

test.each(['P(Y > 0.5)', 'Y'])(
  'with common random numbers, a few equal results of %s prove nothing',
  (output) => {
    const design: Design = { kind: 'grid', inputs: ['A', 'B'], values: [tenths, ['0', '1']] };
    const of = (replications: number) =>
      byName(
        analyzed(
          { design, replications, seed: 1, commonRandomNumbers: true, outputs: [output] },
          ([, b]) => ({
            Y: b,
          }),
        )[0]!.indices,
      );
    // all replications have the same difference, so only a sign test remains
    expect(of(3).B!.p).toBe(0.25);
    expect(of(12).B!.p).toBeLessThan(0.001);
    expect(of(12).A!.p).toBe(1);
  },
);

describe('a curve with common random numbers', () => {
  const chance = [0.31, -1.2, 0.77, 2.1];
  /** A curve that depends on no input at time 0, and exactly on A at time 1. Chance is much larger than this effect. */
  const course = ([a]: readonly number[], replication: number) => {
    const common = 50 * chance[replication - 1]!;
    return { Course: { dataX: [0, 1], dataY: [common, common + 0.01 * a!] } };
  };

  test.each<[string, Design]>([
    ['one at a time', { kind: 'onePerInput', inputs: ['A', 'B'], values: [['1'], ['1']] }],
    ['a factorial', { ...grid, kind: 'grid' }],
    ['morris', { kind: 'morris', inputs: spread(['A', 'B']), trajectories: 10, levels: 4, seed: 1 }],
  ])('%s: an effect that is equal in all replications is seen at its time', (_, design) => {
    const played = { design, replications: 4, seed: 1, commonRandomNumbers: true };
    const [analysis] = analyzed({ ...played, outputs: ['Course'] }, course);
    const text = courseSentence(analysis!);
    expect(text).toMatch(/no input at 0, then A at 1|A matters most for Course .* from 1/);
    expect(text).toMatch(/B (cannot be distinguished from chance|has no visible effect) at any time/);
  });
});

test('a sum of squares that is only a rounding error is no effect, however small the error of pairs is', () => {
  const design: Design = {
    ...grid,
    inputs: ['A', 'B', 'C'],
    values: [
      ['0', '0.5', '1'],
      ['0', '0.1', '0.7'],
      ['0', '1', '3'],
    ],
  };
  const [analysis] = analyzed(
    { design, replications: 5, seed: 1, commonRandomNumbers: true },
    ([a, , c], replication) => ({ Y: 10.1 + 2.3 * a! + 0.7 * c! + 1.1 * Math.sin(replication) }),
  );
  expect(byName(analysis!.indices).B!.p).toBe(1);
  for (const { p } of analysis!.secondOrder!) expect(p).toBe(1);
});

test('without chance, points outside the steps of a Morris design show the effect that the steps miss', () => {
  // 4 trajectories on 4 levels; only the corner with both values above 0.5 is 1
  const design: Design = { kind: 'morris', inputs: spread(['A', 'B']), trajectories: 4, levels: 4, seed: 3 };
  const [analysis] = analyzed({ design }, ([a, b]) => ({ Y: a! > 0.5 && b! > 0.5 ? 1 : 0 }));
  for (const { muStar, p } of analysis!.indices!) if (muStar === 0) expect(p).toBe(0);
});
