import type { Design } from '../../src/campaign/designs/index.ts';
import type { SpreadInput } from '../../src/campaign/designs/spread-input.ts';
import type { InputIndices } from '../../src/sensitivity/analysis.ts';
import { analysisWithChance, claimsEffect, Drawn } from './draws-of-effects.ts';
import type { Rate } from './rate.ts';

export const title = "Sobol' indices over lists and whole numbers: rows that share a point share its chance";

/** The values of an input with their weights, or a range from 0 to 1. */
type Values = { weights: readonly number[] } | 'range';

/** A function of inputs whose values are 0, 1, 2 …, and its chance. */
interface Case {
  name: string;
  inputs: readonly Values[];
  points: number;
  scrambles?: number;
  replications: number;
  of: (values: readonly number[]) => number;
  /** A run at a point with this mean. */
  run: (mean: number, values: readonly number[], drawn: Drawn) => number;
}

const even = (count: number): Values => ({ weights: new Array<number>(count).fill(1) });
const normal =
  (deviation: number): Case['run'] =>
  (mean, _, drawn) =>
    mean + deviation * drawn.normal();
const additive: Case['of'] = ([a, b]) => a! + 0.5 * b!;
const mixed: Case['of'] = ([a, b, c]) => a! + a! * b! + (c! > 1 ? b! : 0);

const CASES: Case[] = [
  {
    name: '3 × 3 × 3 values, normal, 2 runs',
    inputs: [even(3), even(3), even(3)],
    points: 128,
    replications: 2,
    of: additive,
    run: normal(1),
  },
  {
    name: '3 × 3 × 3 values, two thirds of chance, 2 runs',
    inputs: [even(3), even(3), even(3)],
    points: 128,
    replications: 2,
    of: additive,
    run: normal(2),
  },
  {
    name: '3 × 4 × 5 values, interactions, 3 runs',
    inputs: [even(3), even(4), even(5)],
    points: 256,
    replications: 3,
    of: mixed,
    run: normal(3),
  },
  {
    name: '2 × 2 × 2 values, 5 runs',
    inputs: [even(2), even(2), even(2)],
    points: 64,
    replications: 5,
    of: additive,
    run: normal(0.7),
  },
  {
    name: '4 × 4 × 4 values, 8 scrambles, 2 runs',
    inputs: [even(4), even(4), even(4)],
    points: 64,
    scrambles: 8,
    replications: 2,
    of: mixed,
    run: normal(3),
  },
  {
    name: 'weights 1 and 9, chance grows with the mean, 4 runs',
    inputs: [{ weights: [9, 1] }, even(4), even(4)],
    points: 256,
    replications: 4,
    of: mixed,
    run: (mean, _, drawn) => mean + (0.5 + mean / 3) * drawn.normal(),
  },
  {
    name: '4 × 4 × 4 values, exponential, 4 runs',
    inputs: [even(4), even(4), even(4)],
    points: 256,
    replications: 4,
    of: (values) => 1 + mixed(values),
    run: (mean, _, drawn) => -mean * Math.log(Math.max(drawn.uniform(), 2 ** -60)),
  },
  {
    name: '4 × 4 × 4 values, 0 or 1, 10 runs',
    inputs: [even(4), even(4), even(4)],
    points: 256,
    replications: 10,
    of: ([a, b, c]) => 0.1 + 0.15 * a! + 0.05 * b! + 0.02 * a! * c!,
    run: (mean, _, drawn) => Number(drawn.uniform() < mean),
  },
  {
    name: 'a range and 3 × 3 values, 2 runs',
    inputs: ['range', even(3), even(3)],
    points: 256,
    replications: 2,
    of: ([a, b, c]) => 2 * a! + 0.5 * b! * c!,
    run: normal(1),
  },
  {
    name: '40 × 40 × 3 values, 2 runs',
    inputs: [even(40), even(40), even(3)],
    points: 256,
    replications: 2,
    of: ([a, b, c]) => a! / 10 + b! / 20 + c!,
    run: normal(1),
  },
];

