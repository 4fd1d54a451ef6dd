import { type Design, rowsOf } from '../../src/campaign/designs/index.ts';
import { firstReplications } from '../../src/campaign/draws.ts';
import { measureOf } from '../../src/campaign/measures.ts';
import { expand } from '../../src/campaign/points.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { EffectGatherer } from '../../src/report/summary/effects.ts';
import type { InputIndices } from '../../src/sensitivity/analysis.ts';
import { analysesOf } from '../../src/sensitivity/analyze.ts';
import { PointGatherer } from '../../src/sensitivity/gather.ts';
import { doubledRanks } from '../../src/sensitivity/ranks.ts';
import { regressionOf } from '../../src/sensitivity/regression.ts';
import { normalQuantile } from '../../src/statistics/normal.ts';
import { SpreadSample } from '../../src/statistics/chance.ts';
import { uniform } from '../uniform.ts';
import type { Rate } from './rate.ts';

type Random = () => number;

const NAMES = ['a', 'b', 'c'];
/** The largest difference that rounding may make. */
const ROUNDING = 1e-9;

/** A sample of three inputs, each with two to four values and whole weights. */
interface Drawn {
  values: number[][];
  weights: number[][];
  design: Extract<Design, { kind: 'sample' }>;
}

/** Samples whose points repeat, compared with all their rows and with the distributions that they come from. */
export const repeats = {
  title: 'A point counts as often as its design has it',
  rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
    const random = uniform(seed);
    return [
      equalRate(campaigns, random, false),
      equalRate(campaigns, random, true),
      coefficientRate(campaigns, random),
      meanRate(campaigns, random, 'normal', 1),
      meanRate(campaigns, random, 'exponential', 3),
      meanRate(campaigns, random, 'share', 1),
    ];
  },
};

/** How often coefficients and R² are those of a regression over all drawn rows, computed without merged points. */
function equalRate(campaigns: number, random: Random, isRandom: boolean): Rate {
  let equal = 0;
  for (let at = 0; at < campaigns; at += 1) {
    const drawn = sampleOf(random, 30 + Math.floor(270 * random()));
    const shift = random();
    const noiseOf = (point: string, draw: number): number =>
      isRandom
        ? Math.sin(1e4 * shift + 97 * draw + 13 * point.length + point.charCodeAt(point.length - 1))
        : 0;
    const columns = columnsOf(drawn.design);
    const drawsSoFar = new Map<string, number>();
    const output = columns[0]!.map((_, row) => {
      const values = columns.map((column) => column[row]!);
      const point = values.join();
      const draw = (drawsSoFar.get(point) ?? 0) + 1;
      drawsSoFar.set(point, draw);
      return curved(values) + noiseOf(point, draw);
    });
    if (isConstant(output)) {
      equal += 1;
      continue;
    }
    const varied = columns.flatMap((column, input) => (isConstant(column) ? [] : [{ input, column }]));
    const found = analyzed(
      drawn.design,
      isRandom,
      (values, run) => curved(values) + noiseOf(values.join(), run),
    );
    const plain = regressionOf(
      varied.map(({ column }) => column),
      output,
      0.95,
    );
    const ranked = regressionOf(
      varied.map(({ column }) => doubledRanks(column)),
      doubledRanks(output),
      0.95,
    );
    const isSame = varied.every(({ input }, place) => {
      const own = found.find((one) => one.input === NAMES[input])!;
      return isNear(own.src, plain.src[place]!) && isNear(own.srrc, ranked.src[place]!);
    });
    if (isSame) equal += 1;
  }
  return {
    statement: 'the analysis is that of all drawn rows',
    from: isRandom ? 'discrete inputs, a run for each draw' : 'discrete inputs, equal runs',
    of: campaigns,
    rate: equal / campaigns,
    least: 1,
  };
}

/** How often the interval of a coefficient holds the coefficient of the distributions of the inputs. */
function coefficientRate(campaigns: number, random: Random): Rate {
  let [held, all] = [0, 0];
  for (let at = 0; at < campaigns; at += 1) {
    const drawn = sampleOf(random, 300);
    const truth = coefficientsOf(drawn);
    for (const { input, src, srcInterval } of analyzed(drawn.design, false, curved)) {
      if (src === undefined || !srcInterval) continue;
      const expected = truth[NAMES.indexOf(input)]!;
      all += 1;
      if (srcInterval[0] <= expected && expected <= srcInterval[1]) held += 1;
    }
  }
  return {
    statement: 'the 95 % interval holds the coefficient (src)',
    from: '300 draws of discrete inputs, equal runs',
    of: all,
    rate: held / all,
    least: 0.92,
  };
}

