import type { Ask, SearchStep } from '../campaign/search/log.ts';
import type { CampaignBy } from '../campaign/types.ts';
import type { History } from './history.ts';
import { type FinishedPoints, type FinishedRun, isFeasible, type PointReader } from './point-value.ts';
import { nextOfRace } from './selection/race.ts';

/** A point gets no more replications if it is worse than the best point with this confidence. */
const RACE_CONFIDENCE = 0.95;

/** Decides how many replications the points of a search get. */
export class Replications {
  readonly #campaign: CampaignBy<'search'>;
  readonly #history: History;
  readonly #reader: PointReader;

  constructor(campaign: CampaignBy<'search'>, history: History, reader: PointReader) {
    this.#campaign = campaign;
    this.#history = history;
    this.#reader = reader;
  }

  /**
   * Further replications of the points whose value was not told yet, until each of them is compared well enough with
   * the best point (`nextOfRace`).
   */
  further(finished: FinishedPoints): SearchStep['replications'] {
    const { asks, told } = this.#history;
    return asks.slice(told).flatMap((ask) => {
      const runs = ask.ordinal === null ? undefined : finished.get(ask.ordinal);
      const wanted = runs && this.#wanted(ask, runs, finished);
      return wanted && wanted > runs.length
        ? [{ ordinal: ask.ordinal!, from: runs.length + 1, to: wanted }]
        : [];
    });
  }

  /** The runs of an ask, if all of its replications have finished. */
  whole(ask: Ask, finished: FinishedPoints): readonly FinishedRun[] | undefined {
    const runs = ask.ordinal === null ? undefined : finished.get(ask.ordinal);
    const wanted = runs && this.#wanted(ask, runs, finished);
    return wanted !== undefined && wanted <= runs!.length ? runs : undefined;
  }

  /**
   * The ask with which an ask is compared: the best one at the time of the ask; null if there was no best one. If all
   * points have the same seeds, an ask that knew no value is compared with the first ask. The result is then undefined
   * until the value of the first ask was told.
   */
  rivalOf(ask: Ask): Ask | null | undefined {
    const { asks, told } = this.#history;
    const needsFirst = this.#campaign.commonRandomNumbers && ask !== asks[0];
    const seen = Math.max(ask.seen, needsFirst ? 1 : 0);
    return seen > told ? undefined : (this.#history.bestOf(seen) ?? null);
  }

  /**
   * The number of replications for a point, which depends on its runs and on the runs of its rival. Undefined until the
   * rival is known.
   */
  #wanted(ask: Ask, runs: readonly FinishedRun[], finished: FinishedPoints): number | undefined {
    const { strategy, replications, commonRandomNumbers } = this.#campaign;
    const { most } = strategy;
    if (most === null) return replications;
    const rival = this.rivalOf(ask);
    if (rival === undefined) return undefined;
    const finishedOfRival = rival && finished.get(rival.ordinal!);
    const rivalRuns = finishedOfRival && this.#reader.runsOf(finishedOfRival, rival.told!);
    const wanted = nextOfRace({
      values: this.#reader.valuesOf(runs),
      rival: rivalRuns ? this.#reader.valuesOf(rivalRuns) : null,
      isPaired: commonRandomNumbers,
      isShare: this.#reader.isShare,
      min: replications,
      max: most,
      confidence: RACE_CONFIDENCE,
    });
    // the first seeds may be good for all points, so a mean over them must not win against a mean over more seeds
    return commonRandomNumbers && this.#isBest(runs, rival)
      ? Math.max(wanted, rivalRuns?.length ?? most)
      : wanted;
  }

  /** Whether the mean of a point would make it the best point. */
  #isBest(runs: readonly FinishedRun[], rival: Ask | null): boolean {
    const { value, excess } = this.#reader.valueOf(runs);
    if (value === null || !isFeasible({ excess })) return false;
    return rival === null || value < rival.told!.value!;
  }
}