export function rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
  return [
    ...CASES.flatMap((one): Rate[] => {
      const exact = exactIndices(one);
      const held = { first: 0, total: 0, of: 0 };
      for (let at = 0; at < campaigns; at += 1) {
        const { indices } = analysisOf(one, at, seed);
        for (const [input, { first, total, firstInterval, totalInterval }] of indices!.entries()) {
          // chance hides the indices
          if (first === undefined || total === undefined) continue;
          held.of += 1;
          if (holds(firstInterval, exact[input]!.first)) held.first += 1;
          if (holds(totalInterval, exact[input]!.total)) held.total += 1;
        }
      }
      const rateOf = (count: number) => ({ from: one.name, of: held.of, rate: count / held.of, least: 0.92 });
      return [
        { statement: 'the interval of a first-order index has it', ...rateOf(held.first) },
        { statement: 'the interval of a total index has it', ...rateOf(held.total) },
      ];
    }),
    ...[1, 2].map((replications): Rate => {
      let claims = 0;
      const one: Case = { ...CASES[0]!, name: `chance alone ${replications}`, replications, of: () => 0 };
      for (let at = 0; at < campaigns; at += 1) if (claimsEffect(analysisOf(one, at, seed))) claims += 1;
      return {
        statement: 'some input matters, but none does',
        from: `3 × 3 × 3 values, ${replications === 1 ? '1 run' : `${replications} runs`}`,
        of: campaigns,
        rate: claims / campaigns,
        most: 0.05,
      };
    }),
  ];
}

function holds(interval: InputIndices['totalInterval'], value: number): boolean {
  return interval !== undefined && interval[0] <= value + 1e-9 && value - 1e-9 <= interval[1];
}

function analysisOf(
  { name, inputs, points, scrambles = 1, replications, of, run }: Case,
  at: number,
  seed: number,
) {
  const spread = inputs.map((one, input): SpreadInput => ({
    name: 'abc'[input]!,
    isWhole: false,
    distribution:
      one === 'range'
        ? { kind: 'uniform', min: 0, max: 1 }
        : { kind: 'choice', values: one.weights.map((_, value) => String(value)), weights: [...one.weights] },
  }));
  const design: Design = {
    kind: 'saltelli',
    inputs: spread,
    points,
    scrambles,
    secondOrder: false,
    seed: seed * 10_000 + at,
  };
  const drawn = new Drawn(seed, `${name} ${at}`);
  return analysisWithChance({ title: name, design: () => design, replications }, at, (values) =>
    run(of(values), values, drawn),
  );
}

/** The indices by enumeration of all combinations of values. A range counts as its 200 middle values. */
function exactIndices({ inputs, of }: Case): { first: number; total: number }[] {
  const levels = inputs.map((one) =>
    one === 'range'
      ? Array.from({ length: 200 }, (_, at) => ({ value: (at + 0.5) / 200, weight: 1 / 200 }))
      : one.weights.map((weight, value) => ({
          value,
          weight: weight / one.weights.reduce((sum, other) => sum + other, 0),
        })),
  );
  const cells = levels.reduce<{ values: number[]; weight: number }[]>(
    (found, own) =>
      found.flatMap(({ values, weight }) =>
        own.map((level) => ({ values: [...values, level.value], weight: weight * level.weight })),
      ),
    [{ values: [], weight: 1 }],
  );
  /** The variance of the means over all cells that have the same key. */
  const varianceBy = (keyOf: (values: readonly number[]) => string): number => {
    const groups = new Map<string, { sum: number; weight: number }>();
    for (const { values, weight } of cells) {
      const group = groups.get(keyOf(values)) ?? { sum: 0, weight: 0 };
      groups.set(keyOf(values), { sum: group.sum + weight * of(values), weight: group.weight + weight });
    }
    const all = [...groups.values()];
    const mean = all.reduce((sum, group) => sum + group.sum, 0);
    return all.reduce((sum, group) => sum + group.weight * (group.sum / group.weight - mean) ** 2, 0);
  };
  const variance = varianceBy((values) => values.join());
  return inputs.map((_, at) => ({
    first: varianceBy((values) => String(values[at])) / variance,
    total: 1 - varianceBy((values) => values.toSpliced(at, 1).join()) / variance,
  }));
}
