import type { Batched } from '../batched.ts';
import { type Curve, curveOf, valueAt } from '../campaign/curves.ts';
import { type Drawing, hasRunsPerDraw } from '../campaign/draws.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import type { Measure } from '../campaign/measures.ts';
import type { Campaign } from '../campaign/types.ts';
import { quantile } from '../statistics/quantile.ts';
import { sumOf } from '../statistics/sample.ts';
import type { Chance } from './analysis.ts';
import { ChanceSums } from './chance.ts';
import { analyzedDesign } from './design.ts';
import { GrowingArray } from './growing-array.ts';
import { MissingValues, ONE_ROW, partOfRun, type PointRows } from './missing.ts';
import { PointTable } from './points.ts';
import { type ErrorVariance, Replicates } from './replicates.ts';

export interface FinishedRun {
  point: string;
  replication: number;
  status: 'done' | 'failed';
  values: readonly string[];
  outputs: Readonly<Record<string, string>>;
  draws?: number | undefined;
}

/** The collected values of a campaign's points. */
export interface GatheredPoints {
  table: PointTable;
  columns: OutputColumn[];
  curves: CurveColumns[];
}

/** Numbers at each point: the mean or a quantile over the runs of the point; NaN without values. */
export class ValueColumn {
  /** The number of runs with a value. */
  runs = 0;
  /** The values of the runs, if they are kept. */
  readonly replicates: Replicates | undefined;
  readonly #means: GrowingArray;
  /** The probability of the quantile; undefined for a mean. Nothing is known about the chance in a quantile. */
  readonly #quantile: number | undefined;
  readonly #chance = new ChanceSums();
  /** The rows of the current point, and its values by part. */
  #rows = ONE_ROW;
  #own: number[][] = [];

  /** @param points - the approximate number of points, for which memory is reserved */
  constructor(keepsRuns: boolean, points?: number, quantile?: number) {
    this.replicates = keepsRuns && quantile === undefined ? new Replicates() : undefined;
    this.#means = new GrowingArray(points);
    this.#quantile = quantile;
  }

  get means(): Float64Array {
    return this.#means.values;
  }

  chance(isPaired: boolean): Chance | undefined {
    return this.#quantile === undefined ? this.#chance.shares(isPaired) : undefined;
  }

  /** The variance of chance in the mean of a point. */
  error(isPaired: boolean): ErrorVariance | undefined {
    return this.#quantile === undefined ? this.#chance.error(isPaired) : undefined;
  }

  /** Whether nothing shows the chance in these numbers (`ChanceSums.isUnknown`). */
  hasUnknownChance(isPaired: boolean): boolean {
    return this.#chance.isUnknown(isPaired);
  }

  get isOfOneReplication(): boolean {
    return this.#chance.isOfOneReplication;
  }

  /** Begins a point. */
  open(rows: PointRows): void {
    this.#rows = rows;
    this.#own = Array.from({ length: rows.parts }, () => []);
    this.replicates?.nextPoint();
  }

  addValue(replication: number, value: number): void {
    this.runs += 1;
    this.#own[partOfRun(replication, this.#rows)]!.push(value);
    this.#chance.note(replication);
    this.replicates?.add(replication, value);
  }

  close(): void {
    for (const own of this.#own) {
      const value = own.length > 0 ? this.#valueOf(own) : NaN;
      // copies of a row have the same runs
      if (own.length > 0) this.#chance.add(own);
      for (let copy = 0; copy < this.#rows.copies; copy += 1) this.#means.push(value);
    }
  }

  #valueOf(own: readonly number[]): number {
    if (this.#quantile !== undefined) return quantile(Float64Array.from(own).sort(), this.#quantile);
    return sumOf(own) / own.length;
  }
}

/** An output at each point: the mean, share or quantile over the runs of the point; NaN without values. */
export class OutputColumn extends ValueColumn {
  readonly measure: Measure;
  readonly missing: MissingValues;

  constructor(
    measure: Measure,
    { keepsRuns, points, missing }: { keepsRuns: boolean; points: number; missing: MissingValues },
  ) {
    super(keepsRuns, points, measure.statistic === 'quantile' ? measure.probability : undefined);
    this.measure = measure;
    this.missing = missing;
  }

