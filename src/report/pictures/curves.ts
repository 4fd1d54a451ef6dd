import type { Campaign } from '../../campaign/types.ts';
import { type Figure, partText, repeatsText, sentences } from './figure.ts';
import { key } from './key.ts';
import { colours, type Spec, WIDTH } from './vega.ts';
import { type Band, MOST_POINTS } from '../summary/bands.ts';
import { type Courses, MOST_DATA_SETS } from '../summary/courses.ts';
import type { Ranking } from '../summary/summary.ts';
import type { Curve } from '../tables/value-kinds.ts';
import { counted, titleOf } from '../words/words.ts';

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

/** Observations, drawn as dots over the curves. */
export interface Observed {
  label: string;
  points: readonly (readonly [x: number, y: number])[];
}

const OPACITY = { prior: 0.18, ninety: 0.28, fifty: 0.42 };

/**
 * Draws the curve of the best point in front of the quantiles of all runs. If there are few runs, this curve is in
 * front of the curves of the other runs. Observations, if there are any, are dots over the curves.
 *
 * @param front - the name of the curve in front
 */
function curves(
  {
    output,
    best,
    others,
    bands,
    prior,
    isPosterior,
  }: Pick<Courses, 'output' | 'best' | 'others' | 'bands' | 'prior' | 'isPosterior'>,
  front: string,
  observed?: Observed,
): Spec {
  const names = {
    prior: 'prior: 90 %',
    ninety: isPosterior ? 'posterior: 90 %' : '90 % of runs',
    fifty: isPosterior ? 'posterior: 50 %' : '50 % of runs',
    median: 'median',
    others: isPosterior ? 'accepted points' : best.length > 0 ? 'other runs' : 'runs',
  };
  const [hasBands, hasOthers, hasBest] = [bands.length > 0, others.length > 0, best.length > 0];
  const { muted, line, best: strong } = colours;
  const fill = isPosterior ? line : muted;
  const color = key([
    ...(prior.length > 0 ? [{ name: names.prior, colour: muted, opacity: OPACITY.prior }] : []),
    ...(hasBands ? [{ name: names.ninety, colour: fill, opacity: OPACITY.ninety }] : []),
    ...(hasBands ? [{ name: names.fifty, colour: fill, opacity: OPACITY.ninety + OPACITY.fifty }] : []),
    ...(hasBands ? [{ name: names.median, colour: fill, opacity: 1 }] : []),
    ...(hasOthers ? [{ name: names.others, colour: fill, opacity: 1 }] : []),
    ...(hasBest ? [{ name: front, colour: line, opacity: 1 }] : []),
    ...(observed ? [{ name: observed.label, colour: strong, opacity: 1 }] : []),
  ]);
  const x = {
    field: 'x',
    type: 'quantitative',
    title: null,
    scale: { nice: false },
    axis: { grid: false, tickCount: 10 },
  };
  const y = (field: string) => ({ field, type: 'quantitative', title: titleOf(output) });
  const course = (curve: Curve, series: number) => curve.map(([x, y], i) => ({ x, y, i, series }));
  const band = (values: readonly Band[], from: string, to: string, name: string, opacity: number) => ({
    data: { values },
    mark: { type: 'area', opacity },
    encoding: { x, y: y(from), y2: { field: to }, color: color(name) },
  });
  const drawn = { x, y: y('y'), order: { field: 'i' } };
  const layer = [
    ...(prior.length > 0 ? [band(prior, 'q05', 'q95', names.prior, OPACITY.prior)] : []),
    ...(hasBands
      ? [
          band(bands, 'q05', 'q95', names.ninety, OPACITY.ninety),
          band(bands, 'q25', 'q75', names.fifty, OPACITY.fifty),
          {
            data: { values: bands },
            mark: { type: 'line', strokeWidth: 1.5 },
            encoding: { x, y: y('q50'), color: color(names.median) },
          },
        ]
      : []),
    ...(hasOthers
      ? [
          {
            data: { values: others.flatMap(course) },
            mark: { type: 'line', strokeWidth: 1, opacity: 0.5 },
            encoding: { ...drawn, color: color(names.others), detail: { field: 'series' } },
          },
        ]
      : []),
    ...(hasBest
      ? [
          {
            data: { values: course(best, 0) },
            mark: { type: 'line', strokeWidth: hasBands || hasOthers ? 2.5 : 2 },
            encoding: { ...drawn, color: color(front) },
          },
        ]
      : []),
    ...(observed
      ? [
          {
            data: { values: observed.points.map(([x, y]) => ({ x, y })) },
            mark: { type: 'point', filled: true, size: 70, opacity: 1 },
            encoding: { x, y: y('y'), color: color(observed.label) },
          },
        ]
      : []),
  ];
  return { width: WIDTH - 90, height: 360, layer } as Spec;
}
