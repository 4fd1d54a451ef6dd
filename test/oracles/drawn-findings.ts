import { Courses, propose } from '../../src/activities/propose.ts';
import { replicateAll } from '../../src/activities/replicate.ts';
import { select } from '../../src/activities/select.ts';
import { steps } from '../../src/campaign/strategy.ts';
import type { Stream } from '../../src/campaign/sampling/stream.ts';
import type { Requirement, Search } from '../../src/campaign/search/search.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import type { Store } from '../../src/store/index.ts';

/** The courses of all drawn searches. Each is closed when its search is over. */
const courses = new Courses();

/** Asks for the next runs of a campaign whose runs have all finished, as a worker does. */
export async function goOn(store: Store, campaign: Campaign): Promise<void> {
  const { signal } = new AbortController();
  const step = steps[campaign.strategy.by];
  if (step === 'points') await propose({ store, courses }, campaign, signal);
  else if (step === 'replications') await select(store, campaign, signal);
  else await replicateAll(store, campaign);
}

/** Ends the thread of the drawn searches. */
export function endFindings(): void {
  courses.close();
}

/** Draws a selection, a search or a calibration for a campaign that has its inputs, its model and its outputs. */
export function finding(stream: Stream, kind: string, campaign: Campaign): Campaign {
  if (kind === 'calibrate') return calibration(stream, campaign);
  const wants = oneOf(stream, ['lowest', 'highest'] as const);
  const goals = ['Cost', 'Arrivals', 'Late', 'P(Cost > 12)'];
  const output = oneOf(stream, goals);
  const indifference = output === 'Cost' || output === 'Arrivals' ? 1 : 0.2;
  const isNoisy = campaign.seed !== null;
  const require: Requirement[] =
    stream.uniform() < 0.3 ? [{ output: 'Arrivals', min: null, max: 3, chance: null }] : [];
  if (kind === 'select') {
    const rule =
      stream.uniform() < 0.6
        ? { method: 'kn' as const, indifference, confidence: 0.95 }
        : { method: 'ocba' as const, runs: 120 };
    return {
      ...campaign,
      goal: { output, wants },
      replications: 3 + stream.below(3),
      strategy: { by: 'selection', require, report: 5, ...rule },
    };
  }
  const isConfirmed = isNoisy && stream.uniform() < 0.5;
  const search: Search = {
    inputs: campaign.varied.map(({ name }) => ({
      name,
      type: 'DOUBLE',
      kind: 'range',
      min: 0,
      max: 1,
      scale: 'linear',
      step: null,
      digits: 2,
    })),
    where: null,
    require,
    method: oneOf(stream, ['cma', 'gp', 'direct'] as const),
    parallel: 4,
    stop: { points: oneOf(stream, [8, 14]), runs: null, value: null, gain: null, stall: null },
    confirm: isConfirmed ? { best: 3, replications: 5, indifference, confidence: 0.95, report: 10 } : null,
    most: null,
  };
  const isQuantile = !isConfirmed && stream.uniform() < 0.2;
  return {
    ...campaign,
    goal: { output: isQuantile ? 'Q(Cost, 0.5)' : output, wants },
    replications: isNoisy ? 1 + stream.below(5) : 1,
    strategy: { by: 'search', ...search },
  };
}

function calibration(stream: Stream, { goal: _, ...campaign }: Campaign): Campaign {
  const hasCurve = campaign.outputs.some(({ type }) => type === 'DATA_SET');
  return {
    ...campaign,
    replications: 1,
    commonRandomNumbers: false,
    strategy: {
      by: 'calibration',
      priors: campaign.varied.map(({ name }) => ({
        name,
        isWhole: false,
        distribution: { kind: 'uniform', min: 0, max: 1 },
      })),
      where: null,
      observed: [
        {
          output: oneOf(stream, ['Cost', 'Arrivals']),
          kind: 'number',
          value: 9 + stream.below(5),
          weight: 1,
        },
        ...(hasCurve
          ? [{ output: 'Course', kind: 'curve' as const, x: [1, 3], y: [10, 11], weight: 1 }]
          : []),
      ],
      particles: 20,
      quantile: 0.5,
      parallel: 8,
      stop: { tolerance: null, generations: 3, acceptance: 0.05, points: 300 },
    },
  };
}

function oneOf<T>(stream: Stream, items: readonly T[]): T {
  return items[stream.below(items.length)]!;
}
