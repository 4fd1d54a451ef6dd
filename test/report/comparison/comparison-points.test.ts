import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { pointKey } from '../../support/definition.ts';
import {
  compareCampaigns,
  type Compared,
  type ComparedPoint,
} from '../../../src/report/comparison/compare.ts';
import type { ResultRow } from '../../../src/store/index.ts';
import { gridOf, sampleRecord, SEED, stream } from '../support.ts';
import { EMPTY, pointsIn, policy, rate, side, wait } from '../compared.ts';

const places = (points: ComparedPoint[]) => points.map((point) => [point.values[0], point.in]);

describe('points', () => {
  test('are joined by their keys: first the points of A in their order, then the points that only B has', async () => {
    const a = side('a', { '3.0': [1], '1.0': [1], '2.0': [1] });
    const b = side('b', { '0.0': [1], '2.0': [1], '3.0': [1], '4.0': [1] });
    expect(places(await pointsIn(a, b))).toEqual([
      ['3.0', 'both'],
      ['1.0', 'A'],
      ['2.0', 'both'],
      ['0.0', 'B'],
      ['4.0', 'B'],
    ]);
  });

  test('of any two designs are complete, and each point has its numbers', async () => {
    const design = fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1 })
      .chain((rates) =>
        fc.record({
          rates: fc.constant(rates),
          waits: fc.array(fc.array(fc.option(fc.integer()), { minLength: 1, maxLength: 4 }), {
            minLength: rates.length,
            maxLength: rates.length,
          }),
        }),
      )
      // names that are whole numbers would come first in JavaScript's order, so each name gets ".0"
      .map(({ rates, waits }) => Object.fromEntries(rates.map((value, at) => [`${value}.0`, waits[at]!])));
    await fc.assert(
      fc.asyncProperty(design, design, async (inA, inB) => {
        const shared = Object.keys(inA).filter((value) => value in inB);
        const points = [];
        const [a, b] = [side('a', inA, { seed: 1 }), side('b', inB, { seed: 2 })];
        try {
          for await (const point of compareCampaigns(a, b).points) points.push(point);
        } catch (error) {
          expect({ error, shared }).toMatchObject({ error: { code: 'NOTHING_TO_COMPARE' }, shared: [] });
        }
        expect(places(points)).toEqual([
          ...Object.keys(inA).map((value) => [value, value in inB ? 'both' : 'A']),
          ...Object.keys(inB).flatMap((value) => (value in inA ? [] : [[value, 'B']])),
        ]);
        for (const { values, outputs } of points) {
          for (const [found, waits] of [
            [outputs[0]!.a, inA[values[0]!]],
            [outputs[0]!.b, inB[values[0]!]],
          ] as const) {
            const numbers = (waits ?? []).filter((number) => number !== null);
            expect(found.n).toBe(numbers.length);
            const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
            if (numbers.length > 0) expect(found.mean).toBeCloseTo(mean, 3);
          }
        }
      }),
    );
  });

  test('are joined by the other inputs if an input is fixed at different values', async () => {
    const a = side('a', { 1: [1, 2], 2: [3, 4] });
    const b = side('b', { 2: [5, 6], 1: [7, 9] }, {}, [policy('priority')]);
    const comparison = compareCampaigns(a, b);
    expect(comparison.matching.apart).toEqual([{ name: 'Policy', a: 'fifo', b: 'priority' }]);
    const points = await Array.fromAsync(comparison.points);
    expect(points.map(({ outputs }) => outputs[0]!.difference)).toEqual([6.5, 2]);
    // the keys differ, so the seeds differ, too
    expect(comparison.method).toBe('Welch');
    const crn = { commonRandomNumbers: true };
    const [c, d] = [
      { ...a, campaign: { ...a.campaign, ...crn } },
      { ...b, campaign: { ...b.campaign, ...crn } },
    ];
    expect(compareCampaigns(c, d).method).toBe('paired');
  });

  test('are joined by the inputs that both campaigns have if a later version has a new input', async () => {
    const a = side('a', { 1: [1] }, {}, []);
    const b = side('b', { 1: [4] });
    const comparison = compareCampaigns(a, b);
    expect(comparison.matching.apart).toEqual([{ name: 'Policy', a: null, b: 'fifo' }]);
    expect((await Array.fromAsync(comparison.points))[0]).toMatchObject({ in: 'both', values: ['1'] });
  });

  test('are also joined by an input that one campaign fixes and the other varies', async () => {
    const a = side('a', { 1: [1], 2: [2] });
    const { campaign } = sampleRecord({ base: [policy('fifo'), { ...rate, value: '2' }, SEED], grid: [] });
    const key = pointKey([policy('fifo'), { name: 'Rate', value: '2' }]);
    const row: ResultRow = {
      ...EMPTY,
      point: key,
      replication: 1,
      status: 'done',
      values: [],
      outputs: { Wait: '5' },
    };
    const b = { campaign: { ...campaign, outputs: [wait] }, rows: () => stream([row]) };
    const points = await pointsIn(a, b);
    expect(places(points)).toEqual([
      ['1', 'A'],
      ['2', 'both'],
    ]);
    expect(await pointsIn(b, a).then(places)).toEqual([
      ['2', 'both'],
      ['1', 'B'],
    ]);
  });

  test('are refused if one campaign varies an input that the other campaign does not have', () => {
    const a = side('a', { 1: [1] });
    const b = side('b', { 1: [1] });
    const other = { ...b, campaign: { ...b.campaign, base: [rate, SEED], ...gridOf([]) } };
    const alone = {
      ...a,
      campaign: { ...a.campaign, varied: [{ name: 'Servers', type: 'INTEGER', units: null }] },
    } as Compared;
    expect(() => compareCampaigns(alone, other)).toThrow('"a" varies "Servers"');
    expect(() => compareCampaigns(other, alone)).toThrow('"a" varies "Servers"');
  });

  test('are refused if there is no common point, or if a campaign has no finished runs', async () => {
    const a = side('a', { 1: [1] });
    for (const b of [side('b', { 2: [1] }), side('b', {})]) {
      await expect(pointsIn(a, b)).rejects.toMatchObject({
        code: 'NOTHING_TO_COMPARE',
        message: '"a" and "b" have no finished point in common.',
      });
    }
  });
});
