import { describe, expect, test } from '@jest/globals';
import { expectedReplications, nextReplications, type Precision } from '../../src/campaign/precision.ts';
import { estimate } from '../support/samples.ts';
import { wilsonHalfWidth } from '../../src/statistics/share.ts';
import { uniforms } from '../support/uniforms.ts';

const LOOK_AHEAD = 15;
const precision: Precision = {
  min: 5,
  max: 200,
  outputs: ['Server utilization'],
  relative: null,
  absolute: 1,
  confidence: 0.95,
};

/** Values that alternate between `size` above and `size` below the mean. */
function swinging(n: number, size: number, mean = 0): number[] {
  return Array.from({ length: n }, (_, at) => mean + (at % 2 === 0 ? size : -size));
}

/** Returns a function that draws from the standard normal distribution by the polar method. */
function gaussian(seed: number): () => number {
  const uniform = uniforms(seed);
  return () => {
    for (;;) {
      const [u, v] = [2 * uniform() - 1, 2 * uniform() - 1];
      const s = u * u + v * v;
      if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
    }
  };
}

describe('an estimate', () => {
  test('has the interval by Student’s t', () => {
    // scipy 1.17: t.interval(0.95, 4, mean, sem)
    const unlimited = { ...precision, relative: null, absolute: null };
    const { low, high, ...rest } = estimate([9.8, 10.4, 10.1, 9.6, 10.3], unlimited);
    expect(rest).toEqual({
      n: 5,
      mean: expect.closeTo(10.04, 12),
      sd: expect.closeTo(0.336155, 6),
      reached: true,
    });
    expect(low).toBeCloseTo(9.6226088, 7);
    expect(high).toBeCloseTo(10.4573912, 7);
  });

  test('until precise, has a wider interval if its values are skewed', () => {
    // SciPy 1.17: Student's half-width times the root of 1 + skewness ** 2 * (z ** 4 + 2 * z ** 2 - 3) / (9 * n)
    const [few, skewed] = [
      [9.8, 10.4, 10.1, 9.6, 10.3],
      [1, 2, 2.5, 3, 9, 4, 1.5, 2.2],
    ] as const;
    expect(estimate(few, precision)).toMatchObject({
      low: expect.closeTo(9.6168186, 6),
      high: expect.closeTo(10.4631814, 6),
    });
    const halfOf = (wanted: Partial<Precision>) => estimate(skewed, { ...precision, ...wanted }).high! - 3.15;
    expect(halfOf({ relative: null, absolute: null })).toBeCloseTo(2.1187576, 6);
    expect(halfOf({})).toBeCloseTo(2.8444087, 6);
    expect(halfOf({ confidence: 0.99 })).toBeCloseTo(5.6446459, 5);
    // the interval must be narrow with this factor, too
    expect(estimate(skewed, { ...precision, relative: null, absolute: 2.8 }).reached).toBe(false);
    expect(estimate(skewed, { ...precision, relative: null, absolute: 2.9 }).reached).toBe(true);
  });

  test('has none if few values are equal, or if rare values do not show how far they jump', () => {
    const none = { low: null, high: null, reached: false };
    expect(estimate(new Array<number>(12).fill(0), precision)).toEqual({ n: 12, mean: 0, sd: 0, ...none });
    expect(estimate([0, 0, 0, 0, 7], precision)).toMatchObject(none);
    expect(estimate(new Array<number>(300).fill(0), precision)).toMatchObject({ ...none, reached: true });
  });

  test('of zeros and ones reaches as far as Wilson’s interval, and farther with few values', () => {
    // Wilson's interval of 2 in 50 ends at 0.1346 (R: prop.test without the correction); t(0.975, 49) / z is 1.0253
    const { high } = estimate([...new Array<number>(48).fill(0), 1, 1], precision);
    expect(high).toBeCloseTo(0.04 + 1.0253 * (0.1346 - 0.04), 3);
  });

  test.each([
    [[], null],
    [[null, NaN, Infinity], null],
    [[null, 3], 3],
  ])('has no interval for the values %j', (values, mean) => {
    const n = mean === null ? 0 : 1;
    expect(estimate(values, precision)).toEqual({ n, mean, sd: null, low: null, high: null, reached: false });
  });

  test.each([1e-300, 1e300])('has no deviation if its square is no number: values of %d', (size) => {
    const found = estimate([size, 2 * size, 3 * size, 4 * size], precision);
    expect(found).toMatchObject({ n: 4, sd: null, low: null, high: null, reached: false });
    expect(found.mean! / size).toBeCloseTo(2.5, 9);
  });

  test('must reach both precisions if a rule has a relative and an absolute precision', () => {
    const values = swinging(40, 1, 100);
    const half = estimate(values, precision).high! - 100;
    for (const [relative, absolute, reached] of [
      [half / 99, half * 1.01, true],
      [half / 101, half * 1.01, false],
      [half / 99, half * 0.99, false],
    ] as const) {
      expect(estimate(values, { ...precision, relative, absolute }).reached).toBe(reached);
    }
  });
});