  override open(rows: PointRows): void {
    super.open(rows);
    this.missing.open(rows);
  }

  add({ replication, outputs, status }: FinishedRun): void {
    const value = status === 'done' ? this.measure.read(outputs) : undefined;
    this.missing.add(replication, value !== undefined);
    if (value !== undefined) this.addValue(replication, value);
  }

  override close(): void {
    super.close();
    this.missing.close();
  }
}

/**
 * The maximum number of values of one curve output in memory. With very many points, there are more values:
 * `FEWEST_TIMES` for each point.
 */
const MOST_VALUES = 4e6;
/** The maximum number of times of a curve that are analyzed. With many points, fewer times are analyzed. */
const MOST_TIMES = 60;
/** The number of times that are analyzed with very many points. */
const FEWEST_TIMES = 6;

/**
 * A curve (DATA_SET) at each point: the mean over the runs of the point, at some times. The times are those of the
 * first run that has the curve. If this run has too many times, evenly spaced times between its first and last time are
 * used instead.
 */
export class CurveColumns {
  readonly name: string;
  /** The times, each with the values of all points. */
  times: { time: number; column: ValueColumn }[] = [];
  /** The runs whose curve does not have all times; runs without a curve are among them. */
  readonly missing: MissingValues;
  /** The number of runs with a curve. */
  runs = 0;
  /** The number of finished runs, also of failed ones. */
  finished = 0;
  /** The first and the last time of the first run's curve. */
  span: [from: number, to: number] = [NaN, NaN];
  /** The first and the last time of all curves. */
  wholeSpan: [from: number, to: number] = [Infinity, -Infinity];
  /** The maximum number of times. */
  readonly #most: number;
  readonly #keepsRuns: boolean;
  /** The rows of each point so far; the last point may be open. They are kept until there are times. */
  #rows: PointRows[] = [];

  /** @param numbers - the approximate number of values at each time */
  constructor(
    name: string,
    { numbers, keepsRuns, missing }: { numbers: number; keepsRuns: boolean; missing: MissingValues },
  ) {
    this.name = name;
    this.missing = missing;
    this.#keepsRuns = keepsRuns;
    const most = Math.floor(MOST_VALUES / numbers);
    this.#most = Math.min(MOST_TIMES, Math.max(FEWEST_TIMES, most));
  }

  get isOfOneReplication(): boolean {
    return this.times.every(({ column }) => column.isOfOneReplication);
  }

  /** Begins a point. */
  open(rows: PointRows): void {
    this.missing.open(rows);
    if (this.times.length === 0) this.#rows.push(rows);
    for (const { column } of this.times) column.open(rows);
  }

  add({ replication, outputs, status }: FinishedRun): void {
    this.finished += 1;
    const curve = status === 'done' ? curveOf(outputs[this.name])?.sort(([a], [b]) => a - b) : undefined;
    if (!curve || curve.length === 0) return this.missing.add(replication, false);
    if (this.times.length === 0) this.#chooseTimes(curve);
    const [from, to] = this.wholeSpan;
    this.wholeSpan = [Math.min(from, curve[0]![0]), Math.max(to, curve.at(-1)![0])];
    let isWhole = true;
    for (const { time, column } of this.times) {
      const value = valueAt(curve, time);
      if (value === undefined) isWhole = false;
      else column.addValue(replication, value);
    }
    this.missing.add(replication, isWhole);
    this.runs += 1;
  }

  close(): void {
    this.missing.close();
    for (const { column } of this.times) column.close();
  }

