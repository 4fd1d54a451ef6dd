import { hasRunsPerDraw } from '../../campaign/draws.ts';
import type { Campaign, RunCounts } from '../../campaign/types.ts';
import { MOST_POINTS } from '../summary/bands.ts';
import { type Courses, MOST_DATA_SETS } from '../summary/courses.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { curves, type Observed } from '../pictures/curves.ts';
import { histograms } from '../pictures/histograms.ts';
import { timelinePicture } from '../pictures/timeline.ts';
import type { OutputDistribution, Ranking, Summary } from '../summary/summary.ts';
import type { Timeline } from '../summary/timeline.ts';
import { counted, numberText, titleOf } from '../words/words.ts';

/**
 * Makes a picture of the distributions of outputs over all runs. Empty if no output has two different finite values.
 */
export function distributionFigures(
  campaign: Campaign,
  { distributions: all, measures }: Pick<Summary, 'distributions' | 'measures'>,
): Figure[] {
  const none = all.filter(({ distribution }) => distribution.count === 0);
  const known = all.filter(({ distribution }) => distribution.count > 0);
  const drawn = known.filter(({ distribution: { min, max } }) => min < max);
  if (drawn.length === 0) return [];
  const countable = measures.filter(({ statistic }) => statistic !== 'quantile').length;
  const runs = drawn[0]!.distribution.count + drawn[0]!.without;
  const partly = drawn.filter(({ without }) => without > 0);
  return [
    {
      title: drawn.length === 1 ? `Distribution of ${drawn[0]!.output.name}` : 'Distributions of outputs',
      caption: sentences(
        `The number of runs by value: ${counted(runs, 'run')}${campaign.varied.length > 0 ? ' over all points' : ''}`,
        repeatsText(campaign),
        partText(countable, all.length, 'outputs'),
        partly.length > 0
          ? `Runs without a finite value are left out: ${partly.map(({ output, without }) => `${without.toLocaleString('en-US')} of ${output.name}`).join(', ')}`
          : undefined,
        ...sameTexts(known.filter((one) => !drawn.includes(one))),
        none.length > 0
          ? `No run has a finite value of ${none.map(({ output }) => output.name).join(', ')}`
          : undefined,
      ),
      id: 'distributions',
      spec: histograms(drawn),
    },
  ];
}

/** Says why there are more values than runs; undefined if there are not. */
function repeatsText(campaign: Campaign): string | undefined {
  return campaign.repeats === undefined || hasRunsPerDraw(campaign)
    ? undefined
    : 'A run counts as often as the design has its point';
}

/**
 * Sentences about outputs with the same value in all runs: "In all runs A is 1, B is 2", "In all 12 runs with a finite
 * value, C is 0.5".
 */
function sameTexts(same: readonly OutputDistribution[]): string[] {
  const text = ({ output, distribution }: OutputDistribution) =>
    `${output.name} is ${output.type === 'BOOLEAN' ? String(distribution.min === 1) : numberText(distribution.min)}`;
  const everywhere = same.filter(({ without }) => without === 0);
  return [
    ...(everywhere.length > 0 ? [`In all runs ${everywhere.map(text).join(', ')}`] : []),
    ...same
      .filter(({ without }) => without > 0)
      .map((one) =>
        one.distribution.count === 1
          ? `In the only run with a finite value, ${text(one)}`
          : `In all ${counted(one.distribution.count, 'run')} with a finite value, ${text(one)}`,
      ),
  ];
}

export function courseFigures(
  campaign: Campaign,
  all: readonly Courses[],
  observed: readonly (Observed & { output: string })[],
  { isGoal }: Ranking,
): Figure[] {
  const { varied, replications, precision, outputs } = campaign;
  const isReplicated = replications > 1 || precision !== null;
  const dataSets = outputs.filter(({ type }) => type === 'DATA_SET').length;
  return all.map((courses, i) => {
    const { output, best, bands, others, isCut, areThinned } = courses;
    const front =
      varied.length > 0
        ? isGoal
          ? 'best point'
          : 'lowest point'
        : isReplicated
          ? 'first finished replication'
          : 'the run';
    const which = varied.length > 0 && isReplicated ? ', its first finished replication,' : '';
    const line = `${front[0]!.toUpperCase()}${front.slice(1)}`;
    const quantiles = `the median and the middle 50 % and 90 % of ${behindText(courses)}`;
    const hasFront = best.length > 0;
    const behind =
      bands.length > 0
        ? hasFront
          ? `${line}${which} in front of ${quantiles}`
          : `T${quantiles.slice(1)}`
        : others.length > 0
          ? hasFront
            ? `${line}${which} in front of the other runs`
            : courses.isPosterior
              ? 'A line for each accepted point of the last generation'
              : 'A line for each run'
          : `${line}${which} alone`.replace(', alone', ' alone');
    return {
      title: titleOf(output),
      caption: sentences(
        behind,
        courses.prior.length > 0
          ? 'Pale behind them is the middle 90 % of the runs from the prior'
          : undefined,
        isCut ? 'Places that fewer than half of the curves reach are left out' : undefined,
        bands.length > 0 ? repeatsText(campaign) : undefined,
        areThinned
          ? `A curve with more than ${MOST_POINTS} points is drawn with ${MOST_POINTS} of them, spread evenly`
          : undefined,
        // only the last caption says this, because a reader looks for further pictures after the last one
        i === all.length - 1 ? partText(dataSets, MOST_DATA_SETS, 'DATA_SETs') : undefined,
      ),
      id: `curves-${i}`,
      spec: curves(
        courses,
        front,
        observed.find((one) => one.output === output.name),
      ),
    };
  });
}

/** The curves from which the bands are made: "all 100 runs" only if each run has a curve that reaches each place. */
function behindText({ bands, runs, without, isPart, isPosterior }: Courses): string {
  const all = isPosterior
    ? `the posterior (${counted(runs, 'accepted point')}${isPart ? ' spread evenly over all' : ''}, with their weights)`
    : isPart
      ? `${counted(runs, 'run')} spread evenly over all`
      : without === 0
        ? `all ${counted(runs, 'run')}`
        : `the ${counted(runs, 'run')} that have a curve (${without.toLocaleString('en-US')} have none)`;
  const counts = bands.map((band) => band.curves);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  if (fewest === runs) return all;
  const some = fewest === most ? fewest : `${fewest} to ${most}`;
  return `the runs that reach each place, which are ${some} of ${all}`;
}

/**
 * Makes the picture of runs over time. Empty if no run was outstanding, because no run has finished or all runs were
 * reused.
 */
export function timelineFigures(timeline: Timeline, counts: RunCounts): Figure[] {
  if (timeline.outstandingTime === 0) return [];
  const open = counts.running + counts.queued;
  return [
    {
      title: 'Timeline',
      caption: sentences(
        "Above: the number of outstanding runs, which were requested and not yet seen to have finished; this includes runs in the service's queue",
        'Below: the number of runs that finished',
        counts.reused > 0 ? 'Reused runs are only in the lower picture' : undefined,
        open > 0 ? `The ${counted(open, 'run')} that are outstanding now are not included` : undefined,
        'For a run that was tried again, only the last attempt is known',
      ),
      id: 'timeline',
      spec: timelinePicture(timeline.moments()),
    },
  ];
}
