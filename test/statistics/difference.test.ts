import { describe, expect, test } from '@jest/globals';
import { pairedDifference, welchDifference } from '../../src/statistics/difference.ts';
import { normalQuantile } from '../../src/statistics/normal.ts';
import { type Spread, spreadOf } from '../../src/statistics/chance.ts';
import { uniforms } from '../support/uniforms.ts';

// the hours of sleep that ten patients gained by two drugs: Student, "The probable error of a mean", Biometrika 6
// (1908) 1-25
const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

describe('the difference of two means', () => {
  test('uses Student’s t for pairs', () => {
    const differences = spreadOf(second.map((hours, patient) => hours - first[patient]!));
    const { difference, low, high } = pairedDifference(differences, 0.95)!;
    expect(difference).toBeCloseTo(1.58, 12);
    expect(low).toBeCloseTo(0.7001142, 7);
    expect(high).toBeCloseTo(2.4598858, 7);
  });

  test('uses Welch’s interval for independent samples', () => {
    // R's t.test prints the interval of the first minus the second for these values: -3.3654832 to 0.2054832
    const { difference, low, high } = welchDifference(spreadOf(first), spreadOf(second), 0.95)!;
    expect(difference).toBeCloseTo(1.58, 12);
    expect(low).toBeCloseTo(-0.2054832, 7);
    expect(high).toBeCloseTo(3.3654832, 7);
  });

  test('changes only its sign if the two samples are swapped', () => {
    const [a, b] = [spreadOf(first), spreadOf(second.slice(0, 4))];
    const [one, other] = [welchDifference(a, b, 0.9)!, welchDifference(b, a, 0.9)!];
    expect([other.difference, other.low, other.high]).toEqual([-one.difference, -one.high, -one.low]);
  });

  test('has no interval if nothing shows how much chance there is', () => {
    const [a, b] = [spreadOf([1, 1]), spreadOf([4, 4, 4])];
    expect(welchDifference(a, b, 0.95)).toBeUndefined();
    expect(pairedDifference(spreadOf([2, 2]), 0.95)).toBeUndefined();
    expect(pairedDifference(spreadOf([0, 0, 0, 0, 1]), 0.95)).toBeUndefined();
  });

  test('has a wider interval than the mean of one sample if the values of the other sample are equal', () => {
    const { low, high } = welchDifference(spreadOf([0, 0, 0]), spreadOf(first), 0.95)!;
    const alone = pairedDifference(spreadOf(first), 0.95)!;
    expect(low).toBeLessThan(alone.low);
    expect(high).toBeGreaterThan(alone.high);
  });

  test('is an error unless each sample has at least two values', () => {
    expect(() => pairedDifference(spreadOf([1]), 0.95)).toThrow(RangeError);
    expect(() => pairedDifference(spreadOf([]), 0.95)).toThrow(RangeError);
    expect(() => welchDifference(spreadOf([1]), spreadOf([1, 2]), 0.95)).toThrow(RangeError);
    expect(() => welchDifference(spreadOf([1, 2]), spreadOf([1]), 0.95)).toThrow(RangeError);
  });

  test('lies in its interval as often as the confidence says, also if samples are very different', () => {
    const next = uniforms(7);
    const normals = (count: number, mean: number, sd: number): Spread =>
      spreadOf(Array.from({ length: count }, () => mean + sd * normalQuantile(next())));
    const rounds = 8_000;
    let within = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { low, high } = welchDifference(normals(5, 1, 4), normals(20, 3, 1), 0.9)!;
      if (low <= 2 && 2 <= high) within += 1;
    }
    // three standard deviations of the share 0.9 are 0.01; intervals that assume equal variances would give a share of
    // 0.74
    expect(within / rounds).toBeGreaterThan(0.885);
    expect(within / rounds).toBeLessThan(0.915);
  });
});
