import { analyzed, spread } from '../../test/sensitivity/campaigns.ts';
import { ishigami, names } from '../../test/sensitivity/functions.ts';
import { Drawn } from './draws-of-effects.ts';
import type { Rate } from './rate.ts';

export const title = 'Intervals of μ*: how often they have the mean over all steps of the levels';

const LEVELS = 4;
const CASES: { name: string; inputs: number; of: (unit: readonly number[]) => number }[] = [
  { name: 'Ishigami', inputs: 3, of: ishigami },
  {
    name: 'G with 0, 1, 4.5, 9',
    inputs: 4,
    of: (unit) =>
      [0, 1, 4.5, 9].reduce((product, a, at) => product * ((Math.abs(4 * unit[at]! - 2) + a) / (1 + a)), 1),
  },
  { name: 'a b + b c d + e', inputs: 5, of: ([a, b, c, d, e]) => a! * b! + b! * c! * d! + e! },
];
/** The numbers of trajectories. */
const SIZES = [10, 30];
const DESIGNS = 200;

/** The mean of the absolute elementary effects over all steps of the levels, by enumeration. */
export function expectedMuStar(
  inputs: number,
  levels: number,
  of: (unit: readonly number[]) => number,
): number[] {
  const half = levels / 2;
  const step = half / (levels - 1);
  const sums = new Array<number>(inputs).fill(0);
  const points = levels ** inputs;
  for (let number = 0; number < points; number += 1) {
    const at = Array.from({ length: inputs }, (_, input) => Math.floor(number / levels ** input) % levels);
    const unit = at.map((level) => level / (levels - 1));
    for (const [input, level] of at.entries())
      if (level < half) sums[input]! += Math.abs(of(unit.with(input, unit[input]! + step)) - of(unit)) / step;
  }
  return sums.map((sum) => sum / (points / 2));
}

export function rates({ seed }: { seed: number }): Rate[] {
  return CASES.flatMap(({ name, inputs, of }) => {
    const expected = expectedMuStar(inputs, LEVELS, of);
    return SIZES.flatMap((trajectories): Rate[] => {
      const hits = { exact: 0, noisy: 0 };
      for (let at = 0; at < DESIGNS; at += 1) {
        const design = {
          kind: 'morris' as const,
          inputs: spread(names(inputs)),
          trajectories,
          levels: LEVELS,
          seed: seed * DESIGNS + at,
        };
        const drawn = new Drawn(seed, `${name} ${trajectories} ${at}`);
        const few = analyzed({ design }, (unit) => ({ Y: of(unit) }))[0]!;
        const many = analyzed({ design, replications: 3 }, (unit) => ({
          Y: of(unit) + 0.1 * drawn.normal(),
        }))[0]!;
        const has = (indices: typeof few.indices): number =>
          indices!.filter(
            ({ muStarInterval: [low, high] = [NaN, NaN] }, input) =>
              low <= expected[input]! + 1e-9 && high >= expected[input]! - 1e-9,
          ).length;
        hits.exact += has(few.indices);
        hits.noisy += has(many.indices);
      }
      const rateOf = (count: number) => ({ of: DESIGNS, rate: count / DESIGNS / inputs });
      const from = `${name}, ${trajectories} trajectories`;
      const limits = trajectories === SIZES.at(-1) ? { least: 0.93, most: 0.97 } : {};
      return [
        { statement: 'the interval of μ* has the expectation', from, ...rateOf(hits.exact), ...limits },
        { statement: 'also with chance', from, ...rateOf(hits.noisy), ...limits },
      ];
    });
  });
}
