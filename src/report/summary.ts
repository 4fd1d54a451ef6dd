import { numberIn } from '../api/index.ts';
import type { Campaign, CampaignOutput, Goal } from '../campaign/types.ts';
import type { ResultRow } from '../store/index.ts';
import { Agreement } from './agreement.ts';
import { Lowest } from './best.ts';
import { type Courses, CourseGatherer } from './courses.ts';
import { Distribution } from './distribution.ts';
import { EffectGatherer, type LeftOut } from './effects.ts';
import { type FailureGroup, Failures } from './failures.ts';
import { confidenceOf } from './mean.ts';
import { meanOf, type PointResult, pointsOf } from './points.ts';
import { PrecisePoints } from './precise-points.ts';
import type { Reference } from './reference.ts';
import { Timeline } from './timeline.ts';
import { firstOf, kindOfOutput } from './values.ts';

/** All that a report says of a campaign's results. */
export interface Summary {
  /** The numeric output by which points are ranked; undefined where there is none. */
  output: CampaignOutput | undefined;
  ranking: Ranking;
  /** The points that are first by the mean of the chosen output; the first of the design where there is no such output. */
  best: PointResult[];
  /** Of the chosen output; where one input varies also of others. */
  effects: { output: CampaignOutput; effects: ReturnType<EffectGatherer['result']> }[];
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
  output: CampaignOutput;
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

/**
 * Reads the rows once. What is kept of them is bounded, however many there are.
 *
 * @param output - the numeric output by which points are ranked, by default the first one that has values: a model may
 *   give some only where it has something to compare itself with
 * @param observed - name of a DATA_SET that is to be drawn
 */
export async function summarize(
  campaign: Campaign,
  rows: AsyncIterable<ResultRow>,
  output: CampaignOutput | undefined,
  {
    reference,
    observed,
    goal,
  }: { reference?: Reference | undefined; observed?: string | undefined; goal?: Goal | undefined } = {},
): Promise<Summary> {
  const numeric = campaign.outputs.filter(({ type }) => kindOfOutput(type) === 'number');
  const first = firstOf(numeric, output?.name).slice(0, MOST_OUTPUTS);
  const distributions = first.map((output): OutputDistribution => ({
    output,
    distribution: new Distribution(isWhole(output) ? 1 : 0),
    without: 0,
  }));
  const agreement = reference && new Agreement(reference, confidenceOf(campaign));
  // where several inputs vary, the effects of one output fill a page
  const areAllDrawn = campaign.varied.length === 1;
  let gathered = (areAllDrawn || !output ? first : [output]).map((one) => ({
    output: one,
    best: new Lowest<PointResult>(BEST_POINTS),
    effects: new EffectGatherer(campaign),
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
        const value = numberIn(row.outputs[one.output.name]);
        if (value === undefined) one.without += 1;
        else one.distribution.add(value);
      }
      yield row;
    }
  }

  let index = 0;
  for await (const point of pointsOf(seen(), campaign.outputs)) {
    if (gathered.length === 0) firstPoints.add(point, index);
    for (const one of gathered) {
      const mean = meanOf(point, one.output.name);
      if (mean === undefined) continue;
      one.best.add(point, goal?.output === one.output.name && goal.wants === 'highest' ? -mean : mean);
      one.effects.add(point.values, point.samples[one.output.name]!);
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

/** Of outputs that nobody has said anything of, the lowest come first. */
export function rankingOf(goal: Goal | undefined, output: CampaignOutput | undefined): Ranking {
  const isGoal = goal !== undefined && goal.output === output?.name;
  return { wants: isGoal ? goal.wants : 'lowest', isGoal };
}

function isWhole({ type }: CampaignOutput): boolean {
  return type === 'INTEGER' || type === 'LONG';
}
