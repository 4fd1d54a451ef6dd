import type { Batched } from '../batched.ts';
import { type Curve, curveOf, valueAt } from '../campaign/curves.ts';
import type { Measure } from '../campaign/measures.ts';
import type { Campaign, VariedInput } from '../campaign/types.ts';
import { quantile } from '../statistics/quantile.ts';
import type { Chance } from './analysis.ts';
import { ChanceSums } from './chance.ts';
import { GrowingArray } from './growing-array.ts';
import { PointTable } from './points.ts';
import { type ErrorVariance, Replicates } from './replicates.ts';

/** A finished run. */
export interface FinishedRun {
  point: string;
  replication: number;
  status: 'done' | 'failed';
  values: readonly string[];
  outputs: Readonly<Record<string, string>>;
}

/** The collected values of a campaign's points. */
export interface GatheredPoints {
  table: PointTable;
  columns: OutputColumn[];
  curves: CurveColumns[];
}

/** An output at each point: the mean, share or quantile over the runs of the point; NaN without values. */
export class OutputColumn {
  readonly measure: Measure;
  readonly #means: GrowingArray;
  readonly #chance = new ChanceSums();
  readonly replicates: Replicates | undefined;
  runs = 0;
  /** For each point, the share of its finished runs that have no value. */
  readonly #lacking: GrowingArray;
  /** The number of finished runs without a value, also of failed ones. */
  lackingRuns = 0;
  /** Values of the current point. */
  #own: number[] = [];
  #ownRuns = 0;

  constructor(measure: Measure, { keepsRuns, points }: { keepsRuns: boolean; points: number }) {
    this.measure = measure;
    this.#means = new GrowingArray(points);
    this.#lacking = new GrowingArray(points);
    this.replicates = keepsRuns && measure.statistic !== 'quantile' ? new Replicates() : undefined;
  }

  get means(): Float64Array {
    return this.#means.values;
  }

  get lacking(): Float64Array {
    return this.#lacking.values;
  }

  chance(isPaired: boolean): Chance | undefined {
    return this.measure.statistic === 'quantile' ? undefined : this.#chance.result(isPaired);
  }

  /** The variance of chance in the mean of a point. */
  error(): ErrorVariance | undefined {
    return this.measure.statistic === 'quantile' ? undefined : this.#chance.error();
  }

  open(): void {
    this.replicates?.nextPoint();
  }

  add({ replication, outputs, status }: FinishedRun): void {
    this.#ownRuns += 1;
    const value = status === 'done' ? this.measure.read(outputs) : undefined;
    if (value === undefined) {
      this.lackingRuns += 1;
      return;
    }
    this.runs += 1;
    this.#own.push(value);
    this.replicates?.add(replication, value);
  }

  close(): void {
    const own = this.#own;
    this.#lacking.push(1 - own.length / this.#ownRuns);
    this.#own = [];
    this.#ownRuns = 0;
    if (own.length > 0) this.#chance.add(own);
    this.#means.push(own.length > 0 ? this.#valueOf(own) : NaN);
  }

  #valueOf(own: number[]): number {
    const { statistic, probability } = this.measure;
    if (statistic === 'quantile') return quantile(Float64Array.from(own).sort(), probability!);
    return meanOf(own);
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The maximum number of values of one curve output in memory. With very many points, there are more values:
 * `FEWEST_PLACES` for each point.
 */
const MOST_CURVE_NUMBERS = 4e6;
/** The maximum number of times of a curve that are analyzed. With many points, fewer times are analyzed. */
const MOST_PLACES = 60;
/** The number of times that are analyzed with very many points. */
const FEWEST_PLACES = 6;

/**
 * A curve (DATA_SET) at each point: the mean over the runs of the point, at some times. The times are those of the
 * first run that has the curve. If this run has too many times, evenly spaced times between its first and last time are
 * used instead.
 */
export class CurveColumns {
  readonly name: string;
  readonly #most: number;
  #times: number[] = [];
  #means: GrowingArray[] = [];
  #chances: ChanceSums[] = [];
  /** Values of the current point, at each time. */
  #own: number[][] = [];
  runs = 0;
  #points = 0;
  /** The first and the last time of the first run's curve. */
  span: [from: number, to: number] = [NaN, NaN];
  /** The first and the last time of all curves. */
  wholeSpan: [from: number, to: number] = [Infinity, -Infinity];