describe('the number of replications after a round', () => {
  test('is at first the minimum, or the maximum if the maximum is smaller', () => {
    const need = Number.MAX_VALUE;
    expect(nextReplications(precision, [[]], 0)).toEqual({ decided: false, replications: 5, need });
    expect(nextReplications({ ...precision, max: 4 }, [[]], 0)).toEqual({
      decided: false,
      replications: 4,
      need,
    });
  });

  test('stays at ten, or at a higher minimum, for a point without any value, and grows if the point has a value', () => {
    const failed = (count: number): null[] => Array.from({ length: count }, () => null);
    expect(nextReplications(precision, [failed(9)], 9)).toMatchObject({ decided: false });
    expect(nextReplications(precision, [failed(10)], 10)).toEqual({ decided: true, reached: false });
    expect(nextReplications({ ...precision, min: 20 }, [failed(10)], 10)).toMatchObject({ decided: false });
    expect(nextReplications(precision, [[...failed(9), 1]], 10)).toMatchObject({ decided: false });
    // the number also stays at ten if only one of several outputs has no value
    expect(nextReplications(precision, [[1, 2, 3], failed(10)], 10)).toEqual({
      decided: true,
      reached: false,
    });
  });

  test('grows until the interval has stayed narrow for the look-ahead', () => {
    const narrow = swinging(5 + LOOK_AHEAD, 0.1);
    expect(nextReplications(precision, [narrow.slice(0, 5)], 5)).toMatchObject({
      replications: 5 + LOOK_AHEAD,
    });
    expect(nextReplications(precision, [narrow], narrow.length)).toEqual({ decided: true, reached: true });
    const once = narrow.with(6, 9);
    expect(nextReplications(precision, [once], 15)).toMatchObject({ decided: false });
  });

  test('is the number that the standard deviation requires, but at most four times the number before; the look-ahead is added in both cases', () => {
    // with a standard deviation of 1.549, half the interval is 1.041 after 11 replications and 0.984 after 12
    const decision = nextReplications(precision, [swinging(6, Math.SQRT2)], 6);
    expect(decision).toMatchObject({ replications: 12 + LOOK_AHEAD });
    expect(nextReplications(precision, [swinging(6, 1_000)], 6)).toMatchObject({
      replications: 4 * 6 + LOOK_AHEAD,
    });
  });

  test('includes a look-ahead of a tenth if there are more than a hundred replications', () => {
    const values = swinging(200, 0.1);
    const late = { ...precision, min: 200, max: 1_000 };
    expect(nextReplications(late, [values], 200)).toMatchObject({ replications: 220 });
  });

  test('grows even if all values are equal, because a rare event may still occur', () => {
    for (const value of [0, 0.1, -7]) {
      const same = (count: number): number[] => new Array<number>(count).fill(value);
      const relative = { ...precision, max: 1_000, absolute: null, relative: 0.01 };
      expect(nextReplications(relative, [same(5)], 5)).toMatchObject({ decided: false, replications: 35 });
      expect(nextReplications(relative, [same(300)], 300)).toMatchObject({ decided: false });
      expect(nextReplications(relative, [same(330)], 330)).toEqual({ decided: true, reached: true });
      const few = { ...relative, max: 50 };
      expect(nextReplications(few, [same(50)], 50)).toEqual({ decided: true, reached: false });
      const rare = [...same(14), value + 1];
      expect(nextReplications(relative, [rare], 15)).toMatchObject({ decided: false });
    }
  });

  test('grows to the maximum for a relative precision of a mean near 0', () => {
    const relative = { ...precision, absolute: null, relative: 0.01 };
    const need = Number.MAX_VALUE;
    expect(nextReplications(relative, [[-1, 0, 1, 0, 0, 0]], 6)).toEqual({
      decided: false,
      replications: 39,
      need,
    });
    expect(nextReplications(relative, [swinging(6, 1)], 6)).toMatchObject({ replications: 39 });
    expect(nextReplications(relative, [swinging(40, 1)], 40)).toMatchObject({ replications: 176 });
    expect(nextReplications(relative, [swinging(176, 1)], 176)).toMatchObject({ replications: 200 });
    expect(nextReplications(relative, [swinging(200, 1)], 200)).toEqual({ decided: true, reached: false });
  });

  test('includes a further replication for each failed run, up to the maximum', () => {
    const values = [1, null, 2, NaN, 3];
    expect(nextReplications(precision, [values], 5)).toMatchObject({ decided: false, replications: 7 });
    const failed = new Array<null>(200).fill(null);
    expect(nextReplications(precision, [failed], 200)).toEqual({ decided: true, reached: false });
  });

  test('follows from the output that needs the most replications', () => {
    const outputs = [swinging(6, 0.1), swinging(6, Math.SQRT2), swinging(6, 0.2)];
    const two = nextReplications(precision, outputs, 6);
    expect(two).toEqual(nextReplications(precision, outputs.slice(1, 2), 6));
  });
});

