import type { Band } from '../summary/bands.ts';
import type { Courses } from '../summary/courses.ts';
import type { Curve } from '../tables/value-kinds.ts';
import { titleOf } from '../words/words.ts';
import { key } from './key.ts';
import { colours, type Spec, WIDTH } from './vega.ts';

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
export function curves(
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
