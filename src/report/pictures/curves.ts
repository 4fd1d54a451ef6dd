import type { CampaignOutput } from '../../campaign/types.ts';
import type { Curve } from '../values.ts';
import { titleOf } from '../words.ts';
import { colours, type Spec, WIDTH } from './render.ts';

/** What was observed, as dots over the curves. */
export interface Observed {
  label: string;
  points: readonly (readonly [x: number, y: number])[];
}

/** The best point's curve of a DATA_SET before those of other points, with observations if there are any. */
export function curves(
  output: CampaignOutput,
  best: Curve,
  others: readonly Curve[],
  observed?: Observed,
): Spec {
  const names = { others: 'other points', best: 'best point', observed: observed?.label ?? '' };
  const shown = [
    ...(others.length > 0 ? [{ name: names.others, colour: colours.muted }] : []),
    { name: names.best, colour: colours.line },
    ...(observed ? [{ name: names.observed, colour: colours.best }] : []),
  ];
  const color = (datum: string) => ({
    datum,
    type: 'nominal',
    scale: { domain: shown.map(({ name }) => name), range: shown.map(({ colour }) => colour) },
    legend: {
      title: null,
      orient: 'top',
      symbolType: 'circle',
      symbolSize: 90,
      symbolOpacity: 1,
      symbolStrokeWidth: 0,
      // lines would have no fill here
      symbolFillColor: { expr: "scale('color', datum.value)" },
    },
  });
  const x = {
    field: 'x',
    type: 'quantitative',
    title: null,
    scale: { nice: false },
    axis: { grid: false, tickCount: 10 },
  };
  const y = { field: 'y', type: 'quantitative', title: titleOf(output) };
  const line = (curve: Curve, series: number) => curve.map(([x, y], i) => ({ x, y, i, series }));
  const layer = [
    {
      data: { values: others.flatMap(line) },
      mark: { type: 'line', strokeWidth: 1, opacity: 0.4 },
      encoding: { x, y, color: color(names.others), detail: { field: 'series' }, order: { field: 'i' } },
    },
    {
      data: { values: line(best, 0) },
      mark: { type: 'line', strokeWidth: 3 },
      encoding: { x, y, color: color(names.best), order: { field: 'i' } },
    },
    ...(observed
      ? [
          {
            data: { values: observed.points.map(([x, y]) => ({ x, y })) },
            mark: { type: 'point', filled: true, size: 70, opacity: 1 },
            encoding: { x, y, color: color(names.observed) },
          },
        ]
      : []),
  ];
  return { width: WIDTH - 90, height: 360, layer: others.length > 0 ? layer : layer.slice(1) } as Spec;
}
