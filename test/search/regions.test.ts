import { describe, expect, test } from '@jest/globals';
import { spaceOf } from '../../src/campaign/search/space.ts';
import { SearchInMemory, searchCampaign, stopAfter } from './in-memory.ts';

test.each(['gp', 'cma', 'direct'] as const)('%s asks for each point of a small space', async (method) => {
  const campaign = searchCampaign(
    { x: { min: 0, max: 0.5, digits: 1 }, y: { min: 0, max: 0.5, digits: 1 } },
    { method, where: 'x + y <= 0.5', stop: stopAfter(36) },
  );
  const run = ([x, y]: readonly number[]) => ({ f: String((x! - 0.1) ** 2 + (y! - 0.3) ** 2) });
  const { asks, events } = await new SearchInMemory(campaign, run, 1).toTheEnd(0.2);
  // 6 + 5 + … + 1 points meet the condition
  expect(new Set(asks.flatMap(({ ordinal }) => ordinal ?? [])).size).toBe(21);
  expect(events[0]).toEqual({ kind: 'stopped', by: 'all' });
});

test('one point of 90,000 is found', () => {
  const whole = (name: string) =>
    ({
      name,
      type: 'INTEGER',
      kind: 'range',
      min: 1,
      max: 300,
      scale: 'linear',
      step: null,
      digits: null,
    }) as const;
  const base = ['x', 'y'].map((name) => ({ name, type: 'INTEGER' as const, units: null, value: '1' }));
  const space = spaceOf({ inputs: [whole('x'), whole('y')], where: 'x == 17 and y == 205' }, base);
  expect(space.list()!.map((x) => space.valuesAt(x))).toEqual([['17', '205']]);
  expect(space.allowed(1).isEmpty).toBe(false);
});

test.each([1, 1e200, 1e-200, 1e307])('gp models outputs of the size %d', async (size) => {
  const campaign = searchCampaign(
    { x: { min: 0, max: 1, digits: 6 } },
    { method: 'gp', stop: stopAfter(14) },
  );
  const run = ([x]: readonly number[]) => ({ f: String(size * (x! - 0.3) ** 2) });
  const { asks } = await new SearchInMemory(campaign, run, 1).toTheEnd(0);
  expect(asks.filter(({ by }) => by.startsWith('expected improvement')).length).toBeGreaterThan(5);
  expect(Math.min(...asks.map(({ told }) => told!.value!)) / size).toBeLessThan(1e-4);
});

describe('computed inputs', () => {
  const names = ['x1', 'x2', 'x3'];
  const real = (name: string) =>
    ({
      name,
      type: 'DOUBLE',
      kind: 'range',
      min: 0,
      max: 1,
      scale: 'linear',
      step: null,
      digits: null,
    }) as const;
  const base = names.map((name) => ({ name, type: 'DOUBLE' as const, units: null, value: '0' }));
  const derive = [
    { name: 'x3', type: 'DOUBLE' as const, expression: '1 - x1 - x2', allowed: { min: 0, max: 1 } },
  ];
  const space = spaceOf({ inputs: [real('x1'), real('x2')], where: null, derive }, base);

  test('are the last values of a point, are decimals, and must be allowed', () => {
    expect(space.valuesAt([0.7, 0.3])).toEqual(['0.7', '0.3', '0']);
    expect(space.valuesAt([0.3, 0.7])).toEqual(['0.3', '0.7', '0']);
    expect(space.isAllowed(['0.7', '0.3', '0'])).toBe(true);
    expect(space.isAllowed(space.valuesAt([0.7, 0.4]))).toBe(false);
    expect(space.lackOf(space.valuesAt([0.7, 0.4]))).toBeCloseTo(0.1, 12);
  });

  test('belong to a point: other values are outside the space', () => {
    expect(space.coordinatesOf(['0.7', '0.3', '0'])).toEqual([0.7, 0.3]);
    expect(space.coordinatesOf(['0.7', '0.3', '0.1'])).toBeUndefined();
  });

  test.each(['gp', 'cma', 'direct'] as const)('%s searches a mixture', async (method) => {
    const campaign = searchCampaign(
      {},
      { inputs: [real('x1'), real('x2')], derive, method, stop: stopAfter(30) },
      { base, varied: names.map((name) => ({ name, type: 'DOUBLE', units: null })) },
    );
    const run = (values: readonly number[]) => {
      expect(values).toHaveLength(3);
      return { f: String(values.reduce((sum, value) => sum + (value - 1 / 3) ** 2, 0)) };
    };
    const { asks } = await new SearchInMemory(campaign, run, 1).toTheEnd(0.1);
    const points = asks.filter(({ ordinal }) => ordinal !== null);
    expect(points.length).toBeGreaterThanOrEqual(30);
    for (const { values } of points) {
      const [x1, x2, x3] = values.map(Number);
      expect(x3).toBeGreaterThanOrEqual(0);
      expect(x1! + x2! + x3!).toBeCloseTo(1, 10);
    }
  });
});
