import { byName } from '../../api/index.ts';
import type { Batched } from '../../batched.ts';
import { limitsAt } from '../../campaign/draws.ts';
import type { Measure } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { FinishedRow, ResultRow } from '../../store/index.ts';
import { type PointResult, pointsOf } from '../summary/points.ts';
import { countPoint, judge, preciseMeasures } from '../summary/precise-points.ts';
import {
  dataSetsOf,
  PointGatherer,
  RunGatherer,
  type ShownMeasures,
  shownOf,
  type Summary,
  type SummaryOptions,
} from '../summary/summary.ts';
import { PointSamples } from './point-samples.ts';

/** The maximum number of runs of a campaign. A point cannot have more replications. */
const MOST_RUNS = 10_000_000;

/** A point with a finished run. */
interface SeenPoint {
  /** The number of the point in the store. */
  ordinal: number;
  /** The place of the point in the design. */
  position: number;
  key: string;
  values: readonly string[];
  draws: number;
  /** The number of finished runs. */
  runs: number;
  /** The number of finished runs that did not fail. */
  done: number;
}

/**
 * A summary that can be read at any moment. Runs are added in any order. For each point, the summary keeps samples of
 * some outputs, without their values. So its memory grows with the number of points and the number of failed runs, and
 * not with the number of all runs.
 */
export class LiveSummary {
  readonly #campaign: Campaign;
  readonly #asked: readonly Measure[];
  readonly #shown: ShownMeasures;
  readonly #runs: RunGatherer;
  readonly #precise: readonly Measure[];
  /** Samples of outputs by which points are ranked or that must be precise, by the name of the output. */
  readonly #samples: Map<string, { measure: Measure; samples: PointSamples }>;
  /** The points by ordinal. */
  readonly #points: (SeenPoint | undefined)[] = [];
  /** The numbers (seq) of the failed runs. */
  readonly #failed = new Set<number>();

  /**
   * Whether the summary needs only samples without their values. Quantiles need every value, and each generation of a
   * calibration has other runs whose curves are drawn.
   */
  static isEnough(campaign: Campaign, asked: readonly Measure[]): boolean {
    return (
      campaign.strategy.by !== 'calibration' &&
      sampledOf(campaign, asked).every(({ statistic }) => statistic !== 'quantile')
    );
  }

  /** @param axes - the axes that a reader has chosen */
  constructor(campaign: Campaign, asked: readonly Measure[], axes?: SummaryOptions['axes']) {
    this.#campaign = campaign;
    this.#asked = asked;
    this.#shown = shownOf(campaign, asked);
    this.#runs = new RunGatherer(campaign, this.#shown, { axes });
    this.#precise = preciseMeasures(campaign);
    this.#samples = new Map(
      sampledOf(campaign, asked).map((measure) => [measure.name, { measure, samples: new PointSamples() }]),
    );
  }

  /** How many runs have failed. */
  get failed(): number {
    return this.#failed.size;
  }

  /**
   * Adds a finished run. Returns false if this run had failed before and was requested again. The summary cannot remove
   * the earlier failure, so the caller must begin a new summary.
   */
  add({ seq, ordinal, position, row }: FinishedRow): boolean {
    if (this.#failed.has(seq)) return false;
    this.#runs.add(row, position * MOST_RUNS + row.replication);
    const point = (this.#points[ordinal] ??= {
      ordinal,
      position,
      key: row.point,
      values: row.values,
      draws: row.draws ?? 1,
      runs: 0,
      done: 0,
    });
    point.runs += 1;
    if (row.status === 'failed') {
      this.#failed.add(seq);
      return true;
    }
    point.done += 1;
    for (const { measure, samples } of this.#samples.values()) {
      const value = measure.read(row.outputs);
      if (value === undefined) continue;
      samples.add(ordinal, value);
      if (this.#samples.size > 1) this.#forgetAfter(measure);
    }
    return true;
  }

  /** Forgets the ranked outputs after one that has a value, if only the first output with values is drawn. */
  #forgetAfter({ name }: Measure): void {
    const { ranked, areAllDrawn } = this.#shown;
    const at = ranked.findIndex((one) => one.name === name);
    if (areAllDrawn || at < 0) return;
    for (const after of ranked.slice(at + 1))
      if (!this.#precise.some((one) => one.name === after.name)) this.#samples.delete(after.name);
  }

  /**
   * @param rowsOf - reads the finished runs of a point in the order of their replications. It is called only for the few
   * best points, because only for these the page shows the values of all outputs
   * @param options - the current options
   */
  async summary(
    rowsOf: (key: string) => Batched<ResultRow>,
    options: Pick<SummaryOptions, 'goal' | 'found' | 'axes'> = {},
  ): Promise<Summary> {
    const points = this.#points.filter((point) => point !== undefined);
    points.sort((a, b) => a.position - b.position || a.ordinal - b.ordinal);
    const gatherer = new PointGatherer(this.#campaign, this.#asked, this.#shown, options);
    const precision = { precise: 0, imprecise: 0, withoutValue: 0 };
    for (const point of points) {
      if (this.#campaign.precision) {
        const samples = this.#precise.map(({ name }) => this.#samples.get(name)!.samples.at(point.ordinal));
        const limits = limitsAt(this.#campaign, this.#campaign.precision, point.draws);
        countPoint(precision, judge(limits, this.#precise, point.runs, samples), samples);
      }
      if (point.done > 0) gatherer.add(this.#resultOf(point));
    }
    const found = gatherer.result();
    const best: PointResult[] = [];
    for (const { key } of found.best) best.push(...(await this.#inFull(rowsOf(key))));
    return { ...found, best, ...this.#runs.result(best[0]), precision };
  }

  #resultOf({ ordinal, key, values, draws, done }: SeenPoint): PointResult {
    const samples = this.#samples.entries().map(([name, each]) => [name, each.samples.at(ordinal)] as const);
    const named = byName(Object.fromEntries(samples));
    return { key, values, draws, runs: done, failed: 0, samples: named, curves: byName({}) };
  }

  /** The point of some rows with the values of all outputs; empty if no run is done. */
  #inFull(rows: Batched<ResultRow>): Promise<PointResult[]> {
    const done = rows.filter(({ status }) => status === 'done');
    return Array.fromAsync(pointsOf(done, this.#shown.measures, dataSetsOf(this.#campaign)));
  }
}

/** The outputs for which the summary keeps a sample of each point. */
function sampledOf(campaign: Campaign, asked: readonly Measure[]): Measure[] {
  return [...shownOf(campaign, asked).ranked, ...preciseMeasures(campaign)];
}
