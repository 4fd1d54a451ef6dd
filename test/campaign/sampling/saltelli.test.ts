import { describe, expect, test } from '@jest/globals';
import { type SaltelliRow, saltelliUnit } from '../../../src/campaign/sampling/saltelli.ts';
import fc from '../../support/fast-check.ts';
import { counts } from './support.ts';

const anySaltelli = fc
  .record({
    names: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }),
    points: fc.integer({ min: 1, max: 20 }),
    scrambles: fc.integer({ min: 1, max: 4 }),
    secondOrder: fc.boolean(),
    seed: fc.maxSafeInteger(),
  })
  .map(({ names, ...rest }) => ({ inputs: names.map((name) => ({ name })), ...rest }));

describe('points for Sobol’ indices', () => {
  test('are A, AB of each input, BA of each with secondOrder, and B, for each base point and scramble', () => {
    fc.assert(
      fc.property(anySaltelli, (design) => {
        const { inputs, points, scrambles, secondOrder } = design;
        const rows = [...saltelliUnit(design)];
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

  test('are the first of more, and no coordinate is 0 or 1', () => {
    fc.assert(
      fc.property(anySaltelli, fc.integer({ min: 1, max: 9 }), (design, more) => {
        const rows = [...saltelliUnit(design)];
        const further = [...saltelliUnit({ ...design, points: design.points + more })];
        expect(further.slice(0, rows.length)).toEqual(rows);
        for (const { unit } of rows) {
          for (const coordinate of unit) {
            expect(coordinate).toBeGreaterThan(0);
            expect(coordinate).toBeLessThan(1);
          }
        }
      }),
    );
  });

  test('have in each scramble base points that are even, A and B together, and scrambles that differ', () => {
    const inputs = ['a', 'b', 'c'].map((name) => ({ name }));
    const rows = [...saltelliUnit({ inputs, points: 64, scrambles: 8, secondOrder: false, seed: 5 })];
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

  test('of an input more keep what is drawn for those before it in A', () => {
    const design = { points: 8, scrambles: 2, secondOrder: false, seed: 6 };
    const a = (names: string[]): number[][] =>
      [...saltelliUnit({ ...design, inputs: names.map((name) => ({ name })) })]
        .filter(({ role }) => role === 'A')
        .map(({ unit }) => unit.slice(0, 2));
    expect(a(['a', 'b', 'c'])).toEqual(a(['a', 'b']));
  });
});
