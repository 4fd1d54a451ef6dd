import { describe, expect, test } from '@jest/globals';
import { rootMeanSquareError } from '../../../models/epidemic/observations.ts';
import { type Parameters, solve } from '../../../models/epidemic/sir.ts';
import { observed } from './boarding-school.ts';

const flu: Parameters = {
  population: 763,
  initiallyInfected: 1,
  contactRate: 1.663,
  recoveryRate: 0.44,
  days: 14,
};

function fitError(contactRate: number, recoveryRate: number): number {
  const { states } = solve(
    { ...flu, contactRate, recoveryRate },
    observed.map(({ day }) => day),
  );
  return rootMeanSquareError(
    observed,
    states.map(({ infected }) => infected),
  );
}

describe('the deterministic form', () => {
  test('fits the data of the boarding school with the published error', () => {
    // Murray gives r = 2.18e-3 a day and person, and a threshold of 202 persons. The contact rate is then 1.66334, and
    // the recovery rate 0.44036.
    expect(fitError(763 * 2.18e-3, 202 * 2.18e-3)).toBeCloseTo(17.21, 2);
    expect(fitError(1.663, 0.44)).toBeCloseTo(17.218, 3);
    expect(fitError(1.669, 0.443)).toBeCloseTo(17.16, 2);
    for (const [contact, recovery] of [
      [1.66, 0.443],
      [1.678, 0.443],
      [1.669, 0.434],
      [1.669, 0.452],
    ]) {
      expect(fitError(contact!, recovery!)).toBeGreaterThan(fitError(1.669, 0.443));
    }
  });

  test('keeps S + I + R = N at all times', () => {
    const times = Array.from({ length: 141 }, (_, i) => i / 10);
    for (const { susceptible, infected, recovered } of solve(flu, times).states) {
      expect(susceptible + infected + recovered).toBeCloseTo(763, 8);
    }
  });

  test.each([
    [1.663, 0.44],
    [0.6, 0.5],
    [3, 0.2],
    [0.3, 0.5],
  ])('meets the final size relation at rates %p and %p', (contactRate, recoveryRate) => {
    const { last } = solve({ ...flu, contactRate, recoveryRate, days: 2_000 }, []);
    expect(last.infected).toBeLessThan(1e-6);
    // ln(S0 / S∞) = R0 (N - S∞) / N
    const left = Math.log((763 - 1) / last.susceptible);
    const right = ((contactRate / recoveryRate) * (763 - last.susceptible)) / 763;
    expect(left / right).toBeCloseTo(1, 6);
  });

  test('has the height and the state of the peak that theory predicts', () => {
    const { peakInfected, peakDay } = solve(flu, []);
    const threshold = (763 * 0.44) / 1.663;
    expect(peakInfected).toBeCloseTo(763 - threshold - threshold * Math.log(762 / threshold), 6);
    const [atPeak] = solve(flu, [peakDay]).states;
    expect(atPeak!.susceptible).toBeCloseTo(threshold, 5);
  });

  test('has its peak on day 0 if there is no outbreak, and on the last day if the outbreak still grows then', () => {
    expect(solve({ ...flu, contactRate: 0.3 }, [])).toMatchObject({ peakInfected: 1, peakDay: 0 });
    const { peakDay, peakInfected, last } = solve({ ...flu, days: 3 }, []);
    expect(peakDay).toBe(3);
    expect(peakInfected).toBeCloseTo(last.infected, 8);
    expect(solve({ ...flu, initiallyInfected: 0 }, [14]).states[0]!.susceptible).toBe(763);
  });
});
