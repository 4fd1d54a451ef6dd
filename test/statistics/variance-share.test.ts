import { expect, test } from '@jest/globals';
import { varianceShare } from '../../src/statistics/variance-share.ts';
import { normalQuantile } from '../../src/statistics/normal.ts';
import { uniforms } from '../support/uniforms.ts';

/** So many degrees of freedom that the variance of chance is known. */
const KNOWN = { variance: 1, freedom: 1e6 };

test.each([
  // scipy 1.15: the noncentralities at which ncx2.cdf(squares, freedom, ·) is 0.975 and 0.025
  [30, 1, 12.371129, 55.311789],
  [12, 3, 0.956685, 26.908351],
  [200, 1, 148.405305, 259.277612],
  [60, 26, 12.119139, 66.073769],
  [9, 6, 0, 18.090745],
])(
  'the limits of a part of %d with %d degrees of freedom are those of the noncentral distribution',
  (squares, freedom, least, most) => {
    // beside a rest that is nearly certain, the ratio of the shares has the limits of the part
    const rest = 1e10;
    const { share, interval } = varianceShare(
      { squares, freedom, chance: KNOWN },
      { squares: rest, freedom: 1, chance: KNOWN },
      0.95,
    );
    const [low, high] = interval.map((end) => (end * rest) / (1 - end)) as [number, number];
    expect(share).toBeCloseTo((squares - freedom) / rest, 12);
    // the approximation of the distribution is so good
    expect(Math.abs(low - least)).toBeLessThan(0.06 * most);
    expect(Math.abs(high - most)).toBeLessThan(0.06 * most);
  },
);

test('a part without chance is its plain share, and a part of all is the whole', () => {
  const chance = { variance: 1e-20, freedom: 4 };
  const { share, interval } = varianceShare(
    { squares: 3, freedom: 1, chance },
    { squares: 1, freedom: 2, chance },
    0.95,
  );
  expect(share).toBeCloseTo(0.75, 12);
  for (const end of interval) expect(end).toBeCloseTo(0.75, 6);
  const whole = varianceShare(
    { squares: 50, freedom: 1, chance: KNOWN },
    { squares: 0, freedom: 0, chance: KNOWN },
    0.95,
  );
  expect(whole).toEqual({ share: 1, interval: [1, 1] });
});

test.each([
  [1, 2, 50, 50, 4],
  [1, 2, 1_000, 1_000, 12],
  [1, 30, 200, 20, 32],
  [1, 6, 50, 0, 8],
  [16, 15, 20, 2, 16],
])(
  'the intervals of %d and %d degrees of freedom with %d and %d above chance contain the share',
  (ofPart, ofRest, part, rest, freedom) => {
    const uniform = uniforms(11);
    const normal = (): number => normalQuantile(Math.max(uniform(), 1e-15));
    const squaresOf = (count: number, size: number): number => {
      let sum = (normal() + Math.sqrt(size)) ** 2;
      for (let more = 1; more < count; more += 1) sum += normal() ** 2;
      return sum;
    };
    let held = 0;
    const draws = 400;
    for (let draw = 0; draw < draws; draw += 1) {
      const [a, b] = [squaresOf(ofPart, part), squaresOf(ofRest, rest)];
      const chance = { variance: squaresOf(freedom, 0) / freedom, freedom };
      const { interval } = varianceShare(
        { squares: a, freedom: ofPart, chance },
        { squares: b, freedom: ofRest, chance },
        0.95,
      );
      const truth = part / (part + rest);
      if (interval[0] <= truth && interval[1] >= truth) held += 1;
    }
    // three standard errors below 95 %
    expect(held / draws).toBeGreaterThan(0.917);
  },
);
