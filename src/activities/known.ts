import { RANDOM_SEED } from '../api/index.ts';
import { inputsOf } from '../campaign/designs/index.ts';
import { decidingOutputs } from '../campaign/measures.ts';
import type { KnownPoint, UnusedPoints } from '../campaign/search/log.ts';
import { spaceOf } from '../campaign/search/space.ts';
import { saltOf } from '../campaign/seeds.ts';
import type { Campaign, CampaignBy } from '../campaign/types.ts';
import { contentOf, pathOf } from '../campaign/varied-files.ts';
import { PointReader } from '../search/point-value.ts';
import type { ComparedPoint, Store } from '../store/index.ts';
import { quoted } from '../text/suggest.ts';

/**
 * The maximum number of points that a search begins with. Up to half of them are the best points. The others are every
 * n-th of the remaining points in the order of their values. With more points the method would be slower.
 */
const MOST_KNOWN = 200;
/** Why points are left out that are too many. A reason follows the word "points". */
const SURPLUS = `beyond the best ${MOST_KNOWN / 2} and at most ${MOST_KNOWN / 2} others`;

/**
 * The points that a search begins with. `unused` counts the other points: one entry for each reason, in the order in
 * which the reasons were found.
 */
interface Known {
  points: KnownPoint[];
  unused: UnusedPoints[];
}

/**
 * Finds points of another campaign that this search could have asked for: their runs have finished, they have a value,
 * and the inputs that are not searched have the same values as in this search. There are no points if the other
 * campaign was deleted or has another version of the model. If there are many points, only some are returned.
 *
 * @param campaign - a campaign whose search begins with the points of another campaign
 */
export async function knownPoints(store: Store, campaign: CampaignBy<'search'>): Promise<Known> {
  const record = await store.getCampaign(campaign.strategy.start!.campaign);
  const other = record?.campaign;
  if (!other) return { points: [], unused: [] };
  const counts = new Map<string, number>();
  const compared = await store.comparedPoints(other.id, decidingOutputs(campaign));
  const knownOf = knownPointReader(campaign, other);
  const known: KnownPoint[] = [];
  for (const point of compared) {
    const found = knownOf(point);
    if (typeof found === 'string') counts.set(found, (counts.get(found) ?? 0) + 1);
    else known.push(found);
  }
  const ranked = known.toSorted((a, b) => a.told.value! - b.told.value!);
  const [best, rest] = [ranked.slice(0, MOST_KNOWN / 2), ranked.slice(MOST_KNOWN / 2)];
  const every = Math.max(1, Math.ceil(rest.length / (MOST_KNOWN / 2)));
  const points = [...best, ...rest.filter((_, at) => at % every === 0)];
  if (points.length < known.length) counts.set(SURPLUS, known.length - points.length);
  return { points, unused: [...counts].map(([which, count]) => ({ points: count, which })) };
}

/**
 * Returns a function that reads a point of another campaign. The function gives the values and the result of the point.
 * If the search cannot use the point, the function gives the reason, in words that can follow "points".
 */
function knownPointReader(
  campaign: CampaignBy<'search'>,
  other: Campaign,
): (point: ComparedPoint) => KnownPoint | string {
  if (other.model.versionId !== campaign.model.versionId) return () => 'with another version of the model';
  const space = spaceOf(campaign.strategy, campaign.base);
  const values = new PointReader(campaign);
  const names = inputsOf(campaign.design);
  const read = valuesIn(other);
  const otherInput = firstDifference(campaign, other);
  return (point) => {
    const valueOf = read(point);
    const different = otherInput(valueOf);
    if (different !== undefined) return `with another value of ${quoted(different)}`;
    // a search names a file by its path, and `valueOf` by its hash
    const own = names.map((name) => pathOf(campaign.variedFiles, name, valueOf(name)));
    if (!space.coordinatesOf(own)) return 'outside the bounds';
    if (!space.isAllowed(own)) return 'that do not meet "where"';
    if (!point.isWhole || point.runs.length === 0) return 'with runs that have not finished';
    const told = values.valueOf(point.runs);
    return told.value === null
      ? `without a value of ${quoted(campaign.goal!.output)}`
      : { values: own, told };
  };
}

type ValueOf = (name: string) => string;

/** Returns a function that reads a point of a campaign: the value of an input by its name. The value of a file is its hash. */
function valuesIn(campaign: Campaign): (point: Pick<ComparedPoint, 'values'>) => ValueOf {
  const { base, varied } = campaign;
  const fixed = new Map(base.map(({ name, value }) => [name, value]));
  return ({ values }) => {
    const own = new Map(varied.map(({ name }, at) => [name, contentOf(campaign, name, values[at]!)]));
    return (name) => own.get(name) ?? fixed.get(name)!;
  };
}

/**
 * Returns a function that finds an input that is not searched and has another file or another value at a point of
 * another campaign. The seed, and an input that only makes runs fresh, may differ.
 */
function firstDifference(
  campaign: CampaignBy<'search'>,
  other: Campaign,
): (valueOf: ValueOf) => string | undefined {
  const names = inputsOf(campaign.design);
  const salts = [campaign, other].flatMap((one) => saltOf(one) ?? []);
  const fixed = campaign.base.filter(
    ({ name }) => name !== RANDOM_SEED && !salts.includes(name) && !names.includes(name),
  );
  return (valueOf) => fixed.find(({ name, value }) => valueOf(name) !== value)?.name;
}
