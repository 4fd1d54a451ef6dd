import { levelsOf } from '../../campaign/designs/index.ts';
import { hasRunsPerDraw } from '../../campaign/draws.ts';
import { distinct, type Measure, measuresOf } from '../../campaign/measures.ts';
import { findsPoints } from '../../campaign/strategy.ts';
import type { Campaign, Goal, VariedInput } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { Agreement } from './agreement.ts';
import { Lowest } from './best.ts';
import { BestPoints, type Choice } from './chosen.ts';
import { type CalibratedRuns, type Courses, CourseGatherer, type GroupingInput } from './courses.ts';
import { Distribution } from './distribution.ts';
import { hasWholeValues, kindOfInput } from '../tables/value-kinds.ts';
import { type ChosenAxes, EffectGatherer, type LeftOut } from './effects.ts';
import { type FailureGroup, Failures } from './failures.ts';
import type { PointSample } from './mean.ts';
import { estimateAt, type PointResult, pointsOf, valueOf } from './points.ts';
import { PrecisePoints } from './precise-points.ts';
import type { Reference } from './reference.ts';
import { Timeline } from './timeline.ts';

/** The results of a campaign as a report shows them. */
export interface Summary {
  /** The number of points with a run that is done. */
  points: number;
  /** The measure by which points are ranked; undefined if there is none. */
  output: Measure | undefined;
  /** All measures, the requested ones first. */
  measures: readonly Measure[];
  ranking: Ranking;
  /**
   * The best points by the mean, share or quantile of `output`; without an output, the first points of the design.
   * Empty for a calibration without a goal, because it has no best point.
   */
  best: PointResult[];
  /** The choice of the first of these points. Undefined without an output. */
  choice: Choice | undefined;
  /** The effects on `output`; if only one input varies, also the effects on the other outputs. */
  effects: { output: Measure; effects: ReturnType<EffectGatherer['result']> }[];
  /** The parts of the effects on `output` that the pictures leave out. Undefined without an output. */
  leftOut: LeftOut | undefined;
  agreement: Agreement | undefined;
  /**
   * The number of points that are precise enough, and the number of points that are not and get no more replications.
   */
  precision: ReturnType<PrecisePoints['result']>;
  distributions: OutputDistribution[];
  courses: Courses[];
  failures: FailureGroup[];
  timeline: Timeline;
}

/** The distribution of an output's values over all runs that are done. */
export interface OutputDistribution {
  output: Measure;
  distribution: Distribution;
  /** The number of runs that are left out, because their value is infinite, not a number, or missing. */
  without: number;
}

/** How points are ranked by an output. */
export interface Ranking {
  wants: Goal['wants'];
  /**
   * Whether the definition or the reader says which values are better. Otherwise the first points are only the points
   * with the lowest values.
   */
  isGoal: boolean;
}

/** The number of first points that are shown if no output ranks them. */
const FIRST_POINTS = 10;
/** The maximum number of causes of failures that are shown one by one. */
const MOST_CAUSES = 20;
/** The maximum number of outputs whose effects or distributions are shown. Nobody would read a longer page. */
const MOST_OUTPUTS = 12;

export interface SummaryOptions {
  reference?: Reference | undefined;
  /** The name of a DATA_SET that must be drawn. */
  observed?: string | undefined;
  goal?: Goal | undefined;
  /**
   * The output of the goal of a search or a selection, and the key of the point that it found; `key` is undefined if it
   * found none. For that output, no other point is shown as the best. Null or undefined without a search or a
   * selection.
   */
  found?: { output: string; key: string | undefined } | null;
  /** The axes of a heat map or a surface that a reader has chosen. */
  axes?: ChosenAxes | undefined;
  /** The runs of a calibration whose curves are drawn. @default all runs */
  calibrated?: CalibratedRuns | undefined;
}

/** The measures to show, in their order. */
export interface ShownMeasures {
  measures: readonly Measure[];
  /** The measures whose effects are collected. Only the first measure with values is drawn, unless all are drawn. */
  ranked: readonly Measure[];
  /** The measures whose distributions are drawn. */
  distributed: readonly Measure[];
  /**
   * Whether the effects of all ranked measures are drawn, because one input varies. With several inputs, the effects of
   * one output fill a page.
   */
  areAllDrawn: boolean;
}

export function shownOf(campaign: Campaign, asked: readonly Measure[]): ShownMeasures {
  const measures = inOrder(asked, measuresOf(campaign));
  const first = measures.slice(0, MOST_OUTPUTS);
  const areAllDrawn = campaign.varied.length === 1;
  const [output] = asked;
  return {
    measures,
    ranked: areAllDrawn || !output ? first : [output],
    // a quantile has the same values as its output
    distributed: first.filter(({ statistic }) => statistic !== 'quantile'),
    areAllDrawn,
  };
}

