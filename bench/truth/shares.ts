import type { Design } from '../../src/campaign/designs/index.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import type { Analysis } from '../../src/sensitivity/analysis.ts';
import { analyzed, spread } from '../../test/sensitivity/campaigns.ts';
import { ishigami, names } from '../../test/sensitivity/functions.ts';
import { Drawn } from './draws-of-effects.ts';
import type { Rate } from './rate.ts';

export const title =
  'Shares of the variance in sentences: within 3 points of the exact value, or it is in the interval';

/** The largest error of a share without an interval, in points. The sentence rounds to whole percents. */
const MOST = 3;
const SEEDS_OF_SOBOL = 12;

interface Exact {
  name: string;
  inputs: number;
  of: (unit: readonly number[]) => number;
  /** The variance of the function, if it is linear. */
  variance?: number;
  /** The share of the variance that comes from these inputs and their interactions. */
  closed: (inputs: readonly number[]) => number;
  /** The share in which an input takes part. */
  total: (input: number) => number;
}

/**
 * A product of 1 + g(x) over the inputs, where each g has a mean of 0 and a variance of its own: I. M. Sobol', "Sensitivity
 * estimates for nonlinear mathematical models", Mathematical Modelling and Computational Experiments 1 (1993) 407-414.
 */
function product(name: string, variances: readonly number[], part: (u: number, at: number) => number): Exact {
  const of = (which: readonly number[]): number =>
    which.reduce((all, at) => all * (1 + variances[at]!), 1) - 1;
  const every = [...variances.keys()];
  const closed = (which: readonly number[]): number => of(which) / of(every);
  return {
    name,
    inputs: variances.length,
    of: (unit) => unit.reduce((all, u, at) => all * (1 + part(u, at)), 1),
    closed,
    total: (input) => 1 - closed(every.filter((at) => at !== input)),
  };
}

function gFunction(a: readonly number[]): Exact {
  return product(
    `G with ${a.join(', ')}`,
    a.map((one) => 1 / (3 * (1 + one) ** 2)),
    (u, at) => (Math.abs(4 * u - 2) - 1) / (1 + a[at]!),
  );
}

/** The exact indices of the Ishigami function with 7 and 0.1, from its decomposition. */
const ISHIGAMI: Exact = (() => {
  const { PI } = Math;
  const of1 = (1 + (0.1 * PI ** 4) / 5) ** 2 / 2;
  const of2 = 49 / 8;
  const of13 = 0.01 * PI ** 8 * (1 / 18 - 1 / 50);
  const all = of1 + of2 + of13;
  const closed = (which: readonly number[]): number =>
    ((which.includes(0) ? of1 : 0) +
      (which.includes(1) ? of2 : 0) +
      (which.includes(0) && which.includes(2) ? of13 : 0)) /
    all;
  return {
    name: 'Ishigami',
    inputs: 3,
    of: ishigami,
    closed,
    total: (input) => 1 - closed([0, 1, 2].filter((at) => at !== input)),
  };
})();

const SOBOL: Exact[] = [
  ISHIGAMI,
  gFunction([0, 1, 4.5, 9, 99, 99, 99, 99]),
  gFunction([0, 0.5, 3, 9]),
  gFunction([1, 1, 1]),
  product(
    'linear factors',
    [0.5, 0.2, 0.05, 0.01],
    (u, at) => (u - 0.5) * Math.sqrt(12 * [0.5, 0.2, 0.05, 0.01][at]!),
  ),
];

/** Linear functions: the coefficients of the inputs. */
const LINEAR: number[][] = [
  [1, ...new Array<number>(19).fill(0.2)],
  [1, 1],
  [3, 2, 1],
  [5, 1, 1, 1, 1, 1],
  [1, -1, 0.5, 0],
  [10, 3, 1, 0.3, 0.1],
  [1, 0.5, 0.25, 0.125, 0.0625],
  [2, -2, 2, -2, 0.4, 0.4, 0.4],
  new Array<number>(10).fill(1),
  [1, 0.9, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2],
];

function linear(coefficients: readonly number[]): Exact {
  const all = coefficients.reduce((sum, one) => sum + one ** 2, 0);
  const closed = (which: readonly number[]): number =>
    which.reduce((sum, at) => sum + coefficients[at]! ** 2, 0) / all;
  return {
    name: `${coefficients.length > 8 ? `${coefficients.length} coefficients` : coefficients.join(', ')}`,
    inputs: coefficients.length,
    variance: all / 12,
    of: (unit) => unit.reduce((sum, u, at) => sum + coefficients[at]! * u, 0),
    closed,
    total: (input) => closed([input]),
  };
}

/** A share that a sentence states, in percent, and the true one. */
interface Stated {
  share: number;
  interval: [low: number, high: number] | undefined;
  truth: number;
}

