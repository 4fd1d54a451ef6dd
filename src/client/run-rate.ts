import { findsPoints } from '../campaign/strategy.ts';
import type { Campaign } from '../campaign/types.ts';
import type { ServiceAtHand } from '../resolve/index.ts';
import type { Store } from '../store/index.ts';

/** How fast the service runs a model. */
export interface RunRate {
  /** The duration of a campaign divided by its runs, in seconds. It is shorter than a run if runs execute in parallel. */
  secondsARun: number;
  /** Where the figure comes from, as a phrase. */
  basis: string;
}

/** Maximum number of earlier campaigns that are searched, newest first. */
const MOST_CAMPAIGNS = 20;

/** The rate when a person gives the duration of one run in seconds. */
export function rateOf(runSeconds: number, { concurrency }: Pick<Campaign, 'concurrency'>): RunRate {
  const atOnce = concurrency === 'auto' ? 1 : concurrency;
  const basis = `${runSeconds} s a run, ${atOnce === 1 ? 'one after the other' : `${atOnce} at once`}`;
  return { secondsARun: runSeconds / atOnce, basis };
}

/**
 * The rate of the newest campaign in this store that started runs of the same version of the model at the same service.
 * Searches and calibrations run few points at once, so their rates say nothing about a design. Therefore the rate for a
 * search or a calibration comes from a search or a calibration, and the rate for a design comes from a design.
 * Undefined if no such campaign is among the newest.
 */
export async function knownRate(
  store: Store,
  campaign: Pick<Campaign, 'model' | 'strategy'>,
  service: ServiceAtHand,
): Promise<RunRate | undefined> {
  const records = await store.listCampaigns();
  const identity = await service.identity();
  const alike = records.filter(
    ({ campaign: earlier }) =>
      earlier.model.versionId === campaign.model.versionId &&
      findsPoints(earlier) === findsPoints(campaign) &&
      (earlier.serviceId === undefined ? earlier.service === service.url : earlier.serviceId === identity),
  );
  for (const { campaign: earlier } of alike.slice(0, MOST_CAMPAIGNS)) {
    const { runs, ms } = await store.newRuns(earlier.id);
    // the duration may be below 0, because the times in the store may come from clocks that differ
    if (runs > 0 && ms > 0) return { secondsARun: ms / 1_000 / runs, basis: `as in ${earlier.id}` };
  }
  return undefined;
}
