import type { Campaign } from '../campaign/types.ts';
import type { ServiceAtHand } from '../resolve/index.ts';
import type { Store } from '../store/index.ts';

/** How fast runs come to be. */
export interface Pace {
  /** Seconds from one run to the next, on the average. */
  secondsARun: number;
  /** What that is known from, a phrase. */
  basis: string;
}

/** Campaigns that are looked at, the newest first. */
const CAMPAIGNS = 20;

/** The pace that a person's word of how long one run takes comes to. */
export function paceOf(runSeconds: number, { concurrency }: Pick<Campaign, 'concurrency'>): Pace {
  const atOnce = concurrency === 'auto' ? 1 : concurrency;
  const basis = `${runSeconds} s a run, ${atOnce === 1 ? 'one after the other' : `${atOnce} at once`}`;
  return { secondsARun: runSeconds / atOnce, basis };
}

/** The pace of the last campaign of this store that had the service run the same version of the model. */
export async function paceKnown(
  store: Store,
  { model }: Pick<Campaign, 'model'>,
  service: ServiceAtHand,
): Promise<Pace | undefined> {
  const records = await store.listCampaigns();
  const identity = await service.identity();
  const alike = records.filter(
    ({ campaign: { model: ran, serviceId, service: address } }) =>
      ran.versionId === model.versionId &&
      (serviceId === undefined ? address === service.url : serviceId === identity),
  );
  for (const { campaign } of alike.slice(0, CAMPAIGNS)) {
    const { runs, ms } = await store.newRuns(campaign.id);
    if (runs > 0) return { secondsARun: ms / 1_000 / runs, basis: `as in ${campaign.id}` };
  }
  return undefined;
}
