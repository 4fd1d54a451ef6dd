import { expect, test } from '@jest/globals';
import { dependents } from '../../src/sensitivity/dependence.ts';
import { PointTable } from '../../src/sensitivity/points.ts';

/** A grid of two numbers and a text, and the share of runs without a value at each point. */
function found(lackingAt: (a: number, b: number, rule: string, point: number) => number): string[] {
  const table = new PointTable([
    { name: 'A', type: 'DOUBLE', units: null },
    { name: 'B', type: 'DOUBLE', units: null },
    { name: 'Rule', type: 'STRING', units: null },
  ]);
  const lacking: number[] = [];
  for (let a = 0; a < 10; a += 1)
    for (let b = 0; b < 10; b += 1)
      for (const rule of ['fifo', 'lifo', 'random']) {
        table.add([String(a), String(b), rule]);
        lacking.push(lackingAt(a, b, rule, lacking.length));
      }
  return dependents(table, Float64Array.from(lacking));
}

test('missing values depend on the inputs that decide them', () => {
  expect(found((a) => Number(a > 7))).toEqual(['A']);
  expect(found((a, b) => Number(a > b))).toEqual(['A', 'B']);
  expect(found((_a, b) => Number(b > 3 && b < 6))).toEqual(['B']);
  expect(found((_a, _b, rule) => Number(rule === 'lifo') / 2)).toEqual(['Rule']);
  expect(found((a, b) => Number(a > 4 === b > 4))).toEqual(['A × B']);
});

test('missing values without a pattern depend on nothing', () => {
  expect(found(() => 0)).toEqual([]);
  expect(found(() => 0.5)).toEqual([]);
  // each residue of 7 is at all values of the inputs
  expect(found((_a, _b, _rule, point) => Number(point % 7 === 0))).toEqual([]);
});
