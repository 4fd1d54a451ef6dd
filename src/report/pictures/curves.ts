import type { Curve } from '../../campaign/curves.ts';
import type { Campaign } from '../../campaign/types.ts';
import { capitalized } from '../../text/printable.ts';
import { type Figure, partText, repeatsText, sentences } from './figure.ts';
import { colourKey } from './key.ts';
import { PictureNumbers, withoutRow } from './numbers.ts';
import { colours, COURSE_COLOURS, layerIf, type Spec, WIDTH } from './vega.ts';
import { type XAxis, xAxis } from './x-axis.ts';
import { type Band, MOST_POINTS } from '../summary/bands.ts';
import { type Courses, MOST_DATA_SETS, MOST_GROUPS } from '../summary/courses.ts';
import type { Ranking } from '../summary/summary.ts';
import { counted, titleOf } from '../words/words.ts';

export function courseFigures(
  campaign: Campaign,
  all: readonly Courses[],
  observed: readonly ObservedOutput[],
  { isGoal }: Ranking,
): Figure[] {
  const { varied, replications, precision, outputs } = campaign;
  const isReplicated = replications > 1 || precision !== null;
  const dataSets = outputs.filter(({ type }) => type === 'DATA_SET').length;
  const front = frontText(varied.length > 0, isReplicated, isGoal);
  const run = varied.length > 0 && isReplicated ? ', its first finished replication' : '';
  return all.map((courses, i) => {
    const { output, bands, prior, by, isCrowded, isCut, areThinned } = courses;
    const dots = observed.find((one) => one.output === output.name);
    const axis = xAxis(output.axis, placesOf(courses, dots));
    return {
      title: titleOf(output),
      caption: sentences(
        curvesText(courses, front, run),
        isCrowded
          ? `The curves are not told apart by ${by}, because there are more than ${MOST_GROUPS} values`
          : undefined,
        prior.length > 0 ? 'Pale behind them is the middle 90 % of the runs from the prior' : undefined,
        isCut ? 'Places that fewer than half of the curves reach are left out' : undefined,
        bands.length > 0 ? repeatsText(campaign) : undefined,
        axis.note,
        areThinned
          ? `A curve with more than ${MOST_POINTS} points is drawn with ${MOST_POINTS} of them, spread evenly`
          : undefined,
        // only the last caption says this, because a reader looks for further pictures after the last one
        i === all.length - 1 ? partText(dataSets, MOST_DATA_SETS, 'DATA_SETs') : undefined,
      ),
      id: `curves-${i}`,
      ...curves(courses, axis, front, dots),
    };
  });
}

/** The name of the curve in front. */
function frontText(isVaried: boolean, isReplicated: boolean, isGoal: boolean): string {
  if (isVaried) return isGoal ? 'best point' : 'lowest point';
  return isReplicated ? 'first finished replication' : 'the run';
}

/** What the curves are. @param run - which run has the curve in front, after a comma; empty if the point has one run */
function curvesText(courses: Courses, front: string, run: string): string {
  const { best, others, bands, groups, isPosterior } = courses;
  if (groups.length > 0) return groupsText(courses, front + run);
  const line = capitalized(front) + (run && `${run},`);
  if (bands.length > 0) {
    const quantiles = `the median and the middle 50 % and 90 % of ${behindText(courses)}`;
    return best.length > 0 ? `${line} in front of ${quantiles}` : capitalized(quantiles);
  }
  if (others.length === 0) return `${line} alone`;
  if (best.length > 0) return `${line} in front of the other runs${lackingText(courses)}`;
  const each = isPosterior ? 'accepted point of the last generation' : 'run';
  return `A line for each ${each}${lackingText(courses, 'that has a curve')}`;
}

/** What the curves of each value of an input are. */
function groupsText(courses: Courses, best: string): string {
  const { by, groups, isPosterior } = courses;
  const runs = `${isPosterior ? 'accepted points' : 'runs'} with each value of ${by}${lackingText(courses)}`;
  const banded = groups.filter(({ bands }) => bands.length > 0).length;
  const hasBest = groups.some(({ curves }) => curves.some(({ isBest }) => isBest));
  const weighted = isPosterior ? ', with their weights' : '';
  return [
    banded > 0 ? `The median and the middle 90 % of the ${runs}${weighted}` : `The ${runs}`,
    ...(banded > 0 && banded < groups.length ? ['A value with few runs has a line for each run'] : []),
    ...(groups.some(({ bands }) => fewestOf(bands) < mostOf(bands))
      ? ['Some curves end early, so that only the others count at the places behind their ends']
      : []),
    ...(hasBest ? [`The thick line is the ${best}`] : []),
  ].join('. ');
}

