import { setImmediate as breath } from 'node:timers/promises';
import {
  type Ask,
  type PointValue,
  type SearchEvent,
  type SearchLog,
  type SearchStage,
  type SearchStep,
  stageOf,
  type StopReason,
} from '../campaign/search/log.ts';
import type { Campaign } from '../campaign/types.ts';
import { hasSeed } from '../campaign/seeds.ts';
import { compareFinalists, comparisonOf, finalistsOf, isConfirmed, reportWinner } from './confirm.ts';
import { History } from './history.ts';
import { keysOf } from './keys.ts';
import { type FinishedPoints, type FinishedRun, PointReader } from './point-value.ts';
import { type ProposedPoint, Proposer, RECOMMENDED } from './proposer.ts';
import { nextOfRace } from './selection/race.ts';
import { stopReason } from './stop.ts';

/** Confidence with which a point is left out that is worse than the best one. */
const RACE_CONFIDENCE = 0.95;
/** The value of what was not run. */
const REFUSED: PointValue = { value: null, variance: null, runs: 0, excess: [] };

/**
 * The course of a search. It can be made anew from the log at any time, and is kept only because that takes time: each step is a
 * function of the campaign, the log and the runs that the log waits for.
 */
export class SearchCourse {
  readonly history: History;
  readonly events: SearchEvent[];
  private readonly campaign: Campaign;
  private readonly reader: PointReader;
  private readonly proposer: Proposer;
  private readonly pointOf: ReturnType<typeof keysOf>;
  private isExhausted = false;
  private finished: FinishedPoints = new Map();
  private result = emptyStep();

  private constructor(campaign: Campaign, log: SearchLog) {
    this.campaign = campaign;
    this.history = new History(log.asks);
    this.events = [...log.events];
    this.reader = new PointReader(campaign);
    const { search, base, seed } = campaign;
    this.proposer = new Proposer({ search: search!, base, seed: seed ?? 0, isNoisy: isNoisy(campaign) });
    this.pointOf = keysOf(campaign);
  }

  /** @param campaign - one with a search */
  static async of(campaign: Campaign, log: SearchLog): Promise<SearchCourse> {
    const course = new SearchCourse(campaign, log);
    await course.proposer.catchUp(log.asks);
    return course;
  }

  get stage(): SearchStage {
    return stageOf(this);
  }

  get length(): { asks: number; events: number } {
    return { asks: this.history.asks.length, events: this.events.length };
  }

  /** The points whose runs the next step depends on. */
  awaited(): number[] {
    const { asks, told } = this.history;
    if (this.stage === 'over') return [];
    if (this.stage === 'comparing' || this.stage === 'reporting')
      return this.events.flatMap((event) => (event.kind === 'finalists' ? event.ordinals : []));
    const open = asks.slice(told).flatMap(({ ordinal }) => ordinal ?? []);
    const rivals =
      this.campaign.search!.most === null
        ? []
        : asks.slice(told).flatMap(({ seen }) => this.history.bestOf(seen)?.ordinal ?? []);
    return [...new Set([...open, ...rivals])];
  }

  /**
   * What is next. It is to be written to the log; where that fails the course is of no more use. A method may compute for a second:
   * others get their turn after each ask.
   */
  async step(finished: FinishedPoints): Promise<SearchStep> {
    this.finished = finished;
    this.result = emptyStep();
    const { stage, campaign, reader } = this;
    if (stage === 'searching' || stage === 'finishing') await this.search();
    else if (stage === 'comparing') {
      const comparison = { rule: comparisonOf(campaign), report: campaign.search!.confirm!.report };
      this.result = { ...this.result, ...compareFinalists(comparison, this.events, finished, reader) };
    } else if (stage === 'reporting')
      this.result = { ...this.result, ...reportWinner(this.events, finished, reader) };
    this.events.push(...this.result.events);
    return this.result;
  }

  /** Takes in which points the asks of the last step became. */
  written(ordinals: readonly (number | null)[]): void {
    const { asks } = this.history;
    const first = asks.length - ordinals.length;
    for (const [at, ordinal] of ordinals.entries()) asks[first + at]!.ordinal = ordinal;
  }

  private async search(): Promise<void> {
    this.race();
    while (this.askNext()) await breath();
    const stop = this.stopped();
    if (!stop) return;
    if (this.stage === 'searching') this.result.events.push({ kind: 'stopped', by: stop });
    while (this.tellNext());
    if (this.history.told < this.history.asks.length || this.askRecommended()) return;
    this.finish();
  }

  /** Gives open points more replications that cannot be told from the best one yet. */
  private race(): void {
    const { asks, told } = this.history;
    for (const ask of asks.slice(told)) {
      const runs = ask.ordinal === null ? undefined : this.finished.get(ask.ordinal);
      const wanted = runs && this.wantedReplications(ask, runs);
      if (wanted && wanted > runs.length)
        this.result.replications.push({ ordinal: ask.ordinal!, from: runs.length + 1, to: wanted });
    }
  }

