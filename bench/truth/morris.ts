import type { InputIndices } from '../../src/sensitivity/analysis.ts';
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

/** The absolute elementary effects of each input over all steps of the levels, by enumeration. */
function allSizes(inputs: number, levels: number, of: (unit: readonly number[]) => number): number[][] {
  const half = levels / 2;
  const step = half / (levels - 1);
  const sizes = Array.from({ length: inputs }, (): number[] => []);
  const points = levels ** inputs;
  for (let number = 0; number < points; number += 1) {
    const at = Array.from({ length: inputs }, (_, input) => Math.floor(number / levels ** input) % levels);
    const unit = at.map((level) => level / (levels - 1));
    for (const [input, level] of at.entries())
      if (level < half)
        sizes[input]!.push(Math.abs(of(unit.with(input, unit[input]! + step)) - of(unit)) / step);
  }
  return sizes;
}

/** The mean of the absolute elementary effects over all steps of the levels. */
export function expectedMuStar(
  inputs: number,
  levels: number,
  of: (unit: readonly number[]) => number,
): number[] {
  return allSizes(inputs, levels, of).map((own) => own.reduce((sum, one) => sum + one, 0) / own.length);
}

export function rates({ seed }: { seed: number }): Rate[] {
  return CASES.flatMap(({ name, inputs, of }) => {
    const expected = expectedMuStar(inputs, LEVELS, of);
    // without chance, an effect that is the same at every step is always in its interval, which says nothing of intervals
    const varied = allSizes(inputs, LEVELS, of).map((own) => Math.max(...own) - Math.min(...own) > 1e-9);
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
        const has = ({ muStarInterval: [low, high] = [NaN, NaN] }: InputIndices, input: number): boolean =>
          low <= expected[input]! + 1e-9 && high >= expected[input]! - 1e-9;
        hits.exact += few.indices!.filter((one, input) => varied[input] && has(one, input)).length;
        hits.noisy += many.indices!.filter(has).length;
      }
      const rateOf = (count: number, all: number) => ({ of: DESIGNS, rate: count / DESIGNS / all });
      const from = `${name}, ${trajectories} trajectories`;
      const limits = trajectories === SIZES.at(-1) ? { least: 0.93, most: 0.97 } : {};
      return [
        {
          statement: 'the interval of μ* has the expectation',
          from,
          ...rateOf(hits.exact, varied.filter(Boolean).length),
          ...limits,
        },
        { statement: 'also with chance', from, ...rateOf(hits.noisy, inputs), ...limits },
      ];
    });
  });
}