/** The curves from which the bands are made: "all 100 runs" only if each run has a curve that reaches each place. */
function behindText(courses: Courses): string {
  const { bands, runs, without, isPart, isPosterior } = courses;
  const spread = isPart ? ' spread evenly over all' : '';
  const kept = `${counted(runs, isPosterior ? 'accepted point' : 'run')}${spread}${lackingText(courses)}`;
  const allOrThe = without === 0 ? 'all' : 'the';
  const ofRuns = isPart ? kept : `${allOrThe} ${kept}`;
  const all = isPosterior ? `the posterior (${kept}, with their weights)` : ofRuns;
  const [fewest, most] = [fewestOf(bands), mostOf(bands)];
  if (fewest === runs) return all;
  const some = fewest === most ? fewest : `${fewest} to ${most}`;
  return `the runs that reach each place, which are ${some} of ${all}`;
}

/** How many runs have no curve: " that have a curve (10 have none)"; empty if each run has one. */
function lackingText({ runs, without, isPart }: Courses, that = 'that have a curve'): string {
  if (without === 0) return '';
  const of = isPart ? ` of ${(runs + without).toLocaleString('en-US')}` : '';
  return ` ${that} (${without.toLocaleString('en-US')}${of} ${without === 1 ? 'has' : 'have'} none)`;
}

/** The number of curves at the place that the fewest curves reach; Infinity without bands. */
function fewestOf(bands: readonly Band[]): number {
  return Math.min(...bands.map((band) => band.curves));
}

function mostOf(bands: readonly Band[]): number {
  return Math.max(...bands.map((band) => band.curves));
}

/** Observations, drawn as dots over the curves. */
export interface Observed {
  label: string;
  points: readonly (readonly [x: number, y: number])[];
}

export interface ObservedOutput extends Observed {
  output: string;
}

type CurvesOnAxis = Pick<Courses, 'best' | 'others' | 'bands' | 'prior' | 'groups'>;

/** All x of a picture. */
function placesOf({ best, others, bands, prior, groups }: CurvesOnAxis, observed?: Observed): number[] {
  const curves = [best, ...others, ...groups.flatMap(({ curves }) => curves.map(({ curve }) => curve))];
  const allBands = [bands, prior, ...groups.map((group) => group.bands)];
  return [
    ...[...curves, observed?.points ?? []].flatMap((curve) => curve.map(([x]) => x)),
    ...allBands.flatMap((some) => some.map(({ x }) => x)),
  ];
}

/** The opacities of the bands: of a group of runs, of the prior, and of the middle 90 % and 50 % of all runs. */
const OPACITY = { group: 0.16, prior: 0.18, ninety: 0.28, fifty: 0.42 };

/**
 * Draws the curve of the best point in front of the quantiles of all runs. If there are few runs, this curve is in
 * front of the curves of the other runs. Observations, if there are any, are dots over the curves.
 *
 * @param front - the name of the curve in front
 */