  /** Chooses the times of the first curve, and makes their columns. The points before it have no values. */
  #chooseTimes(curve: Curve): void {
    const all = [...new Set(curve.map(([x]) => x))];
    const [first, last] = (this.span = [all[0]!, all.at(-1)!]);
    const most = this.#most;
    const chosen =
      all.length <= most
        ? all
        : Array.from({ length: most }, (_, at) => first + ((last - first) * at) / (most - 1));
    this.times = chosen.map((time) => ({ time, column: new ValueColumn(this.#keepsRuns) }));
    for (const { column } of this.times)
      for (const [point, rows] of this.#rows.entries()) {
        if (point > 0) column.close();
        column.open(rows);
      }
    this.#rows = [];
  }
}

/** Options for collecting a campaign's runs. */
export interface Gathering {
  measures: readonly Measure[];
  /** Names of the curves that are kept. */
  dataSets: readonly string[];
  /** Whether each run's value is kept. */
  keepsRuns: boolean;
  /** The approximate number of points, each as often as it was drawn. */
  points: number;
}

/** The part of a campaign that decides how its runs are collected. */
type GatheredCampaign = Drawing & Pick<Campaign, 'varied'>;

/** Collects all runs of a campaign. Runs must be in design order. */
export async function gathered(
  runs: Batched<FinishedRun>,
  campaign: GatheredCampaign,
  { measures, ...of }: Gathering,
): Promise<GatheredPoints> {
  const gatherer = new PointGatherer(campaign, measures, of);
  for await (const batch of runs.batches) for (const run of batch) gatherer.add(run);
  return gatherer.result();
}

/** Collects finished runs into columns. Runs must be in design order, so that the runs of a point are adjacent. */
export class PointGatherer {
  readonly #table: PointTable;
  readonly #columns: OutputColumn[];
  readonly #curves: CurveColumns[];
  /** Whether the points are a sample. Other methods of analysis go through the rows of the design. */
  readonly #isSample: boolean;
  readonly #hasRunsPerDraw: boolean;
  /**
   * The last replication of each point that counts. A selection gives further ones to points by their results, so only the
   * first ones are a fair sample: a point that looks bad by bad luck gets no runs that would correct it.
   */
  readonly #last: number;
  #point: string | undefined;

  constructor(
    campaign: GatheredCampaign,
    measures: readonly Measure[],
    { dataSets, keepsRuns, points }: Omit<Gathering, 'measures'>,
  ) {
    const { method } = analyzedDesign(campaign);
    this.#isSample = method === 'regression';
    this.#hasRunsPerDraw = hasRunsPerDraw(campaign);
    this.#table = new PointTable(campaign.varied, points);
    const { commonRandomNumbers, replications } = campaign;
    const missing = (): MissingValues => new MissingValues(campaign, points);
    this.#last = hasStrategy(campaign, 'selection') ? replications : Infinity;
    this.#columns = measures.map(
      (measure) => new OutputColumn(measure, { keepsRuns, points, missing: missing() }),
    );
    // With common random numbers, curves keep their runs, because only these tell an effect from chance. If an effect is
    // the difference of two points, they keep them too, because the runs of a third point must not decide about it.
    const ofCurves =
      keepsRuns && (commonRandomNumbers || method === 'one-at-a-time')
        ? { numbers: points * replications, keepsRuns: true }
        : { numbers: points, keepsRuns: false };
    this.#curves = dataSets.map((name) => new CurveColumns(name, { ...ofCurves, missing: missing() }));
  }

  add(run: FinishedRun): void {
    if (run.replication > this.#last) return;
    if (run.point !== this.#point) {
      this.#close();
      this.#point = run.point;
      const rows = this.#rowsOf(run);
      for (let draw = 0; draw < rows.parts * rows.copies; draw += 1) this.#table.add(run.values, draw);
      for (const column of [...this.#columns, ...this.#curves]) column.open(rows);
    }
    for (const column of this.#columns) column.add(run);
    for (const curve of this.#curves) curve.add(run);
  }

  /** The columns of all points. No run may be added afterwards. */
  result(): GatheredPoints {
    this.#close();
    return { table: this.#table, columns: this.#columns, curves: this.#curves };
  }

  #rowsOf({ draws = 1 }: FinishedRun): PointRows {
    if (draws === 1 || !this.#isSample) return ONE_ROW;
    return this.#hasRunsPerDraw ? { parts: draws, copies: 1 } : { parts: 1, copies: draws };
  }

  #close(): void {
    if (this.#point === undefined) return;
    this.#point = undefined;
    for (const column of this.#columns) column.close();
    for (const curve of this.#curves) curve.close();
  }
}