describe('the expected number of replications', () => {
  test('follows from the half-width, the look-ahead and the share of missing values', () => {
    // with a standard deviation of 1.549, half the interval is 0.984 after 12 replications
    const values = swinging(6, Math.SQRT2);
    expect(expectedReplications(precision, [values], 6)).toBe(12 + LOOK_AHEAD);
    expect(expectedReplications(precision, [[...values, ...new Array<null>(6).fill(null)]], 12)).toBe(
      2 * (12 + LOOK_AHEAD),
    );
    // with a standard deviation of 10: n = (1.96 * 10 / 1)^2 = 384, plus a tenth
    const wide = swinging(1_000, 10);
    const expected = expectedReplications({ ...precision, max: 10_000 }, [wide.slice(0, 300)], 300);
    expect(expected).toBeGreaterThan(415);
    expect(expected).toBeLessThan(430);
  });

  test('is the maximum if there are fewer than two values, or if the maximum is not enough', () => {
    expect(expectedReplications(precision, [[]], 0)).toBe(200);
    expect(expectedReplications(precision, [[3]], 1)).toBe(200);
    expect(expectedReplications(precision, [swinging(6, 1_000)], 6)).toBe(200);
  });

  test('is on average close to the final number', () => {
    const wanted = { ...precision, max: 10_000, absolute: 0.25 };
    let [first, last] = [0, 0];
    for (let point = 0; point < 100; point += 1) {
      const draw = gaussian(point);
      const values = Array.from({ length: 20 }, draw);
      first += expectedReplications(wanted, [values], values.length);
      for (;;) {
        const next = nextReplications(wanted, [values], values.length);
        if (next.decided) break;
        while (values.length < next.replications) values.push(draw());
      }
      last += values.length;
    }
    expect(first / last).toBeGreaterThan(0.9);
    expect(first / last).toBeLessThan(1.15);
  });
});

describe('a share', () => {
  const shares: Precision = {
    ...precision,
    outputs: ['Extinct'],
    shares: ['Extinct'],
    absolute: 0.05,
    max: 5_000,
  };
  const drawn = (share: number, n: number): number[] => {
    const uniform = uniforms(9);
    return Array.from({ length: n }, () => Number(uniform() < share));
  };

  test('of 0 is not certain: the point gets replications until half of Wilson’s interval is narrow enough', () => {
    const none = Array.from<number>({ length: 5 }).fill(0);
    const decision = nextReplications(shares, [none], 5);
    expect(decision).toMatchObject({ decided: false });
    // z² / 2 / (n + z²) is 0.05 with 35 runs
    expect(expectedReplications(shares, [none], 5)).toBe(35 + LOOK_AHEAD);
    const enough = Array.from<number>({ length: 35 + LOOK_AHEAD }).fill(0);
    expect(nextReplications(shares, [enough], enough.length)).toEqual({ decided: true, reached: true });
    // a number with these values may jump much farther than 1, so it needs many more replications
    const numbers = { ...shares, shares: undefined };
    expect(nextReplications(numbers, [enough], enough.length)).toMatchObject({ decided: false });
  });

  test.each([0, 0.02, 0.3, 0.5, 0.97])('of %d reaches the wanted precision', (share) => {
    let made = shares.min;
    for (;;) {
      const decision = nextReplications(shares, [drawn(share, made)], made);
      if (decision.decided) {
        expect(decision.reached).toBe(true);
        break;
      }
      expect(decision.replications).toBeGreaterThan(made);
      made = decision.replications;
    }
    const mean = drawn(share, made).reduce((a, b) => a + b) / made;
    expect(wilsonHalfWidth(mean, made, 0.95)).toBeLessThanOrEqual(0.05);
    // a share of 0.5 needs 381 replications, plus the look-ahead
    expect(made).toBeLessThan(500);
  });
});
