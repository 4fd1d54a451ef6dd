import type { RawValue } from '../api/index.ts';
import { namedValues } from '../campaign/designs/input-types.ts';
import {
  type Ask,
  type SearchEvent,
  type SearchLog,
  type SearchStage,
  stageOf,
  stopOf,
  type StopReason,
  type UnusedPoints,
} from '../campaign/search/log.ts';
import { inputsOfSearch, nameOfMethod } from '../campaign/search/search.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { lastFinalists, newRuns, runsAfter } from './compare-finalists.ts';
import { History } from './history.ts';
import { intervalOf, type RequiredOutput, requiredAt, type Selected } from './interval.ts';
import { pointMaker } from './point-maker.ts';
import { type FinishedPoints, type FinishedRun, PointReader } from './point-value.ts';
import { areSame } from '../statistics/chance.ts';

/** The state of a search, and its results so far. */
export interface SearchSummary {
  /** The name of a built-in method, or the command of an outside optimiser. */
  method: string;
  stage: SearchStage;
  /** The number of points that the search has asked for. */
  asked: number;
  /** The number of points with a value. */
  told: number;
  /** The number of failed points. */
  failed: number;
  /**
   * Why the last of these points failed: "f has no finite value in its run". Null if no point failed, or if the failed
   * runs of the last one were requested again.
   */
  lastFailure: string | null;
  /** How many points of another campaign the search began with. */
  known: number;
  /** How many points of that campaign the search does not use, by reason. */
  unused: UnusedPoints[];
  /**
   * The best point so far; null while no point meets the requirements, and if no finalist meets them in the comparison.
   */
  best: BestPoint | null;
  /** Why the search stopped asking for points; null while it goes on. */
  stoppedBy: StopReason | null;
}

export interface BestPoint {
  /** The number of the point in the search; absent for a design. */
  ordinal?: number;
  key: string;
  /** The point's values of the searched inputs. */
  inputs: Record<string, RawValue>;
  /**
   * The mean or quantile of the goal's output. After the comparison it comes from runs that did not decide the choice.
   */
  value: number;
  /**
   * The confidence interval of the mean or share; null for a single run, for a mean if all runs have the same value, and
   * for a quantile. It allows for the choice among `among` points.
   */
  interval: [number, number] | null;
  /** The number of points from which the point was chosen by `value`; 1 if other runs decided the choice. */
  among: number;
  /** The number of other points with exactly the same value, among the points from which the point was chosen. */
  tied: number;
  /** The number of runs from which `value` was computed. */
  runs: number;
  /** The number of further runs of the point, which failed or have no value. */
  failed: number;
  /** Whether there are several runs, and all of them have the same value. */
  isEqual: boolean;
  /** The best value of a point during the search. It is too good if chance affects the output. */
  seen: number;
  choice: ChoiceState;
  /** The values of the required outputs, from the runs that decide whether the point meets the requirements. */
  required: RequiredOutput[];
}

/**
 * How certain the choice of the best point is. `compared`: with the given confidence, no other finalist that meets the
 * requirements is better by more than the indifference. `undecided`: the finalists were compared, and this is not certain.
 * `alone`: the value of the point comes from the runs that decided the choice.
 */
export type ChoiceState = 'compared' | 'undecided' | 'alone';

/** The certainty of a winner that has runs of its own. */
export function choiceOf({ isSure }: { isSure: boolean }): ChoiceState {
  return isSure ? 'compared' : 'undecided';
}

/**
 * The points whose runs `summaryOf` needs: the winner or otherwise the best point of the log, and the last failed point.
 */
export function summarizedPoints(log: SearchLog): number[] {
  const winner = winnerOf(log.events);
  const best = winner?.ordinal ?? new History(log.asks).bestOf()?.ordinal;
  return [...new Set([best, lastFailed(log)?.ordinal])].filter((ordinal) => typeof ordinal === 'number');
}

function lastFailed({ asks }: SearchLog): Ask | undefined {
  return asks.findLast(({ ordinal, told }) => ordinal !== null && told?.value === null);
}