  constructor(name: string, points: number) {
    this.name = name;
    const most = Math.floor(MOST_CURVE_NUMBERS / points);
    this.#most = Math.min(MOST_PLACES, Math.max(FEWEST_PLACES, most));
  }

  /** The times, each with the means of all points. */
  columns(isPaired: boolean): {
    time: number;
    means: Float64Array;
    chance: Chance | undefined;
    error: ErrorVariance | undefined;
  }[] {
    return this.#times.map((time, at) => ({
      time,
      means: this.#means[at]!.values,
      chance: this.#chances[at]!.result(isPaired),
      error: this.#chances[at]!.error(),
    }));
  }

  add({ outputs }: FinishedRun): void {
    const curve = curveOf(outputs[this.name])?.sort(([a], [b]) => a - b);
    if (!curve || curve.length === 0) return;
    if (this.#times.length === 0) this.#begin(curve);
    const [from, to] = this.wholeSpan;
    this.wholeSpan = [Math.min(from, curve[0]![0]), Math.max(to, curve.at(-1)![0])];
    for (const [at, time] of this.#times.entries()) {
      const value = valueAt(curve, time);
      if (value !== undefined) this.#own[at]!.push(value);
    }
    this.runs += 1;
  }

  close(): void {
    for (const [at, own] of this.#own.entries()) {
      this.#means[at]!.push(own.length > 0 ? meanOf(own) : NaN);
      if (own.length > 0) this.#chances[at]!.add(own);
      own.length = 0;
    }
    this.#points += 1;
  }

  #begin(curve: Curve): void {
    const all = [...new Set(curve.map(([x]) => x))];
    const [first, last] = (this.span = [all[0]!, all.at(-1)!]);
    const most = this.#most;
    this.#times =
      all.length <= most
        ? all
        : Array.from({ length: most }, (_, at) => first + ((last - first) * at) / (most - 1));
    this.#own = this.#times.map(() => []);
    this.#chances = this.#times.map(() => new ChanceSums());
    this.#means = this.#times.map(() => new GrowingArray());
    // the points before the first curve have no curve
    for (const means of this.#means) for (let at = 0; at < this.#points; at += 1) means.push(NaN);
  }
}

/** Options for collecting a campaign's runs. */
export interface Gathering {
  measures: readonly Measure[];
  /** Names of the curves that are kept. */
  dataSets: readonly string[];
  /** Whether each run's value is kept. */
  keepsRuns: boolean;
  /** The approximate number of points. */
  points: number;
}

/** Collects all runs of a campaign. Runs must be in design order. */
export async function gathered(
  runs: Batched<FinishedRun>,
  campaign: Pick<Campaign, 'varied'>,
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
  #point: string | undefined;

  constructor(
    { varied }: Pick<Campaign, 'varied'> & { varied: readonly VariedInput[] },
    measures: readonly Measure[],
    { dataSets, keepsRuns, points }: Omit<Gathering, 'measures'>,
  ) {
    this.#table = new PointTable(varied, points);
    this.#columns = measures.map((measure) => new OutputColumn(measure, { keepsRuns, points }));
    this.#curves = dataSets.map((name) => new CurveColumns(name, points));
  }

  add(run: FinishedRun): void {
    if (run.point !== this.#point) {
      this.#close();
      this.#point = run.point;
      this.#table.add(run.values);
      for (const column of this.#columns) column.open();
    }
    for (const column of this.#columns) column.add(run);
    if (run.status === 'failed') return;
    for (const curve of this.#curves) curve.add(run);
  }

  /** The columns of all points. No run may be added afterwards. */
  result(): GatheredPoints {
    this.#close();
    return { table: this.#table, columns: this.#columns, curves: this.#curves };
  }

  #close(): void {
    if (this.#point === undefined) return;
    this.#point = undefined;
    for (const column of this.#columns) column.close();
    for (const curve of this.#curves) curve.close();
  }
}