/** All shares that a sentence states. */
function statedOf(analysis: Analysis, { closed, total, inputs }: Exact): Stated[] {
  const sentence = analysisSentence(analysis);
  const place = (name: string): number => names(inputs).indexOf(name);
  const stated = ([share, low, high]: (string | undefined)[], truth: number): Stated => ({
    share: Number(share),
    interval: low === undefined ? undefined : [Number(low), Number(high)],
    truth: 100 * truth,
  });
  const parts = [...sentence.matchAll(/(x\d+) takes part in (\d+) %(?: \((\d+)–(\d+) %\))?/g)];
  if (parts.length > 0) return parts.map(([, name, ...numbers]) => stated(numbers, total(place(name!))));
  const found = /^(.*?) explains? (\d+) %(?: \((\d+)–(\d+) %\))?/.exec(sentence);
  // a sentence names at most eight inputs
  if (!found || /and \d+ others$/.test(found[1]!)) return [];
  const named = found[1]!.split(/, | and /).map(place);
  return [stated(found.slice(2), closed(named))];
}

/** Whether a share is near the true one, or has it in its interval, whose ends are rounded to whole percents. */
function isRight({ share, interval, truth }: Stated): boolean {
  if (!interval) return Math.abs(share - truth) <= MOST;
  return interval[0] - 0.5 <= truth && truth <= interval[1] + 0.5;
}

/** Draws campaigns of several functions, and counts the right shares. */
function rateOf(
  seed: number,
  {
    exacts,
    from,
    count,
    design,
    noise = 0,
    replications = 1,
  }: {
    exacts: readonly Exact[];
    from: string;
    /** The number of campaigns of each function. */
    count: number;
    design: (exact: Exact, at: number) => Design;
    /** The standard deviation of chance in a run. */
    noise?: number;
    replications?: number;
  },
): Rate {
  let [right, stated] = [0, 0];
  for (const exact of exacts)
    for (let at = 0; at < count; at += 1) {
      const drawn = new Drawn(seed, `${exact.name} ${from} ${at}`);
      const [analysis] = analyzed({ design: design(exact, at), replications }, (unit) => ({
        Y: exact.of(unit) + noise * drawn.normal(),
      }));
      const shares = statedOf(analysis!, exact);
      stated += shares.length;
      right += shares.filter(isRight).length;
    }
  const what = exacts.length === 1 ? exacts[0]!.name : `${exacts.length} linear functions`;
  return {
    statement: 'a share is right',
    from: `${from}: ${what}`,
    of: stated,
    rate: stated === 0 ? 1 : right / stated,
    // an interval of 95 % holds as often, apart from the luck of the draw
    least: noise > 0 ? 0.93 : 0.95,
  };
}

export function rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
  const count = Math.ceil(campaigns / LINEAR.length);
  const plain = LINEAR.slice(1, 6).map(linear);
  return [
    ...LINEAR.map(linear).flatMap((exact) => [
      rateOf(seed, { exacts: [exact], from: 'lhs, 100 points', count, design: sampled('lhs') }),
      rateOf(seed, { exacts: [exact], from: 'random, 100 points', count, design: sampled('random') }),
    ]),
    ...SOBOL.map((exact) =>
      rateOf(seed, {
        exacts: [exact],
        from: 'saltelli, 4,096 base points',
        count: SEEDS_OF_SOBOL,
        design: ({ inputs }, at) => ({
          kind: 'saltelli',
          inputs: spread(names(inputs)),
          points: 1024,
          scrambles: 4,
          secondOrder: false,
          seed: at,
        }),
      }),
    ),
    ...CHANCES.map(({ noise, replications, levels }) =>
      rateOf(seed, {
        exacts: plain,
        from: `factorial with ${levels} levels, ${replications} runs per point and chance ${noise}`,
        count,
        design: ({ inputs }) => factorial(inputs, levels),
        noise,
        replications,
      }),
    ),
    rateOf(seed, {
      exacts: plain.map((exact) => ofMeans(exact, 0.5 ** 2 / 2)),
      from: 'lhs, 100 points, 2 runs per point and chance 0.5',
      count,
      design: sampled('lhs'),
      noise: 0.5,
      replications: 2,
    }),
  ];
}

/** The standard deviations of chance, and the designs, of the factorials. */
const CHANCES = [
  { noise: 0.05, replications: 4, levels: 2 },
  { noise: 0.5, replications: 2, levels: 2 },
  { noise: 0.5, replications: 2, levels: 3 },
  { noise: 2, replications: 10, levels: 2 },
];

/** Shares of the variance of the points' means, which includes chance: those of a regression. */
function ofMeans(exact: Exact, chance: number): Exact {
  const share = exact.variance! / (exact.variance! + chance);
  return { ...exact, closed: (inputs) => share * exact.closed(inputs) };
}

function sampled(method: 'lhs' | 'random'): (exact: Exact, at: number) => Design {
  return ({ inputs }, at) => ({
    kind: 'sample',
    method,
    points: 100,
    seed: at,
    scramble: true,
    inputs: spread(names(inputs)),
  });
}

function factorial(inputs: number, levels: number): Design {
  return {
    kind: 'factorial',
    inputs: names(inputs),
    values: names(inputs).map(() => Array.from({ length: levels }, (_, at) => String(at / (levels - 1)))),
    generators: names(inputs).map(() => null),
  };
}
