import { distinct, type Measure, measuresOf } from '../campaign/measures.ts';
import type { Campaign, Goal } from '../campaign/types.ts';
import type { ResultRow } from '../store/index.ts';
import { Agreement } from './agreement.ts';
import { Lowest } from './best.ts';
import { type Courses, CourseGatherer } from './courses.ts';
import { Distribution } from './distribution.ts';
import { EffectGatherer, type LeftOut } from './effects.ts';
import { type FailureGroup, Failures } from './failures.ts';
import { confidenceOf, type PointSample } from './mean.ts';
import { estimateAt, type PointResult, pointsOf, valueOf } from './points.ts';
import { PrecisePoints } from './precise-points.ts';
import type { Reference } from './reference.ts';
import { Timeline } from './timeline.ts';

/** All that a report says of a campaign's results. */
export interface Summary {
  /** By what points are ranked; undefined where there is no such output. */
  output: Measure | undefined;
  /** All that there is to show, the outputs in front that were asked for. */
  measures: readonly Measure[];
  ranking: Ranking;
  /** The points that are first by the mean, share or quantile of the chosen output; the first of the design where there is no such output. */
  best: PointResult[];
  /** Of the chosen output; where one input varies also of others. */
  effects: { output: Measure; effects: ReturnType<EffectGatherer['result']> }[];
  /** Of the effects of the first of these outputs, and so of all; undefined where there is none. */
  leftOut: LeftOut | undefined;
  agreement: Agreement | undefined;
  /** How many points are as precise as is wanted. */
  precision: ReturnType<PrecisePoints['result']>;
  distributions: OutputDistribution[];
  courses: Courses[];
  failures: FailureGroup[];
  timeline: Timeline;
}

/** What runs that are done came to. */
export interface OutputDistribution {
  output: Measure;
  distribution: Distribution;
  /** Runs that are not in it: their value is infinite, no number, or not there. */
  without: number;
}

/** How points are ranked by an output. */
export interface Ranking {
  wants: Goal['wants'];
  /** Somebody has said that these are the best; else they are only the lowest. */
  isGoal: boolean;
}

const BEST_POINTS = 10;
const FAILURE_CAUSES = 20;
/** Outputs of which effects or distributions are drawn; more would be a page that nobody reads. */
const MOST_OUTPUTS = 12;

export interface SummaryOptions {
  reference?: Reference | undefined;
  /** Name of a DATA_SET that is to be drawn. */
  observed?: string | undefined;
  goal?: Goal | undefined;
  /** The point that a search found by an output, by its key: it is the only best one by that output. None where it found none. */
  found?: { output: string; key: string | undefined } | null;
}

/**
 * Reads the rows once. What is kept of them is bounded, however many there are.
 *
 * @param asked - what is shown first, and by the first of which points are ranked; by default by the first numeric output that has
 *   values, or else the first of the others: a model may give some only where it has something to compare itself with
 */
export async function summarize(
  campaign: Campaign,
  rows: AsyncIterable<ResultRow>,
  asked: readonly Measure[],
  { reference, observed, goal, found }: SummaryOptions = {},
): Promise<Summary> {
  const [output] = asked;
  const measures = inOrder(asked, measuresOf(campaign));
  const first = measures.slice(0, MOST_OUTPUTS);
  // the values of a quantile are those of an output
  const counted = first.filter(({ statistic }) => statistic !== 'quantile');
  const distributions = counted.map((output): OutputDistribution => ({
    output,
    distribution: new Distribution(isWhole(output) ? 1 : 0),
    without: 0,
  }));
  const agreement = reference && new Agreement(reference, measures, confidenceOf(campaign));
  // where several inputs vary, the effects of one output fill a page
  const areAllDrawn = campaign.varied.length === 1;
  let gathered = (areAllDrawn || !output ? first : [output]).map((one) => ({
    output: one,
    best: new Lowest<PointResult>(BEST_POINTS),
    effects: new EffectGatherer(campaign, one.statistic),
  }));
  const precision = new PrecisePoints(campaign);
  const firstPoints = new Lowest<PointResult>(BEST_POINTS);
  const courses = new CourseGatherer(campaign.outputs, observed);
  const failures = new Failures();
  const timeline = new Timeline();

  async function* seen(): AsyncIterable<ResultRow> {
    for await (const row of rows) {
      timeline.add(row);
      precision.add(row);
      if (row.status === 'failed') {
        failures.add(row);
        continue;
      }
      courses.add(row);
      for (const one of distributions) {
        const value = one.output.read(row.outputs);
        if (value === undefined) one.without += 1;
        else one.distribution.add(value);
      }
      yield row;
    }
  }

  const dataSets = campaign.outputs.filter(({ type }) => type === 'DATA_SET').map(({ name }) => name);
  const confidence = confidenceOf(campaign);
  let index = 0;
  for await (const point of pointsOf(seen(), measures, dataSets)) {
    if (gathered.length === 0) firstPoints.add(point, index);
    for (const one of gathered) {
      const mean = valueOf(point, one.output);
      if (mean === undefined) continue;
      const isBest = found?.output !== one.output.name || found.key === point.key;
      if (isBest)
        one.best.add(point, goal?.output === one.output.name && goal.wants === 'highest' ? -mean : mean);
      one.effects.add(point.values, sampleOf(point, one.output, confidence));
      if (areAllDrawn || output) continue;
      // those behind it are not the first one that has values
      gathered = gathered.slice(0, gathered.indexOf(one) + 1);
      break;
    }
    agreement?.add(point);
    index += 1;
  }
  const chosen = (output ? undefined : gathered.find(({ best }) => best.items.length > 0)) ?? gathered[0];
  const best = chosen ? chosen.best.items : firstPoints.items;
  const drawn = chosen ? [chosen, ...gathered.filter((one) => areAllDrawn && one !== chosen)] : [];
  return {
    output: chosen?.output,
    measures,
    ranking: rankingOf(goal, chosen?.output),
    best,
    effects: drawn.map(({ output, effects }) => ({ output, effects: effects.result() })),
    leftOut: chosen?.effects.leftOut(),
    agreement,
    precision: precision.result(),
    distributions,
    courses: courses.result(best[0]),
    failures: failures.top(FAILURE_CAUSES),
    timeline,
  };
}

/** Those that were asked for, then numbers, then shares and quantiles. */
function inOrder(asked: readonly Measure[], all: readonly Measure[]): Measure[] {
  const isMean = ({ statistic }: Measure): boolean => statistic === 'mean';
  return distinct([...asked, ...all.filter(isMean), ...all.filter((one) => !isMean(one))]);
}

/** What is known of a measure at a point that has a value. */
function sampleOf(point: PointResult, measure: Measure, confidence: number): PointSample {
  const sample = point.samples[measure.name]!;
  if (measure.statistic !== 'quantile') return sample;
  const { mean, low, high } = estimateAt(measure, sample, { relative: null, absolute: null, confidence });
  return { count: sample.count, mean, variance: null, low, high };
}

/** Of outputs that nobody has said anything of, the lowest come first. */
export function rankingOf(goal: Goal | undefined, output: Pick<Measure, 'name'> | undefined): Ranking {
  const isGoal = goal !== undefined && goal.output === output?.name;
  return { wants: isGoal ? goal.wants : 'lowest', isGoal };
}

/** Whether its values are whole numbers, as 1 and 0 are for true and false. */
function isWhole({ type }: Measure): boolean {
  return type === 'INTEGER' || type === 'LONG' || type === 'BOOLEAN';
}
