import type { Design } from '../../src/campaign/designs/index.ts';
import { divided, withAdjustedP } from '../../src/report/analysis/claims.ts';
import { spread } from '../../test/sensitivity/campaigns.ts';
import { names } from '../../test/sensitivity/functions.ts';
import { detectableSize } from './detectable.ts';
import { analysisWithChance, CHANCES, claimsEffect, Drawn, type Seeded } from './draws-of-effects.ts';
import type { Rate } from './rate.ts';

export const title = 'Sentences about effects: false ones on pure chance, and power';

/** A design, and how large an effect from one end of the range of an input to the other must be to be seen. */
interface Case extends Seeded {
  /** The standard error of an effect; a case without it is not asked about its power. */
  error?: {
    /** In units of the standard deviation of single runs. */
    size: number;
    /** The degrees of freedom with which the standard error is estimated. */
    freedom: number;
    /**
     * The number of tests of the sentence, for which Holm's method corrects. It matters only with few degrees of freedom,
     * where it makes the detectable size much larger. @default 1
     */
    tests?: number;
  };
  /**
   * Whether the seed of a run decides the effect of the first input. Over all seeds, its mean is 0. Otherwise each run has
   * chance of its own.
   */
  hasEffectOfSeed?: true;
}

const five = names(5);
const factorial = (levels: number): Design => ({
  kind: 'factorial',
  inputs: five,
  values: five.map(() => Array.from({ length: levels }, (_, at) => String(at / (levels - 1)))),
  generators: five.map(() => null),
});
const morris = (seed: number): Design => ({
  kind: 'morris',
  inputs: spread(five),
  trajectories: 10,
  levels: 4,
  seed,
});
const saltelli = (seed: number): Design => ({
  kind: 'saltelli',
  inputs: spread(five),
  points: 64,
  scrambles: 1,
  secondOrder: false,
  seed,
});
const lhs = (points: number) => (seed: number) => ({
  kind: 'sample' as const,
  method: 'lhs' as const,
  points,
  seed,
  scramble: true,
  inputs: spread(five),
});
/** 100 draws of one input with some values. */
const repeated = (values: number) => (seed: number) => ({
  kind: 'sample' as const,
  method: 'random' as const,
  points: 100,
  seed,
  scramble: true,
  inputs: [
    {
      name: five[0]!,
      isWhole: true,
      distribution: {
        kind: 'choice' as const,
        values: Array.from({ length: values }, (_, at) => String(at + 1)),
      },
    },
  ],
});
const SELECTION: Case['strategy'] = {
  by: 'selection',
  method: 'kn',
  indifference: 1,
  confidence: 0.95,
  require: [],
  report: 0,
};
const onePerInput: Design = { kind: 'onePerInput', inputs: five, values: five.map(() => ['0', '1']) };
/** Some inputs, each with one other value. */
const changed = (inputs: number): Design => ({
  kind: 'onePerInput',
  inputs: names(inputs),
  values: names(inputs).map(() => ['1']),
});
/** The standard deviation of a uniform input. */
const UNIFORM = Math.sqrt(1 / 12);

