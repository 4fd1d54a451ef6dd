import { describe, expect, test } from '@jest/globals';
import { type SaltelliRow, saltelliRows } from '../../../src/campaign/sampling/saltelli.ts';
import fc from '../../support/fast-check.ts';
import { counts } from './support.ts';

const anySaltelli = fc
  .record({
    names: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }),
    points: fc.integer({ min: 1, max: 4 }),
    scrambles: fc.integer({ min: 1, max: 3 }),
    secondOrder: fc.boolean(),
    seed: fc.maxSafeInteger(),
  })
  .map(({ names, ...rest }) => ({ inputs: names.map((name) => ({ name })), ...rest }));

describe('points for Sobol’ indices', () => {
  test('are, for each base point and scramble: A, AB of each input, BA of each input (only with secondOrder), and B', () => {
    fc.assert(
      fc.property(anySaltelli, (design) => {
        const { inputs, points, scrambles, secondOrder } = design;
        const rows = [...saltelliRows(design)];
        const each = (secondOrder ? 2 : 1) * inputs.length + 2;
        expect(rows).toHaveLength(points * scrambles * each);
        for (let group = 0; group < points * scrambles; group += 1) {
          const [a, ...rest] = rows.slice(group * each, (group + 1) * each);
          const b = rest.pop()!;
          const at = { index: Math.floor(group / scrambles), scramble: group % scrambles };
          const roleOf = ({ role, input }: SaltelliRow): string => `${role}${input ?? ''}`;
          expect([a!, ...rest, b].map(roleOf)).toEqual([
            'A',
            ...inputs.map((_, input) => `AB${input}`),
            ...(secondOrder ? inputs.map((_, input) => `BA${input}`) : []),
            'B',
          ]);
          for (const row of rest) {
            const [own, other] = row.role === 'AB' ? [a!, b] : [b, a!];
            expect(row).toMatchObject({ ...at, unit: own.unit.with(row.input!, other.unit[row.input!]!) });
          }
        }
      }),
    );
  });

  test('are the first points of a larger design, and have no coordinate of 0 or 1', () => {
    fc.assert(
      fc.property(anySaltelli, fc.integer({ min: 1, max: 9 }), (design, more) => {
        const rows = [...saltelliRows(design)];
        const further = [...saltelliRows({ ...design, points: design.points + more })];
        expect(further.slice(0, rows.length)).toEqual(rows);
        expect(rows.flatMap(({ unit }) => unit).every((u) => u > 0 && u < 1)).toBe(true);
      }),
    );
  });

  test('have evenly spread coordinates of A and of B in each scramble, and the scrambles differ', () => {
    const inputs = ['a', 'b', 'c'].map((name) => ({ name }));
    const rows = [...saltelliRows({ inputs, points: 64, scrambles: 8, secondOrder: false, seed: 5 })];
    const starts = new Set<number>();
    for (let scramble = 0; scramble < 8; scramble += 1) {
      for (const role of ['A', 'B']) {
        const base = rows.filter((row) => row.scramble === scramble && row.role === role);
        for (const at of inputs.keys()) {
          const column = base.map(({ unit }) => unit[at]!);
          expect(counts(column, 64)).toEqual(Array.from({ length: 64 }, () => 1));
          starts.add(column[0]!);
        }
      }
    }
    expect(starts.size).toBe(8 * 2 * 3);
  });

  test('give the indices of Ishigami’s function to 0.03 with 1,024 base points, for each of ten seeds', () => {
    // The function of T. Ishigami and T. Homma (1990), with a = 7 and b = 0.1. Its terms give the exact indices.
    const ishigami = (unit: readonly number[]): number => {
      const [x, y, z] = unit.map((u) => Math.PI * (2 * u - 1));
      return Math.sin(x!) + 7 * Math.sin(y!) ** 2 + 0.1 * z! ** 4 * Math.sin(x!);
    };
    const [variance, first, total] = [13.844588, [0.313905, 0.442411, 0], [0.557589, 0.442411, 0.243684]];
    const inputs = ['x', 'y', 'z'].map((name) => ({ name }));
    for (let seed = 0; seed < 10; seed += 1) {
      const design = { inputs, points: 1024, scrambles: 1, secondOrder: false, seed };
      const values = [...saltelliRows(design)].map(({ unit }) => ishigami(unit));
      for (const input of inputs.keys()) {
        let [own, all] = [0, 0];
        for (let at = 0; at < values.length; at += 5) {
          const [a, ab, b] = [values[at]!, values[at + 1 + input]!, values[at + 4]!];
          own += (b * (ab - a)) / 1024;
          all += (a - ab) ** 2 / 2048;
        }
        expect(Math.abs(own / variance - first[input]!)).toBeLessThan(0.03);
        expect(Math.abs(all / variance - total[input]!)).toBeLessThan(0.03);
      }
    }
  });

  test('keep the coordinates of earlier inputs in A when an input is added', () => {
    const design = { points: 8, scrambles: 2, secondOrder: false, seed: 6 };
    const a = (names: string[]): number[][] =>
      [...saltelliRows({ ...design, inputs: names.map((name) => ({ name })) })]
        .filter(({ role }) => role === 'A')
        .map(({ unit }) => unit.slice(0, 2));
    expect(a(['a', 'b', 'c'])).toEqual(a(['a', 'b']));
  });
});
