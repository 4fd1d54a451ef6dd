import { RANDOM_SEED } from '../api/index.ts';
import type { KnownPoint } from '../campaign/search/log.ts';
import { spaceOf } from '../campaign/search/space.ts';
import type { Campaign } from '../campaign/types.ts';
import { PointReader } from '../search/point-value.ts';
import type { ComparedPoint, Store } from '../store/index.ts';

/**
 * The most points that a search begins with. Half of them are the best ones, and the others are spread over the rest.
 * More points would make the method slower.
 */
const MOST_KNOWN = 200;

/**
 * The points of another campaign that this search could ask as well: their runs have finished, and their other inputs
 * have the values of the search. Empty if the other campaign was deleted or has another version of the model.
 *
 * @param campaign - a campaign with a search that begins with the points of another campaign
 */
export async function knownPoints(store: Store, campaign: Campaign): Promise<KnownPoint[]> {
  const record = await store.getCampaign(campaign.search!.start!.campaign);
  const other = record?.campaign;
  if (other?.model.versionId !== campaign.model.versionId) return [];
  const space = spaceOf(campaign.search!, campaign.base);
  const reader = new PointReader(campaign);
  const valuesOf = searchedValues(campaign, other);
  const known = (await store.comparedPoints(other.id)).flatMap((point): KnownPoint[] => {
    const values = point.isWhole && point.runs.length > 0 ? valuesOf(point) : undefined;
    if (!values || !space.coordinatesOf(values) || !space.isAllowed(values)) return [];
    const told = reader.valueOf(point.runs);
    return told.value === null ? [] : [{ values, told }];
  });
  const ranked = known.toSorted((a, b) => a.told.value! - b.told.value!);
  const [best, rest] = [ranked.slice(0, MOST_KNOWN / 2), ranked.slice(MOST_KNOWN / 2)];
  const every = Math.max(1, Math.ceil(rest.length / (MOST_KNOWN / 2)));
  return [...best, ...rest.filter((_, at) => at % every === 0)];
}

/** Returns the values of the searched inputs for a point of another campaign; undefined if another input differs. */
function searchedValues(
  campaign: Campaign,
  other: Campaign,
): (point: Pick<ComparedPoint, 'values'>) => string[] | undefined {
  const names = campaign.search!.inputs.map(({ name }) => name);
  const salts = [campaign, other].flatMap(({ fresh }) => (fresh?.by === 'salt' ? [fresh.input] : []));
  const fixed = campaign.base.filter(
    ({ name }) => name !== RANDOM_SEED && !salts.includes(name) && !names.includes(name),
  );
  const hashOf = ({ files }: Campaign, name: string) => files.find(({ input }) => input === name)?.hash;
  const base = new Map(other.base.map(({ name, value }) => [name, value]));
  const haveSameFiles = campaign.base.every(({ name }) => hashOf(campaign, name) === hashOf(other, name));
  return (point) => {
    const own = new Map(other.varied.map(({ name }, at) => [name, point.values[at]!]));
    const valueOf = (name: string): string => own.get(name) ?? base.get(name)!;
    const isSame = haveSameFiles && fixed.every(({ name, value }) => valueOf(name) === value);
    return isSame ? names.map(valueOf) : undefined;
  };
}