const cases: Case[] = [
  // an effect is the mean of 10 differences of two means of 2 runs, over two thirds of the range
  {
    title: 'morris, 2 runs per point',
    design: morris,
    replications: 2,
    error: { size: 1.5 * Math.sqrt(1 / 10), freedom: 60 },
  },
  {
    title: 'morris, common random numbers',
    design: morris,
    replications: 3,
    commonRandomNumbers: true,
    error: { size: 1.5 * Math.sqrt(2 / 3 / 10), freedom: 2, tests: 10 },
  },
  { title: 'morris, 1 run per point', design: morris },
  // an effect is the slope over 64 base points, with two means of 2 runs for each of them
  {
    title: 'saltelli, 2 runs per point',
    design: saltelli,
    replications: 2,
    error: { size: Math.sqrt(1 / 64) / Math.sqrt(1 / 6), freedom: 448 },
  },
  {
    title: 'saltelli, common random numbers',
    design: saltelli,
    replications: 3,
    commonRandomNumbers: true,
    error: { size: Math.sqrt(2 / 3 / 64) / Math.sqrt(1 / 6), freedom: 2, tests: 10 },
  },
  { title: 'saltelli, 1 run per point', design: saltelli },
  {
    title: 'factorial, 10 runs per point',
    design: () => factorial(2),
    replications: 10,
    error: { size: 2 / Math.sqrt(320), freedom: 288 },
  },
  {
    title: 'factorial, 1 run per point',
    design: () => factorial(2),
    error: { size: 2 / Math.sqrt(32), freedom: 16 },
  },
  // a sentence has the tests of five inputs and of ten pairs
  {
    title: 'factorial, common random numbers',
    design: () => factorial(2),
    replications: 3,
    commonRandomNumbers: true,
    error: { size: 2 / Math.sqrt(96), freedom: 2, tests: 15 },
  },
  {
    title: 'lhs, 60 points',
    design: lhs(60),
    error: { size: 1 / (UNIFORM * Math.sqrt(60)), freedom: 54 },
  },
  { title: 'lhs, 12 points', design: lhs(12) },
  {
    title: 'one per input, 10 runs per point',
    design: () => onePerInput,
    replications: 10,
    error: { size: Math.sqrt(2 / 10), freedom: 18 },
  },
  { title: 'one per input, 3 runs per point', design: () => onePerInput, replications: 3 },
  {
    title: 'one per input, 5 runs per point, common random numbers',
    design: () => onePerInput,
    replications: 5,
    commonRandomNumbers: true,
    error: { size: Math.sqrt(2 / 5), freedom: 4, tests: 5 },
  },
  { title: 'one per input, 1 run per point', design: () => onePerInput },
  // so few runs have few arrangements of true and false
  ...[1, 5].flatMap((inputs): Case[] => {
    const replications = inputs === 1 ? 2 : 3;
    const share = { design: () => changed(inputs), replications, outputs: ['P(Y > 0)'] };
    const title = `one per input, ${inputs} inputs, ${replications} runs per point, a share`;
    return [
      { title, ...share },
      { title: `${title}, common random numbers`, ...share, commonRandomNumbers: true },
    ];
  }),
  // the definition has no seed
  {
    title: 'lhs, 100 points, 2 runs per point, the effect of a seed, no seed in the definition',
    design: lhs(100),
    replications: 2,
    seed: undefined,
    hasEffectOfSeed: true,
  },
  {
    title: 'lhs, 50 points, 3 runs per point, the effect of a seed, common random numbers',
    design: lhs(50),
    replications: 3,
    commonRandomNumbers: true,
    hasEffectOfSeed: true,
  },
  ...Object.entries({
    morris,
    saltelli,
    factorial: () => factorial(2),
    'one per input': () => onePerInput,
  }).map(([name, design]): Case => ({
    title: `${name}, 3 runs per point, the effect of a seed, common random numbers`,
    design,
    replications: 3,
    commonRandomNumbers: true,
    hasEffectOfSeed: true,
  })),
  // an effect is a slope over 60 points, which have the chance of all runs
  ...[2, 3, 5, 10].map((replications): Case => ({
    title: `lhs, 60 points, ${replications} runs per point, common random numbers`,
    design: lhs(60),
    replications,
    commonRandomNumbers: true,
    error: {
      size: 1 / (UNIFORM * Math.sqrt(60 * replications)),
      freedom: replications - 1,
      ...(replications < 10 && { tests: 5 }),
    },
  })),
  ...[3, 8].map((values): Case => ({
    title: `random, 100 draws of ${values} values, selection`,
    design: repeated(values),
    replications: 10,
    strategy: SELECTION,
  })),
];

export function rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
  return cases.flatMap((one) => [
    ...Object.entries(CHANCES).map(([chance, draw]): Rate => {
      let claims = 0;
      for (let at = 0; at < campaigns; at += 1) {
        const drawn = new Drawn(seed, `${one.title} ${chance} ${at}`);
        const ofChance = (values: readonly number[]): number => draw(drawn, values);
        const ofSeed = (values: readonly number[], runSeed: string): number => {
          const own = new Drawn(seed, `${one.title} ${chance} ${at} ${runSeed}`);
          // the sign of the first input's effect is a coin, so the effect is 0 over all seeds
          const sign = own.below(2) - 0.5;
          return sign * draw(own, values) * (values[0]! - 0.5);
        };
        const model = one.hasEffectOfSeed ? ofSeed : ofChance;
        if (claimsEffect(analysisWithChance(one, at, model))) claims += 1;
      }
      return {
        statement: 'some input matters, but none does',
        from: `${one.title}, ${chance}`,
        of: campaigns,
        rate: claims / campaigns,
        most: 0.05,
      };
    }),
    ...(one.error ? [power(one, one.error, campaigns, seed)] : []),
  ]);
}

/** The share of campaigns that name the only input with an effect. */
function power(
  one: Case,
  { size, freedom, tests = 1 }: NonNullable<Case['error']>,
  campaigns: number,
  seed: number,
): Rate {
  const detectable = detectableSize(freedom, 0.05 / tests) * size;
  let named = 0;
  for (let at = 0; at < campaigns; at += 1) {
    const drawn = new Drawn(seed, `${one.title} power ${at}`);
    const place = at % five.length;
    const analysis = analysisWithChance(
      one,
      at,
      (values) => 2 * detectable * values[place]! + drawn.normal(),
    );
    if (divided(withAdjustedP(analysis)).matter.some(({ input }) => input === five[place])) named += 1;
  }
  return {
    statement: 'an input with twice the detectable effect is named',
    from: one.title,
    of: campaigns,
    rate: named / campaigns,
    // with one degree of freedom, the error of an effect may be ten times too small or too large
    ...(freedom > 1 && { least: 0.95 }),
  };
}