export function summaryOf(
  campaign: CampaignBy<'search'>,
  log: SearchLog,
  finished: FinishedPoints,
): SearchSummary {
  const history = new History(log.asks);
  const known = log.events.find((event) => event.kind === 'known');
  const points = log.asks.filter(
    ({ ordinal, values }, at) => ordinal !== null && history.firstOf(values) === at,
  );
  const told = points.filter((ask) => ask.told !== null);
  const failed = told.filter((ask) => ask.told!.value === null).length;
  const last = lastFailed(log);
  const runsOfLast = (last && finished.get(last.ordinal!)) ?? [];
  return {
    method: nameOfMethod(campaign.strategy.method),
    stage: stageOf(log),
    asked: points.length,
    told: told.length - failed,
    failed,
    lastFailure: new PointReader(campaign).whyFailed(runsOfLast),
    known: known?.points.length ?? 0,
    unused: known?.unused ?? [],
    best: bestPoint(campaign, log, history, finished),
    stoppedBy: stopOf(log),
  };
}

function bestPoint(
  campaign: CampaignBy<'search'>,
  log: SearchLog,
  history: History,
  finished: FinishedPoints,
): BestPoint | null {
  const incumbent = history.bestOf();
  if (!incumbent) return null;
  const reader = new PointReader(campaign);
  const seen = reader.signed(incumbent.told!.value!);
  const winner = winnerOf(log.events);
  const candidates = history.candidates();
  const [, ...next] = candidates.map(({ told }) => told).toSorted((a, b) => a.value! - b.value!);
  const selected = { among: Math.max(1, candidates.length), next };
  if (winner) {
    const ask = log.asks.find(({ ordinal }) => ordinal === winner.ordinal)!;
    const compared = newRuns(log.events, finished, winner.ordinal);
    const further = runsAfter(finished, winner.ordinal, winner.after);
    const { ordinals } = lastFinalists(log.events);
    if (further.length > 0)
      return {
        ...pointFrom(campaign, ask, reader, further),
        // these runs have also decided which finalists meet the requirements
        required: requiredAt(campaign, reader, compared, ordinals.length),
        seen,
        tied: 0,
        choice: choiceOf(winner),
      };
    // the further replications of the winner are still running
    const runs = finished.get(winner.ordinal) ?? [];
    return { ...pointFrom(campaign, ask, reader, runs, selected), seen, tied: 0, choice: 'alone' };
  }
  // the new replications show that no finalist meets the requirements
  if (stageOf(log) === 'over' && log.events.some((event) => event.kind === 'finalists')) return null;
  const runs = finished.get(incumbent.ordinal!) ?? [];
  const { ordinal, told } = incumbent;
  const tied = candidates.filter(
    (ask) => areSame(ask.told.value!, told!.value!) && ask.ordinal !== ordinal,
  ).length;
  const used = reader.runsOf(runs, told!);
  return { ...pointFrom(campaign, incumbent, reader, used, selected), seen, tied, choice: 'alone' };
}

/** The point of an ask, by some of its runs. If they give no value, the told value counts. */
function pointFrom(
  campaign: CampaignBy<'search'>,
  ask: Ask,
  reader: PointReader,
  runs: readonly FinishedRun[],
  selected: Selected = { among: 1, next: [] },
): Omit<BestPoint, 'seen' | 'tied' | 'choice'> {
  const read = reader.valueOf(runs);
  const told = read.value === null ? ask.told! : read;
  const mean = reader.signed(told.value!);
  return {
    ordinal: ask.ordinal!,
    key: pointMaker(campaign)(ask.values).key,
    inputs: namedValues(inputsOfSearch(campaign.strategy), ask.values),
    value: mean,
    interval: intervalOf(campaign, reader, mean, told, selected),
    among: selected.among,
    runs: told.runs,
    failed: told.failed ?? 0,
    isEqual: reader.areEqual(runs),
    required: requiredAt(campaign, reader, runs, selected.among),
  };
}

/** The winner of the comparison, unless it was rejected. */
export function winnerOf(
  events: readonly SearchEvent[],
): Extract<SearchEvent, { kind: 'winner' }> | undefined {
  const last = events.findLast((event) => event.kind === 'winner' || event.kind === 'rejected');
  return last?.kind === 'winner' ? last : undefined;
}
