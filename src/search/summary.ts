import { valueOf } from '../campaign/designs/input-types.ts';
import type {
  Ask,
  SearchEvent,
  SearchLog,
  SearchStage,
  StopReason,
  UnusedPoints,
} from '../campaign/search/log.ts';
import { stageOf, stopOf } from '../campaign/search/log.ts';
import { nameOfMethod } from '../campaign/search/search.ts';
import type { Campaign, RawValue } from '../campaign/types.ts';
import { runsAfter } from './compare-finalists.ts';
import { History } from './history.ts';
import { intervalOf } from './interval.ts';
import { keysOf } from './point-keys.ts';
import { type FinishedPoints, type FinishedRun, PointReader } from './point-value.ts';

/** The state of a search, and its results so far. */
export interface SearchSummary {
  /** The name of a built-in method, or the command of an outside optimiser. */
  method: string;
  stage: SearchStage;
  /** Numbers of points that were asked, that have a value, and that failed. */
  asked: number;
  told: number;
  failed: number;
  /** Points of another campaign that the search began with. */
  known: number;
  /** The other points of that campaign, by the reason why the search does not use them. */
  unused: UnusedPoints[];
  /** Null while no point meets the requirements. */
  best: BestPoint | null;
  /** Why the search stopped asking for points; null while it goes on. */
  stoppedBy: StopReason | null;
}

/** The best point of a search. */
export interface BestPoint {
  ordinal: number;
  key: string;
  /** Its values of the searched inputs. */
  inputs: Record<string, RawValue>;
  /** The mean of the output of the goal: after the comparison, over runs that did not choose the point. */
  value: number;
  /** The confidence interval of that mean; null for one run, and if all runs have the same value. */
  interval: [number, number] | null;
  /** The number of those runs. */
  runs: number;
  /** The best value of a point during the search. It is too good if chance affects the output. */
  seen: number;
  /**
   * Whether no other finalist is better by more than the indifference, with the confidence; null until the value comes
   * from runs that did not choose the point.
   */
  isSure: boolean | null;
}

/** The points whose runs a summary needs: the winner and the best of the log. */
export function summarizedPoints(log: SearchLog): number[] {
  const winner = winnerOf(log.events);
  const best = winner?.ordinal ?? new History(log.asks).bestOf()?.ordinal;
  return typeof best === 'number' ? [best] : [];
}

/** @param campaign - one with a search */
export function summaryOf(campaign: Campaign, log: SearchLog, finished: FinishedPoints): SearchSummary {
  const history = new History(log.asks);
  const known = log.events.find((event) => event.kind === 'known');
  const points = log.asks.filter(
    ({ ordinal, values }, at) => ordinal !== null && history.firstOf(values) === at,
  );
  const told = points.filter((ask) => ask.told !== null);
  const failed = told.filter((ask) => ask.told!.value === null).length;
  return {
    method: nameOfMethod(campaign.search!.method),
    stage: stageOf(log),
    asked: points.length,
    told: told.length - failed,
    failed,
    known: known?.points.length ?? 0,
    unused: known?.unused ?? [],
    best: bestPoint(campaign, log, history, finished),
    stoppedBy: stopOf(log),
  };
}

function bestPoint(
  campaign: Campaign,
  log: SearchLog,
  history: History,
  finished: FinishedPoints,
): BestPoint | null {
  const incumbent = history.bestOf();
  if (!incumbent) return null;
  const reader = new PointReader(campaign);
  const seen = reader.signed(incumbent.told!.value!);
  const winner = winnerOf(log.events);
  if (winner) {
    const ask = log.asks.find(({ ordinal }) => ordinal === winner.ordinal)!;
    const fresh = runsAfter(finished, winner.ordinal, winner.after);
    if (fresh.length > 0) return { ...shown(campaign, ask, reader, fresh), seen, isSure: winner.isSure };
    // its further replications are still running, or it has none because its runs do not differ: its known runs have
    // chosen it
    return { ...shown(campaign, ask, reader, finished.get(winner.ordinal) ?? []), seen, isSure: null };
  }
  // none of the finalists meets the requirements, as their new replications show
  if (stageOf(log) === 'over' && log.events.some((event) => event.kind === 'finalists')) return null;
  const runs = finished.get(incumbent.ordinal!) ?? [];
  return { ...shown(campaign, incumbent, reader, runs.slice(0, incumbent.told!.runs)), seen, isSure: null };
}

function shown(
  campaign: Campaign,
  ask: Ask,
  reader: PointReader,
  runs: readonly FinishedRun[],
): Omit<BestPoint, 'seen' | 'isSure'> {
  const { search } = campaign;
  const read = reader.valueOf(runs);
  const told = read.value === null ? ask.told! : read;
  const mean = reader.signed(told.value!);
  return {
    ordinal: ask.ordinal!,
    key: keysOf(campaign)(ask.values).key,
    inputs: Object.fromEntries(
      search!.inputs.map(({ name, type }, at) => [name, valueOf(type, ask.values[at]!)]),
    ),
    value: mean,
    interval: intervalOf(campaign, mean, told),
    runs: told.runs,
  };
}

/** The winner of the comparison, unless it was rejected. */
export function winnerOf(
  events: readonly SearchEvent[],
): Extract<SearchEvent, { kind: 'winner' }> | undefined {
  const last = events.findLast((event) => event.kind === 'winner' || event.kind === 'rejected');
  return last?.kind === 'winner' ? last : undefined;
}
