import type { Calibration } from '../../../src/campaign/search/calibration.ts';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import type { Campaign, CampaignBy } from '../../../src/campaign/types.ts';
import { AbcCourse } from '../../../src/search/abc/course.ts';
import { Stream } from '../../../src/campaign/sampling/stream.ts';
import type { Run } from '../in-memory.ts';

/**
 * A calibration whose posterior is known: θ ~ N(0, 2²), y ~ N(θ, 1), and the observation y = 1.5. If points up to the
 * distance 0.1 are accepted, the exact posterior has the mean 1.1992 and the variance 0.8021.
 */
export function normalMean(
  calibrate: Partial<Calibration> = {},
  rest: Partial<Campaign> = {},
): CampaignBy<'calibration'> {
  const real = (name: string) => ({ name, type: 'DOUBLE' as const, units: null });
  return {
    id: 'campaign',
    base: [
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
      { ...real('θ'), value: '0' },
    ],
    varied: [real('θ')],
    outputs: [real('y'), { name: 'curve', type: 'DATA_SET', units: null }],
    replications: 1,
    seed: 1,
    commonRandomNumbers: false,
    failures: null,
    fresh: null,
    design: { kind: 'list', inputs: ['θ'], rows: [] },
    strategy: {
      by: 'calibration',
      priors: [{ name: 'θ', isWhole: false, distribution: { kind: 'normal', mean: 0, sd: 2 } }],
      where: null,
      observed: [{ output: 'y', kind: 'number', value: 1.5, weight: 1 }],
      particles: 1_000,
      quantile: 0.5,
      parallel: 64,
      stop: { tolerance: 0.1, generations: 20, acceptance: 0.01, points: 1_000_000 },
      ...calibrate,
    },
    ...rest,
  } as unknown as CampaignBy<'calibration'>;
}

/** Makes a function that gives the outputs of a run. They depend only on the seed, the point and the replication. */
export function noisyMean(seed: number): Run {
  return ([theta], ordinal, replication) => ({
    y: String(theta! + new Stream(seed, `noise of ${ordinal}, ${replication}`).normal()),
  });
}

/** Runs a calibration in which each run finishes before the next step. Returns its log. */
export async function logOf(campaign: CampaignBy<'calibration'>, run: Run): Promise<SearchLog> {
  const course = await AbcCourse.of(campaign, { asks: [], events: [] });
  const log: SearchLog = { asks: [], events: [] };
  const runs = new Map<number, { replication: number; outputs: Record<string, string> }[]>();
  const ordinals = new Map<string, number>();
  while (course.stage !== 'over') {
    const awaited = course.awaited();
    const step = await course.step(new Map(awaited.map((ordinal) => [ordinal, runs.get(ordinal)!])));
    for (const { ask, told } of step.tells) log.asks[ask]!.told = told;
    const written = step.asks.map(({ point, ...ask }) => {
      const ordinal = point && (ordinals.get(point.key) ?? ordinals.size);
      if (point) {
        ordinals.set(point.key, ordinal!);
        const own = runs.get(ordinal!) ?? [];
        runs.set(ordinal!, own);
        for (let replication = point.from; replication <= point.to; replication += 1)
          own.push({ replication, outputs: run(point.values.map(Number), ordinal!, replication) });
      }
      log.asks.push({ ...ask, ordinal });
      return ordinal;
    });
    log.events.push(...step.events);
    course.written(written);
  }
  return log;
}