function curves(
  courses: Courses,
  { title, placeOf, textOf, isOnAxis, encoding: x }: XAxis,
  front: string,
  observed?: Observed,
): Pick<Figure, 'spec' | 'numbers'> {
  const { output, best, others, bands, prior, isPosterior, points, groups } = courses;
  const names = {
    prior: 'prior: 90 %',
    ninety: isPosterior ? 'posterior: 90 %' : '90 % of runs',
    fifty: isPosterior ? 'posterior: 50 %' : '50 % of runs',
    median: 'median',
    others: isPosterior ? 'accepted points' : best.length > 0 ? 'other runs' : 'runs',
  };
  // the curves of each value take the place of the curves of all runs
  const isGrouped = groups.length > 0;
  const hasBands = !isGrouped && bands.length > 0;
  const hasOthers = !isGrouped && others.length > 0;
  const hasBest = !isGrouped && best.length > 0;
  const { muted, line, best: strong } = colours;
  // the middle half lies over the middle 90 %
  const half = OPACITY.ninety + OPACITY.fifty;
  const fill = isPosterior ? line : muted;
  const colourOf = colourKey([
    ...groups.map(({ value }, at) => ({
      name: value,
      colour: COURSE_COLOURS[at]!,
      opacity: 1,
      kind: 'line' as const,
    })),
    { name: names.prior, colour: muted, opacity: OPACITY.prior, kind: 'area', isShown: prior.length > 0 },
    { name: names.ninety, colour: fill, opacity: OPACITY.ninety, kind: 'area', isShown: hasBands },
    { name: names.fifty, colour: fill, opacity: half, kind: 'area', isShown: hasBands },
    { name: names.median, colour: fill, opacity: 1, kind: 'line', isShown: hasBands },
    { name: names.others, colour: fill, opacity: 1, kind: 'line', isShown: hasOthers },
    { name: front, colour: line, opacity: 1, kind: 'line', isShown: hasBest },
    ...(observed ? [{ name: observed.label, colour: strong, opacity: 1 }] : []),
  ]);
  const y = (field: string) => ({ field, type: 'quantitative', title: titleOf(output) });
  const titles = [title, 'Curve', titleOf(output), '5 %', '25 %', 'Median', '75 %', '95 %', 'Curves'];
  const numbers = new PictureNumbers(titles.map((one) => ({ title: one })));
  const onAxis = <P extends readonly [number, number]>(curve: readonly P[]): P[] =>
    curve.filter(([x]) => isOnAxis(x));
  const course = (curve: Curve, series: number, name: string, point?: string) =>
    onAxis(curve).map(([x, y], i) => ({
      x: placeOf(x),
      y,
      i,
      series,
      ...numbers.add([textOf(x), name, y], point),
    }));
  const rowed = (bands: readonly Band[], name: string) =>
    bands
      .filter((one) => isOnAxis(one.x))
      .map((one) => {
        const { q05, q25, q50, q75, q95, curves } = one;
        const row = numbers.add([textOf(one.x), name, null, q05, q25, q50, q75, q95, curves]);
        return { ...one, x: placeOf(one.x), ...row };
      });
  const middles = hasBands ? rowed(bands, isPosterior ? 'posterior' : 'runs') : [];
  const band = (values: readonly object[], from: string, to: string, name: string, opacity: number) => ({
    data: { values },
    mark: { type: 'area', opacity },
    encoding: { x, y: y(from), y2: { field: to }, color: colourOf(name) },
  });
  const medians = (values: readonly object[], strokeWidth: number, name: string) => ({
    data: { values },
    mark: { type: 'line', strokeWidth },
    encoding: { x, y: y('q50'), color: colourOf(name) },
  });
  const dots = ({ label, points }: Observed) => ({
    data: {
      values: onAxis(points).map(([x, y]) => ({
        x: placeOf(x),
        y,
        ...numbers.add([textOf(x), label, y]),
      })),
    },
    mark: { type: 'point', filled: true, size: 70, opacity: 1 },
    encoding: { x, y: y('y'), color: colourOf(label) },
  });
  const drawn = { x, y: y('y'), order: { field: 'i' } };
  const ofGroups = groups.flatMap(({ value, bands, curves }) => {
    const values = rowed(bands, value);
    return [
      ...layerIf(bands.length > 0, () => band(values.map(withoutRow), 'q05', 'q95', value, OPACITY.group)),
      ...layerIf(bands.length > 0, () => medians(values, 2, value)),
      ...[false, true].flatMap((isFront) => {
        const lines = curves.filter(({ isBest }) => isBest === isFront);
        const values = lines.flatMap(({ curve, point }, at) => course(curve, at, value, point));
        const mark = { type: 'line', strokeWidth: isFront ? 3 : 1.2 };
        const encoding = { ...drawn, color: colourOf(value), detail: { field: 'series' } };
        return values.length > 0 ? [{ data: { values }, mark, encoding }] : [];
      }),
    ];
  });
  const layer = [
    ...ofGroups,
    ...layerIf(prior.length > 0, () => band(rowed(prior, 'prior'), 'q05', 'q95', names.prior, OPACITY.prior)),
    ...layerIf(hasBands, () => band(middles.map(withoutRow), 'q05', 'q95', names.ninety, OPACITY.ninety)),
    ...layerIf(hasBands, () => band(middles.map(withoutRow), 'q25', 'q75', names.fifty, OPACITY.fifty)),
    ...layerIf(hasBands, () => medians(middles, 1.5, names.median)),
    ...layerIf(hasOthers, () => ({
      data: { values: others.flatMap((curve, at) => course(curve, at, names.others, points.others[at])) },
      mark: { type: 'line', strokeWidth: 1, opacity: 0.5 },
      encoding: { ...drawn, color: colourOf(names.others), detail: { field: 'series' } },
    })),
    ...layerIf(hasBest, () => ({
      data: { values: course(best, 0, front, points.best) },
      mark: { type: 'line', strokeWidth: hasBands || hasOthers ? 2.5 : 2 },
      encoding: { ...drawn, color: colourOf(front) },
    })),
    ...(observed ? [dots(observed)] : []),
  ];
  return { spec: { width: WIDTH - 90, height: 360, layer } as Spec, numbers };
}