/**
 * Collects what the summary shows of single runs. The order of the runs affects only which of many curves are kept, and
 * which of very many causes of failures are counted one by one.
 */
export class RunGatherer {
  readonly #distributions: OutputDistribution[];
  readonly #courses: CourseGatherer;
  readonly #failures = new Failures();
  readonly #timeline = new Timeline();
  /** Whether a repeated point has further runs. Otherwise its runs count several times. */
  readonly #hasRunsPerDraw: boolean;

  constructor(
    campaign: Campaign,
    { distributed }: ShownMeasures,
    { observed, calibrated, axes }: Pick<SummaryOptions, 'observed' | 'calibrated' | 'axes'> = {},
  ) {
    this.#hasRunsPerDraw = hasRunsPerDraw(campaign);
    this.#distributions = distributed.map((output) => ({
      output,
      distribution: new Distribution(hasWholeValues(output) ? 1 : 0),
      without: 0,
    }));
    this.#courses = new CourseGatherer(campaign.outputs, observed, calibrated, groupingInput(campaign, axes));
  }

  /** @param place - the place of the run in the design: later runs have larger numbers */
  add(row: ResultRow, place: number): void {
    this.#timeline.add(row);
    if (row.status === 'failed') {
      this.#failures.add(row, place);
      return;
    }
    const times = this.#hasRunsPerDraw ? 1 : (row.draws ?? 1);
    this.#courses.add(row, times);
    for (const one of this.#distributions) {
      const value = one.output.read(row.outputs);
      if (value === undefined) one.without += times;
      else one.distribution.add(value, times);
    }
  }

  /** @param best - the point whose curves are drawn in front of the others */
  result(
    best: PointResult | undefined,
  ): Pick<Summary, 'distributions' | 'courses' | 'failures' | 'timeline'> {
    return {
      distributions: this.#distributions,
      courses: this.#courses.result(best),
      failures: this.#failures.top(MOST_CAUSES),
      timeline: this.#timeline,
    };
  }
}

/**
 * The input by whose values curves are told apart: the chosen one, or else the only input that varies
 * whose values are not numbers.
 */
function groupingInput(campaign: Campaign, axes: ChosenAxes = {}): GroupingInput | undefined {
  const { varied } = campaign;
  const isText = ({ type }: VariedInput): boolean => kindOfInput(type) !== 'number';
  const texts = varied.filter(isText);
  const input = varied.find(({ name }) => name === axes.by) ?? (texts.length === 1 ? texts[0] : undefined);
  if (!input) return undefined;
  const levels = (findsPoints(campaign) ? undefined : levelsOf(campaign.design).get(input.name)) ?? [];
  const placeOf = new Map(levels.map((value, place) => [value, place]));
  // texts that the design does not list come last
  const rankOf = (value: string): number => placeOf.get(value) ?? levels.length;
  const order = (a: string, b: string): number =>
    isText(input) ? rankOf(a) - rankOf(b) || (a < b ? -1 : 1) : Number(a) - Number(b);
  return { name: input.name, at: varied.indexOf(input), order };
}

