import type { Confirmation } from '../../src/campaign/search/search.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { type Comparison, nextOfComparison } from '../../src/search/selection/comparison.ts';
import { summarizedPoints, summaryOf } from '../../src/search/summary.ts';
import { SearchInMemory, searchCampaign, stopAfter } from '../../test/search/in-memory.ts';
import { selectInMemory, selectionOf } from '../../test/search/select-in-memory.ts';
import { type Drawn, rareLoss, twoValued } from './draws.ts';
import type { Rate } from './rate.ts';

const CHANCES = [0.02, 0.05, 0.1, 0.3];
/** True mean losses of the compared points. */
const MEANS: Record<string, number[]> = {
  '2 points': [2, 6],
  '5 points': [2, 4, 6, 6, 8],
  'a sure 4, and a loss of 6': [6, 4],
};
const INDIFFERENCE = 1.5;
/** Replications of each point at first. */
const FIRST = 3;

type Options = { campaigns: number; seed: number };

/**
 * A loss of nothing in most runs: how often a selection or a search is wrong about the best point. Losses of exponential
 * size have no goal, because strongly skewed outputs are a limit (docs/guides/search.md).
 */
export const selection = {
  title: 'The best of points with rare losses',
  async rates(options: Options): Promise<Rate[]> {
    return [...selectRates(options), ...requiredRates(options), ...(await searchRates(options))];
  },
};

/** Compares points by KN, as `select` does, and returns the chosen one. */
function chosen(rule: Comparison, systems: readonly Drawn[], seed: number, name: string): number {
  const streams = systems.map((_, at) => new Stream(seed, `${name}, system ${at}`));
  const values: number[][] = systems.map(() => []);
  const extend = (wanted: readonly number[]): void => {
    for (const [at, own] of values.entries())
      while (own.length < wanted[at]!) own.push(systems[at]!.draw(streams[at]!));
  };
  extend(systems.map(() => rule.first));
  for (;;) {
    const next = nextOfComparison(rule, values, 0);
    if (next.decided) return next.best;
    extend(next.replications);
  }
}

function selectRates({ campaigns, seed }: Options): Rate[] {
  return Object.entries(MEANS).flatMap(([name, means]) =>
    CHANCES.flatMap((chance) =>
      [true, false].map((isTwoValued): Rate => {
        const systems = means.map((mean, at): Drawn => {
          if (name.startsWith('a sure') && at === 1) return { name, mean, sd: 0, draw: () => mean };
          return (isTwoValued ? twoValued : rareLoss)(chance, mean / chance);
        });
        const rule = {
          method: 'kn' as const,
          first: FIRST,
          isShare: false,
          indifference: INDIFFERENCE,
          confidence: 0.95,
        };
        const from = `${name}, p = ${chance}${isTwoValued ? '' : ', exponential losses'}`;
        const least = Math.min(...means);
        let wrong = 0;
        for (let at = 0; at < campaigns; at += 1)
          if (systems[chosen(rule, systems, seed, `${from}, ${at}`)]!.mean > least + INDIFFERENCE) wrong += 1;
        return {
          statement: 'select: the chosen point is worse by more than the indifference',
          from,
          of: campaigns,
          rate: wrong / campaigns,
          ...(isTwoValued && { most: 0.07 }),
        };
      }),
    ),
  );
}

/** At least this share of the runs must be served. */
const SERVED = 0.9;
/** Points with their true cost and their true share of served runs. The right one is the cheapest that serves enough. */
const SERVING: Record<string, { cost: number; served: number }[]> = {
  '95 %, and a dear point with 100 %': [
    { cost: 10, served: 0.95 },
    { cost: 15, served: 1 },
  ],
  '80 %, and a dear point with 100 %': [
    { cost: 10, served: 0.8 },
    { cost: 15, served: 1 },
  ],
  '70 % to 99 %, the more the dearer': [0.7, 0.8, 0.95, 0.97, 0.99].map((served, at) => ({
    cost: 10 + 2 * at,
    served,
  })),
};

