import { ForayError } from '../../errors.ts';
import { saltOf } from '../seeds.ts';
import { hasStrategy, type Strategy } from '../strategy.ts';
import type { Campaign, CampaignBy } from '../types.ts';
import { isSame } from '../is-same.ts';
import type { Search, SearchedInput } from './search.ts';

type SearchCampaign = CampaignBy<'search'>;

/**
 * The settings that cannot change in a search, by their names in errors. After a change the values that the method
 * knows would mean something else, or an outside optimiser would not know of the change.
 */
const fixedInSearch: Record<string, (campaign: SearchCampaign) => unknown> = {
  'what is minimized or maximized': ({ goal }) => goal,
  '"over" with an outside optimiser': ({ strategy }) => (isOutside(strategy) ? strategy.inputs : null),
  '"where"': ({ strategy }) => strategy.where,
  '"derive"': ({ strategy }) => strategy.derive ?? [],
  '"require" with an outside optimiser': ({ strategy }) => (isOutside(strategy) ? strategy.require : null),
  '"require" beside "start"': ({ strategy }) => (strategy.start ? strategy.require : null),
  '"start"': ({ strategy }) => strategy.start,
  '"method"': ({ strategy }) => withoutFolder(strategy.method),
  '"parallel" with an outside optimiser': ({ strategy }) => (isOutside(strategy) ? strategy.parallel : null),
  '"replications"': ({ replications, strategy }) => [replications, strategy.most],
  '"inputs"': (campaign) => campaign.base.filter(({ name }) => name !== saltOf(campaign)),
  '"files"': ({ files }) => files,
  '"outputs"': ({ outputs }) => outputs,
  'the version of the model': ({ model }) => model.versionId,
};

/** The settings under "search" that can change, except those that `fixedInSearch` forbids. */
const freeInSearch = ['"stop"', '"parallel"', '"order"', '"confirm"', '"require"', '"over"'];

function isOutside({ method }: Search): boolean {
  return typeof method === 'object';
}

/** A method without the folder of an outside optimiser's program, for a comparison. */
function withoutFolder(method: Search['method']): unknown {
  return typeof method === 'string' ? method : [method.command, method.options, method.timeout];
}

/** @throws ForayError CHANGE_REFUSED */
export function checkSearchChange(before: Campaign, after: Campaign): void {
  if (!hasStrategy(before, 'search') || !hasStrategy(after, 'search'))
    throw new ForayError(
      'CHANGE_REFUSED',
      'A search that has begun cannot become a campaign of another kind.',
      {
        hint: 'Submit the definition as a new campaign, which reuses the runs of this one.',
      },
    );
  const differing = Object.entries(fixedInSearch)
    .filter(([, of]) => !isSame(of(before), of(after)))
    .map(([name]) => name);
  if (!hasSameInputs(before.strategy, after.strategy)) differing.unshift('"over" apart from the bounds');
  if (differing.length === 0) return;
  const what = differing.join(', ');
  throw new ForayError('CHANGE_REFUSED', `In a search that has begun, ${what} cannot change.`, {
    hint: `${freeIn(before)} can change. Submit the definition as a new campaign, which reuses the runs of this one.`,
  });
}

/** The list of settings of a search that can change, such as `"stop", "order" and the bounds under "over"`. */
function freeIn(campaign: SearchCampaign): string {
  // a setting that is fixed only in some searches, such as '"over" with an outside optimiser', is null in the others
  const isFixed = (name: string): boolean =>
    Object.entries(fixedInSearch).some(([what, of]) => what.startsWith(`${name} `) && of(campaign) !== null);
  const names = freeInSearch.filter((name) => !isFixed(name));
  const last = names.pop()!;
  return `${names.join(', ')} and ${last === '"over"' ? 'the bounds under "over"' : last}`;
}

/** The settings of a search that a change may change, with their names in messages. */
const namedInSearch: Partial<Record<keyof Search, string>> = {
  inputs: 'the bounds under search.over',
  require: 'search.require',
  parallel: 'search.parallel',
  order: 'search.order',
  stop: 'search.stop',
  confirm: 'search.confirm',
};

/** Whether two searches are over the same inputs, apart from bounds and the values of choices. */
function hasSameInputs({ inputs }: Search, { inputs: others }: Search): boolean {
  const withoutBounds = (input: SearchedInput): unknown =>
    input.kind === 'choice' ? { ...input, values: null } : { ...input, min: null, max: null };
  return isSame(inputs.map(withoutBounds), others.map(withoutBounds));
}

/** Whether the bounds of a search, or the values that it chooses from, differ. */
export function hasOtherBounds(before: Search, after: Search): boolean {
  return !isSame(before.inputs, after.inputs);
}

export function hasOtherRequirements(before: Search, after: Search): boolean {
  return !isSame(before.require, after.require);
}

/** The settings of a search that a change changes, by their names in messages. */
export function searchChanges(before: Strategy, after: Strategy): string[] {
  if (before.by !== 'search' || after.by !== 'search' || isSame(before, after)) return [];
  return Object.entries(namedInSearch)
    .filter(([key]) => !isSame(before[key as keyof Search], after[key as keyof Search]))
    .map(([, name]) => name);
}

/** The changed campaign, in which the program of an outside optimiser stays in its folder. */
export function keptSearch(before: Campaign, after: Campaign): Campaign {
  if (!hasStrategy(before, 'search') || !hasStrategy(after, 'search')) return after;
  return { ...after, strategy: { ...after.strategy, method: before.strategy.method } };
}