/** Collects what the summary shows of points. The points must be added in design order. */
export class PointGatherer {
  readonly #asked: Measure | undefined;
  readonly #shown: ShownMeasures;
  readonly #options: SummaryOptions;
  readonly #agreement: Agreement | undefined;
  readonly #firstPoints = new Lowest<PointResult>(FIRST_POINTS);
  readonly #campaign: Campaign;
  readonly #isCalibration: boolean;
  readonly #hasRunsPerDraw: boolean;
  #gathered: {
    output: Measure;
    best: BestPoints;
    effects: EffectGatherer;
  }[];
  #points = 0;

  constructor(campaign: Campaign, asked: readonly Measure[], shown: ShownMeasures, options: SummaryOptions) {
    this.#asked = asked[0];
    this.#shown = shown;
    this.#options = options;
    this.#campaign = campaign;
    this.#isCalibration = campaign.strategy.by === 'calibration';
    this.#hasRunsPerDraw = hasRunsPerDraw(campaign);
    const { reference } = options;
    this.#agreement = reference && new Agreement(campaign, reference, shown.measures);
    this.#gathered = shown.ranked.map((output) => ({
      output,
      best: new BestPoints(rankingOf(options.goal, output).wants),
      effects: new EffectGatherer(campaign, output.statistic),
    }));
  }

  /** @param point - has samples of at least the ranked outputs; if there is a reference, of all outputs */
  add(point: PointResult): void {
    const { found } = this.#options;
    if (this.#gathered.length === 0) this.#firstPoints.add(point, this.#points);
    for (const one of this.#gathered) {
      const mean = valueOf(point, one.output);
      if (mean === undefined) continue;
      const mayBeBest = found?.output !== one.output.name || found.key === point.key;
      if (mayBeBest) one.best.add(point, mean);
      const sample = sampleOf(this.#campaign, point, one.output);
      one.effects.add(point.values, sample, { draws: point.draws, noise: this.#noiseOf(sample, point) });
      if (this.#shown.areAllDrawn || this.#asked) continue;
      // this is the first measure with values, so the later measures are not needed
      this.#gathered = this.#gathered.slice(0, this.#gathered.indexOf(one) + 1);
      break;
    }
    this.#agreement?.add(point);
    this.#points += 1;
  }

  /**
   * The mean square by which the results of the draws of a point differ from the mean of the point, because each draw
   * has runs of its own; 0 if it is unknown.
   */
  #noiseOf({ count, variance }: PointSample, { draws }: PointResult): number {
    if (draws === 1 || !this.#hasRunsPerDraw || variance === null) return 0;
    const varianceOfDraw = (variance * draws) / count;
    return ((draws - 1) / draws) * varianceOfDraw;
  }

  result(): Pick<
    Summary,
    'points' | 'output' | 'measures' | 'ranking' | 'best' | 'choice' | 'effects' | 'leftOut' | 'agreement'
  > {
    const [first] = this.#gathered;
    const withBest = this.#gathered.find(({ best }) => best.points.length > 0);
    const chosen = this.#asked ? first : (withBest ?? first);
    const { areAllDrawn, measures } = this.#shown;
    const others = areAllDrawn ? this.#gathered.filter((one) => one !== chosen) : [];
    const drawn = chosen ? [chosen, ...others] : [];
    const ranking = rankingOf(this.#options.goal, chosen?.output);
    const best = chosen ? chosen.best.points : this.#firstPoints.items;
    return {
      points: this.#points,
      output: chosen?.output,
      measures,
      ranking,
      best: this.#isCalibration && !ranking.isGoal ? [] : best,
      choice: chosen?.best.choice,
      effects: drawn.map(({ output, effects }) => ({ output, effects: effects.result(this.#options.axes) })),
      leftOut: chosen?.effects.leftOut(this.#options.axes),
      agreement: this.#agreement,
    };
  }
}

/**
 * Summarizes the rows of a campaign. The rows are read once, in bounded memory.
 *
 * @param rows - in design order
 * @param asked - the measures that are shown first. Points are ranked by the first of them. Without any, points are
 * ranked by the first measure that has values. Means come before shares and quantiles
 */
export async function summarize(
  campaign: Campaign,
  rows: AsyncIterable<ResultRow>,
  asked: readonly Measure[],
  options: SummaryOptions = {},
): Promise<Summary> {
  const shown = shownOf(campaign, asked);
  const runs = new RunGatherer(campaign, shown, options);
  const points = new PointGatherer(campaign, asked, shown, options);
  const precision = new PrecisePoints(campaign);

  async function* doneRows(): AsyncIterable<ResultRow> {
    let place = 0;
    for await (const row of rows) {
      runs.add(row, (place += 1));
      precision.add(row);
      if (row.status === 'done') yield row;
    }
  }

  for await (const point of pointsOf(doneRows(), shown.measures, dataSetsOf(campaign))) points.add(point);
  const found = points.result();
  return { ...found, ...runs.result(found.best[0]), precision: precision.result() };
}

/** Names of the outputs that are curves. */
export function dataSetsOf({ outputs }: Pick<Campaign, 'outputs'>): string[] {
  return outputs.filter(({ type }) => type === 'DATA_SET').map(({ name }) => name);
}

/** Orders measures: first the requested ones, then means, then shares and quantiles. */
function inOrder(asked: readonly Measure[], all: readonly Measure[]): Measure[] {
  const isMean = ({ statistic }: Measure): boolean => statistic === 'mean';
  return distinct([...asked, ...all.filter(isMean), ...all.filter((one) => !isMean(one))]);
}

/** The estimate of a measure at a point. At least one replication has a value. */
function sampleOf(campaign: Campaign, point: PointResult, measure: Measure): PointSample {
  const sample = point.samples[measure.name]!;
  const isQuantile = measure.statistic === 'quantile';
  if (!isQuantile && !campaign.precision) return sample;
  const { mean, low, high } = estimateAt(campaign, measure, sample);
  const { count } = sample;
  if (isQuantile) return { count, mean, variance: null, majority: null, low, high };
  return { count, mean: sample.mean, variance: sample.variance, majority: sample.majority, low, high };
}

/** How points are ranked by an output. Without a goal, the lowest values come first. */
function rankingOf(goal: Goal | undefined, output: Pick<Measure, 'name'> | undefined): Ranking {
  const isGoal = goal !== undefined && goal.output === output?.name;
  return { wants: isGoal ? goal.wants : 'lowest', isGoal };
}