/** Selects by KN the cheapest of the points that serve enough. */
function requiredRates({ campaigns, seed }: Options): Rate[] {
  return Object.entries(SERVING).flatMap(([name, points]) =>
    [1, 3].flatMap((sd): Rate[] => {
      const base = selectionOf(
        {
          method: 'kn',
          indifference: INDIFFERENCE,
          confidence: 0.95,
          require: [{ output: 'P(Served)', min: SERVED, max: null, chance: null }],
          report: 30,
        },
        10,
      );
      const served = { name: 'Served', type: 'BOOLEAN', units: null } as const;
      const campaign = { ...base, outputs: [...base.outputs, served] };
      const right = points.find(({ served }) => served >= SERVED);
      let [wrong, misses, runs] = [0, 0, 0];
      for (let at = 0; at < campaigns; at += 1) {
        const streams = points.map((_, point) => new Stream(seed, `${name}, ${sd}, ${at}, ${point}`));
        const { story, counts } = selectInMemory(campaign, points.length, (point) => {
          const { cost, served } = points[point]!;
          const stream = streams[point]!;
          return {
            'Fit error': String(cost + sd * stream.normal()),
            Served: String(stream.uniform() < served),
          };
        });
        const chosen = points[story.summary.best?.ordinal ?? -1];
        if (chosen && chosen.served < SERVED) misses += 1;
        else if (chosen !== right) wrong += 1;
        runs += counts.reduce((sum, count) => sum + count, 0);
      }
      const from = `${name}, sd ${sd} (mean of ${Math.round(runs / campaigns)} runs)`;
      const rate = { from, of: campaigns };
      return [
        {
          ...rate,
          statement: 'select, require: another point than the best that meets it',
          rate: wrong / campaigns,
          most: 0.07,
        },
        {
          ...rate,
          statement: 'select, require: the chosen point does not meet it',
          rate: misses / campaigns,
        },
      ];
    }),
  );
}

const POINTS = 12;
const CONFIRM: Confirmation = { best: 4, replications: 10, indifference: 2, confidence: 0.95, report: 30 };

/** The true mean loss of a point of a search. */
function lossAt(x: readonly number[]): number {
  return 1 + 4 * x.reduce((sum, each) => sum + (each - 0.3) ** 2, 0);
}

/** Searches by CMA-ES with three to twenty replications; the best point is looked at in the end. */
async function searchRates({ campaigns, seed }: Options): Promise<Rate[]> {
  const rates: Rate[] = [];
  for (const confirm of [null, CONFIRM])
    for (const chance of CHANCES)
      for (const isTwoValued of [true, false]) {
        let [shown, right] = [0, 0];
        for (let campaign = 1; campaign <= campaigns; campaign += 1) {
          const { truth, interval } = await searched(
            confirm,
            chance,
            isTwoValued,
            seed * 1_000_000 + campaign,
          );
          if (!interval) continue;
          shown += 1;
          if (interval[0] <= truth && truth <= interval[1]) right += 1;
        }
        const how = confirm ? 'with confirm' : 'without confirm';
        rates.push({
          statement: 'search: the best point is within its interval',
          from: `${how}, p = ${chance}${isTwoValued ? '' : ', exponential losses'} (${shown} of ${campaigns} have an interval)`,
          of: shown,
          rate: right / Math.max(1, shown),
          ...(isTwoValued && shown >= 50 && { least: 0.93 }),
        });
      }
  return rates;
}

async function searched(confirm: Confirmation | null, chance: number, isTwoValued: boolean, seed: number) {
  const range = { min: 0, max: 1, digits: 2 };
  const campaign = searchCampaign(
    { x: range, y: range },
    { stop: stopAfter(POINTS), confirm, most: 20 },
    { replications: FIRST, seed },
  );
  const search = new SearchInMemory(
    campaign,
    (x, ordinal, replication) => {
      const size = lossAt(x) / chance;
      const { draw } = isTwoValued ? twoValued(chance, size) : rareLoss(chance, size);
      return { f: String(draw(new Stream(seed, `${ordinal}, ${replication}`))), g: '0' };
    },
    seed,
  );
  const log = await search.toTheEnd(0);
  const { inputs, interval } = summaryOf(campaign, log, search.finishedAt(summarizedPoints(log))).best!;
  return { truth: lossAt(Object.values(inputs) as number[]), interval };
}
