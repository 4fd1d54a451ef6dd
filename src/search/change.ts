import type { Ask, SearchEvent } from '../campaign/search/log.ts';
import { hasOtherBounds, hasOtherRequirements } from '../campaign/search/search-change.ts';
import { spaceOf } from '../campaign/search/space.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { type FinishedPoints, PointReader } from './point-value.ts';

/** @throws ForayError CHANGE_REFUSED if a search with these events cannot change any more */
export function checkMayChange(events: readonly SearchEvent[]): void {
  if (!events.some(({ kind }) => kind === 'finalists')) return;
  throw new ForayError('CHANGE_REFUSED', 'The search has already begun to compare its best points.', {
    hint: 'Submit the definition as a new campaign, which reuses the runs of this one.',
  });
}

/**
 * The ordinals of the points whose runs `changeOf` needs. If the requirements change, these are all points with a value
 * that the method knows. Otherwise there are none.
 */
export function judgedAgain(
  { strategy: before }: CampaignBy<'search'>,
  { strategy: after }: CampaignBy<'search'>,
  asks: readonly Ask[],
): number[] {
  if (!hasOtherRequirements(before, after)) return [];
  return [...new Set(asks.flatMap(({ ordinal, told }) => (told === null ? [] : (ordinal ?? []))))];
}

/**
 * The event for the log when the definition of a search changes. The method keeps the values that it was told. If the
 * requirements change, each point is judged again by its runs. If the bounds change, points outside them no longer
 * count.
 */
export function changeOf(
  before: CampaignBy<'search'>,
  after: CampaignBy<'search'>,
  asks: readonly Ask[],
  finished: FinishedPoints,
): SearchEvent {
  const { parallel } = before.strategy;
  const isJudgedAgain = hasOtherRequirements(before.strategy, after.strategy);
  if (!isJudgedAgain && !hasOtherBounds(before.strategy, after.strategy))
    return { kind: 'continued', parallel };
  const { coordinatesOf } = spaceOf(after.strategy, after.base);
  const outside = [...asks.keys()].filter((at) => coordinatesOf(asks[at]!.values) === undefined);
  return {
    kind: 'restarted',
    parallel,
    from: asks.length,
    outside,
    excess: isJudgedAgain ? excessOf(after, asks, finished) : null,
  };
}

/** For each ask: how far its point is from meeting the requirements; null for a point without a value. */
function excessOf(
  campaign: CampaignBy<'search'>,
  asks: readonly Ask[],
  finished: FinishedPoints,
): (readonly number[] | null)[] {
  const reader = new PointReader(campaign);
  return asks.map(({ ordinal, told }) => {
    if (ordinal === null || told === null || told.value === null) return null;
    const runs = finished.get(ordinal);
    return runs ? reader.valueOf(runs).excess : null;
  });
}