/** How often the interval of the mean or share at a value of an input holds the mean of the true values of its points. */
function meanRate(
  campaigns: number,
  random: Random,
  kind: 'normal' | 'exponential' | 'share',
  replications: number,
): Rate {
  let [held, all] = [0, 0];
  for (let at = 0; at < campaigns; at += 1) {
    const { design } = sampleOf(random, 200, 2);
    const campaign = campaignOf(design, replications, true);
    const gatherer = new EffectGatherer(campaign, kind === 'share' ? 'share' : 'mean');
    const sums = new Map<string, { sum: number; draws: number }>();
    for (const point of expand(campaign)) {
      const { draws = 1 } = point;
      const numbers = point.values.map(Number);
      const level = kind === 'share' ? 0.1 + 0.8 / (1 + Math.exp(-curved(numbers) / 20)) : curved(numbers);
      const sample = new SpreadSample();
      for (let run = firstReplications(campaign, point); run > 0; run -= 1)
        sample.add(valueOf(kind, level, random));
      gatherer.add(point.values, sample, { draws, noise: 0 });
      for (const place of point.values.map((value, input) => `${NAMES[input]} ${value}`)) {
        const before = sums.get(place) ?? { sum: 0, draws: 0 };
        sums.set(place, { sum: before.sum + draws * level, draws: before.draws + draws });
      }
    }
    for (const effect of gatherer.result()) {
      if (effect.kind !== 'main') continue;
      for (const { axis, means } of effect.effects) {
        for (const { bin, low, high } of means) {
          if (low === null || high === null) continue;
          const value = [...axis.binOf].find(([, place]) => place === bin)![0];
          const { sum, draws } = sums.get(`${axis.input.name} ${value}`)!;
          all += 1;
          if (low <= sum / draws && sum / draws <= high) held += 1;
        }
      }
    }
  }
  return {
    statement: `the 95 % interval of a ${kind === 'share' ? 'share' : 'mean'} over points holds it`,
    from: `${kind === 'share' ? 'true or false' : kind}, ${replications === 1 ? '1 run' : `${replications} runs`} for each draw`,
    of: all,
    rate: held / all,
    least: 0.92,
  };
}

function valueOf(kind: 'normal' | 'exponential' | 'share', level: number, random: Random): number {
  const u = Math.min(Math.max(random(), 1e-15), 1 - 1e-15);
  if (kind === 'share') return Number(u < level);
  return level + (kind === 'normal' ? 3 * normalQuantile(u) : -3 * Math.log(u) - 3);
}

/** A function that is not linear, with interactions. */
function curved([a, b, c]: readonly number[]): number {
  return a! + 0.5 * b! ** 2 - (a! > 0 ? c! : 0);
}

/** @param most - the largest number of values of an input */
function sampleOf(random: Random, points: number, most = 4): Drawn {
  const below = (count: number): number => Math.floor(count * random());
  const values = NAMES.map(() => {
    const first = below(10) - 5;
    return Array.from({ length: 2 + below(most - 1) }, (_, at) => first + 2 * at + below(2));
  });
  const weights = values.map((own) => own.map(() => 1 + below(9)));
  const inputs = NAMES.map((name, at) => ({
    name,
    isWhole: false,
    distribution: { kind: 'choice' as const, values: values[at]!.map(String), weights: weights[at]! },
  }));
  const seed = below(2 ** 31);
  const design = { kind: 'sample', method: 'random', points, seed, scramble: true, inputs } as const;
  return { values, weights, design: { ...design, inputs } };
}

/** The coefficients of the distributions: each combination of values is a row as often as its weights say. */
function coefficientsOf({ values, weights }: Drawn): number[] {
  const columns: number[][] = [[], [], []];
  const [first, second, third] = values.map((own, input) =>
    own.flatMap((value, at) => Array.from({ length: weights[input]![at]! }, () => value)),
  );
  for (const a of first!)
    for (const b of second!)
      for (const c of third!) for (const [at, value] of [a, b, c].entries()) columns[at]!.push(value);
  const inputs = columns.map((column) => Float64Array.from(column));
  const output = inputs[0]!.map((_, row) => curved(inputs.map((column) => column[row]!)));
  return regressionOf(inputs, output, 0.95).src;
}

/** The numbers of all rows of a design by input, repeated rows included. */
function columnsOf(design: Design): Float64Array[] {
  const rows = [...rowsOf(design, { base: [], contents: new Map() })];
  return NAMES.map((_, at) => Float64Array.from(rows, (row) => Number(row[at])));
}

function isConstant(column: Float64Array): boolean {
  return column.every((one) => one === column[0]);
}

function isNear(one: number | undefined, other: number): boolean {
  return one === undefined ? Number.isNaN(other) : Math.abs(one - other) < ROUNDING;
}

function campaignOf(design: Design, replications: number, hasSeed: boolean) {
  const numbers = NAMES.map((name): BaseInput => ({ name, type: 'DOUBLE', units: null, value: '0' }));
  const seed: BaseInput = { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' };
  return {
    id: 'drawn',
    outputs: [{ name: 'Y', type: 'DOUBLE', units: null }],
    strategy: { by: 'design' },
    base: hasSeed ? [...numbers, seed] : numbers,
    varied: numbers,
    design,
    replications,
    seed: hasSeed ? 1 : null,
    fresh: null,
    commonRandomNumbers: false,
    precision: null,
  } satisfies Partial<Campaign>;
}

/** The analysis of a campaign whose runs have these values. */
function analyzed(
  design: Design,
  hasSeed: boolean,
  model: (values: readonly number[], replication: number) => number,
): InputIndices[] {
  const campaign = campaignOf(design, 1, hasSeed);
  const measure = measureOf(campaign.outputs, 'Y');
  const gatherer = new PointGatherer(campaign, [measure], { dataSets: [], keepsRuns: false, points: 300 });
  let total = 0;
  for (const { key: point, values, draws } of expand(campaign)) {
    for (let replication = 1; replication <= firstReplications(campaign, { draws }); replication += 1) {
      const outputs = { Y: String(model(values.map(Number), replication)) };
      gatherer.add({ point, replication, status: 'done', values, draws, outputs });
      total += 1;
    }
  }
  return analysesOf(campaign, gatherer.result(), { total, done: total, failed: 0 })[0]!.indices ?? [];
}
