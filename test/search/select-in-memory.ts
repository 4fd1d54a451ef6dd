import type { SearchEvent } from '../../src/campaign/search/log.ts';
import type { Selection } from '../../src/campaign/search/search.ts';
import type { CampaignBy } from '../../src/campaign/types.ts';
import type { StrategyBy } from '../../src/campaign/strategy.ts';
import { nextOfSelection } from '../../src/search/select.ts';
import { selectStoryOf } from '../../src/search/select-story.ts';
import { sampleRecord } from '../report/support.ts';

/** Further replications of the winner, if a rule does not set them. */
export const REPORT = 2;

/** A selection of the lowest `Fit error` among points with different rates. */
export function selectionOf(rule: Partial<Selection>, replications: number): CampaignBy<'selection'> {
  const { campaign } = sampleRecord({
    varied: [{ name: 'Rate', type: 'DOUBLE', units: null }],
    base: [
      { name: 'Rate', type: 'DOUBLE', units: null, value: '0' },
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
    ],
    goal: { output: 'Fit error', wants: 'lowest' },
    replications,
    strategy: { by: 'selection', require: [], report: REPORT, ...rule } as StrategyBy<'selection'>,
  });
  return campaign;
}

/**
 * Simulates a selection to its end, without a store and a service. Returns the events of its log, the number of runs of
 * each point, and its story.
 *
 * @param outputsOf - the outputs of a run; empty for a failed run. It is called once for each run
 */
export function selectInMemory(
  campaign: CampaignBy<'selection'>,
  points: number,
  outputsOf: (point: number, replication: number) => Record<string, string>,
) {
  const events: SearchEvent[] = [];
  const runs = Array.from({ length: points }, (_, point) =>
    Array.from({ length: campaign.replications }, (_, at) => ({
      replication: at + 1,
      outputs: outputsOf(point, at + 1),
    })),
  );
  for (;;) {
    const next = nextOfSelection(campaign, points, events, new Map(runs.entries()));
    if (next.events.length + next.replications.length === 0) break;
    events.push(...next.events);
    for (const { ordinal, from, to } of next.replications)
      for (let replication = from; replication <= to; replication += 1)
        runs[ordinal]!.push({ replication, outputs: outputsOf(ordinal, replication) });
  }
  const story = selectStoryOf(
    campaign,
    events,
    runs.map((own, ordinal) => {
      const point = { ordinal, key: `key ${ordinal}`, values: [String(ordinal)] };
      return { ...point, runs: own, isWhole: true };
    }),
  );
  return { events, counts: runs.map(({ length }) => length), story };
}
