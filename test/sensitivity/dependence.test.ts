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

test('a failure at one of many texts or dates depends on nothing, and one at the points of a text does', () => {
  const ofSites = (sites: number, lackingAt: (site: number, point: number) => number): string[] => {
    const table = new PointTable([{ name: 'Site', type: 'STRING', units: null }]);
    const lacking = Array.from({ length: 90 }, (_, point) => {
      table.add([`site ${point % sites}`]);
      return lackingAt(point % sites, point);
    });
    return dependents(table, Float64Array.from(lacking));
  };
  for (const sites of [10, 15, 30, 90])
    expect(ofSites(sites, (_site, point) => Number(point === 40))).toEqual([]);
  expect(ofSites(30, (_site, point) => Number(point === 40) / 5)).toEqual([]);
  // two failures share one of 45 texts with a probability of 1 in 89
  expect(ofSites(45, (site) => Number(site === 7))).toEqual([]);
  expect(ofSites(30, (site) => Number(site === 7))).toEqual(['Site']);
  expect(ofSites(30, (site) => Number(site === 7) / 5)).toEqual(['Site']);
  expect(ofSites(10, (site) => Number(site === 7))).toEqual(['Site']);
});