  /** How many replications a point is to have, as its runs and those of the best point at the time of its ask tell. */
  private wantedReplications(ask: Ask, runs: readonly FinishedRun[]): number {
    const { search, replications, commonRandomNumbers } = this.campaign;
    if (search!.most === null) return replications;
    const rival = this.history.bestOf(ask.seen);
    const rivals = rival && this.finished.get(rival.ordinal!)?.slice(0, rival.told!.runs);
    return nextOfRace({
      values: this.reader.valuesOf(runs),
      rival: rivals ? this.reader.valuesOf(rivals) : null,
      isPaired: commonRandomNumbers,
      min: replications,
      max: search!.most,
      confidence: RACE_CONFIDENCE,
    });
  }

  /** What an ask came to, once all of its runs have finished. */
  private valueOf(at: number): PointValue | undefined {
    const ask = this.history.asks[at]!;
    const first = this.history.firstOf(ask.values)!;
    // a point that was asked before has the value that was told then
    if (first < at) return this.history.asks[first]!.told ?? undefined;
    const runs = ask.ordinal === null ? undefined : this.finished.get(ask.ordinal);
    return runs && this.wantedReplications(ask, runs) <= runs.length ? this.reader.valueOf(runs) : undefined;
  }

  /** Tells the method of the next ask, if its runs have finished. */
  private tellNext(): boolean {
    const { told: at, asks } = this.history;
    if (at === asks.length) return false;
    const told = this.isRefused(at) ? REFUSED : this.valueOf(at);
    if (!told) return false;
    this.history.tell(told);
    this.proposer.tell(told);
    const first = asks.length - this.result.asks.length;
    if (at < first) this.result.tells.push({ ask: at, told });
    else this.result.asks[at - first]!.told = told;
    return true;
  }

  /** Whether an ask is no point that may be run: it has none although it was written, or was written as such just now. */
  private isRefused(at: number): boolean {
    const { asks } = this.history;
    const first = asks.length - this.result.asks.length;
    return at < first ? asks[at]!.ordinal === null : this.result.asks[at - first]!.point === null;
  }

  /** Asks for one more point, if all that it depends on is known. */
  private askNext(): boolean {
    // an ask knows all asks but those that may be open beside it: what it depends on does not depend on time
    const { history } = this;
    while (history.told < history.asks.length - this.campaign.search!.parallel + 1)
      if (!this.tellNext()) return false;
    while (!this.stopped()) {
      const proposed = this.proposer.next();
      if (proposed === 'exhausted') this.isExhausted = true;
      else if (proposed) return this.add(proposed);
      else if (!this.tellNext()) return false;
    }
    return false;
  }

  private add({ values, by, gain, isAllowed }: ProposedPoint): boolean {
    const { search, replications } = this.campaign;
    if (gain !== null && search!.stop.gain !== null && gain < search!.stop.gain) {
      this.isGainSmall = true;
      return false;
    }
    const isNew = this.history.firstOf(values) === undefined;
    const point = isAllowed ? { ...this.pointOf(values), replications: isNew ? replications : 0 } : null;
    const seen = this.history.told;
    this.result.asks.push({ point, values, by, seen, told: null });
    this.history.add({ ordinal: null, values, by, seen, told: null }, isAllowed);
    return true;
  }

  private isGainSmall = false;

  private stopped(): StopReason | undefined {
    const before = this.events.find((event) => event.kind === 'stopped');
    if (before) return before.by;
    if (this.isExhausted) return 'exhausted';
    if (this.isGainSmall) return 'gain';
    const { search, replications } = this.campaign;
    const { value } = search!.stop;
    const target = value === null ? null : this.reader.signed(value);
    return stopReason(search!.stop, this.history, { target, replications });
  }

  /** Asks for the point that the method recommends, if nobody has and it is to be compared with others. */
  private askRecommended(): boolean {
    const values = isConfirmed(this.campaign) ? this.proposer.recommend() : null;
    if (!values || this.history.firstOf(values) !== undefined || !this.proposer.isAllowed(values))
      return false;
    this.proposer.note(values, false);
    return this.add({ values, by: RECOMMENDED, gain: null, isAllowed: true });
  }

  /** All points have values: the best ones are compared, or the search is over. */
  private finish(): void {
    const { events, replications } = this.result;
    if (!isConfirmed(this.campaign) || !this.history.bestOf()) {
      events.push({ kind: 'over' });
      return;
    }
    const { ordinals, after } = finalistsOf(this.campaign, this.history, this.proposer.recommend());
    const last = after + this.campaign.search!.confirm!.replications;
    events.push({ kind: 'finalists', ordinals, after });
    for (const ordinal of ordinals) replications.push({ ordinal, from: after + 1, to: last });
  }
}

function emptyStep(): SearchStep {
  return { tells: [], asks: [], events: [], replications: [] };
}

/** Whether repeats of a point may come to other values, or other points have other seeds. */
export function isNoisy({ base, replications, search, seed, commonRandomNumbers }: Campaign): boolean {
  const repeats = replications > 1 || search!.most !== null;
  return hasSeed(base) && (repeats || (seed !== null && !commonRandomNumbers));
}
