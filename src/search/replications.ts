import type { Ask, SearchStep } from '../campaign/search/log.ts';
import type { Campaign } from '../campaign/types.ts';
import type { History } from './history.ts';
import type { FinishedPoints, FinishedRun, PointReader } from './point-value.ts';
import { nextOfRace } from './selection/race.ts';

/** A point gets no more replications if it is worse than the best point with this confidence. */
const RACE_CONFIDENCE = 0.95;

/** Decides how many replications the points of a search get. */
export class Replications {
  private readonly campaign: Campaign;
  private readonly history: History;
  private readonly reader: PointReader;

  constructor(campaign: Campaign, history: History, reader: PointReader) {
    this.campaign = campaign;
    this.history = history;
    this.reader = reader;
  }

  /**
   * Further replications of the points whose value was not told yet, until each of them is compared well enough with
   * the best point (`nextOfRace`).
   */
  further(finished: FinishedPoints): SearchStep['replications'] {
    const { asks, told } = this.history;
    return asks.slice(told).flatMap((ask) => {
      const runs = ask.ordinal === null ? undefined : finished.get(ask.ordinal);
      const wanted = runs && this.wanted(ask, runs, finished);
      return wanted && wanted > runs.length
        ? [{ ordinal: ask.ordinal!, from: runs.length + 1, to: wanted }]
        : [];
    });
  }

  /** The runs of an ask, if all of its replications have finished. */
  whole(ask: Ask, finished: FinishedPoints): readonly FinishedRun[] | undefined {
    const runs = ask.ordinal === null ? undefined : finished.get(ask.ordinal);
    return runs && this.wanted(ask, runs, finished) <= runs.length ? runs : undefined;
  }

  /**
   * The number of replications for a point. It depends on the runs of the point, and on the runs of the point that was
   * the best at the time of the ask.
   */
  private wanted(ask: Ask, runs: readonly FinishedRun[], finished: FinishedPoints): number {
    const { search, replications, commonRandomNumbers } = this.campaign;
    if (search!.most === null) return replications;
    const rival = this.history.bestOf(ask.seen);
    const known = rival && finished.get(rival.ordinal!);
    const rivals = known && this.reader.runsOf(known, rival.told!);
    return nextOfRace({
      values: this.reader.valuesOf(runs),
      rival: rivals ? this.reader.valuesOf(rivals) : null,
      isPaired: commonRandomNumbers,
      min: replications,
      max: search!.most,
      confidence: RACE_CONFIDENCE,
    });
  }
}
