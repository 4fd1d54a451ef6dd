import { Stream } from '../../src/search/methods/stream.ts';
import { type Comparison, nextOfComparison } from '../../src/search/selection/comparison.ts';
import type { Drawn } from './draws.ts';
import { rareLoss, twoValued } from './draws.ts';
import type { Rate } from './rate.ts';

const CHANCES = [0.02, 0.05, 0.1, 0.3];
/** True mean losses of the compared points. */
const MEANS: Record<string, number[]> = {
  '2 points': [2, 6],
  '5 points': [2, 4, 6, 6, 8],
  'a sure 4 and a rare loss': [6, 4],
};
const INDIFFERENCE = 1.5;

interface Ended {
  best: number;
  isSure: boolean;
  runs: number;
}

/** Compares points by KN, as `select` does, with the replications that it asks for. */
export function compared(rule: Comparison, systems: readonly Drawn[], seed: number, name: string): Ended {
  const streams = systems.map((_, at) => new Stream(seed, `${name}, system ${at}`));
  const values: number[][] = systems.map(() => []);
  const extend = (wanted: readonly number[]): void => {
    for (const [at, own] of values.entries())
      while (own.length < wanted[at]!) own.push(systems[at]!.draw(streams[at]!));
  };
  extend(systems.map(() => rule.first));
  for (;;) {
    const next = nextOfComparison(rule, values, 0);
    if (next.decided)
      return { best: next.best, isSure: next.isSure, runs: values.reduce((sum, own) => sum + own.length, 0) };
    extend(next.replications);
  }
}

export function selectRates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
  return [3, 10].flatMap((first) =>
    Object.entries(MEANS).flatMap(([name, means]) =>
      CHANCES.flatMap((chance) =>
        (['two', 'exp'] as const).map((kind): Rate => {
          const systems = means.map((mean, at): Drawn => {
            if (name.startsWith('a sure') && at === 1)
              return { name: 'sure', mean, sd: 0, draw: () => mean };
            return kind === 'two' ? twoValued(chance, mean / chance) : rareLoss(chance, mean / chance);
          });
          const rule = {
            ...{ method: 'kn' as const, first, isShare: false, indifference: INDIFFERENCE, confidence: 0.95 },
          };
          const ended = Array.from({ length: campaigns }, (_, at) =>
            compared(rule, systems, seed, `${name}, ${chance}, ${kind}, ${first}, ${at}`),
          );
          const least = Math.min(...means);
          const wrong = ended.filter(({ best }) => systems[best]!.mean > least + INDIFFERENCE).length;
          const runs = ended.reduce((sum, each) => sum + each.runs, 0) / campaigns;
          const sure = ended.filter(({ isSure }) => isSure).length / campaigns;
          return {
            statement: 'select: the chosen point is wrong',
            from: `${name}, ${kind}, p = ${chance}, first ${first}, sure ${sure.toFixed(2)} (mean of ${Math.round(runs)} runs)`,
            ...{ of: campaigns, rate: wrong / campaigns, most: 0.07 },
          };
        }),
      ),
    ),
  );
}
