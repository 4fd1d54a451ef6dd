import type { Measure } from '../../campaign/measures.ts';
import type { Goal } from '../../campaign/types.ts';
import type { ScatterEffect, ScatterEffects } from '../summary/scatter.ts';
import { titleOf, titleOfMeasure } from '../words/words.ts';
import { meanAxis, shareAxis, steps } from './output-axis.ts';
import { panels } from './panels.ts';
import { colours, type Spec } from './vega.ts';

/** The points of a sampled design: one output by one input. */
export interface ScatterPanel extends ScatterEffect {
  output: Measure;
  /** Whether the output has a logarithmic scale. */
  isLogOutput: boolean;
}

export function scatterPanels({ effects, isLog }: ScatterEffects, output: Measure): ScatterPanel[] {
  return effects.map((effect) => ({ ...effect, output, isLogOutput: isLog }));
}

/**
 * Draws the points by the value of an input, with a smooth curve and its band. Each input has a panel. A single panel
 * has the full width.
 *
 * @param isShared - whether all panels have the same scale. A flat panel then means no effect
 * @param wants - which point is marked; without it, no point is marked
 */
export function scatterPlots(all: readonly ScatterPanel[], isShared: boolean, wants?: Goal['wants']): Spec {
  const shared = isShared ? axisOf(all) : undefined;
  return panels(
    all.map((one) => panel(one, shared ?? axisOf([one]), wants, all.length > 1)),
    400,
    220,
  );
}

/** The vertical axis that several panels of one output share. */
function axisOf(all: readonly ScatterPanel[]): object {
  const [{ output, isLogOutput }] = all as [ScatterPanel];
  const values = all.flatMap(heights);
  return output.statistic === 'share' ? shareAxis(values) : meanAxis(values, isLogOutput);
}

function panel(
  { input, isLog, points, smooth, output }: ScatterPanel,
  vertical: object,
  wants: Goal['wants'] | undefined,
  isSmall: boolean,
) {
  const x = {
    field: 'x',
    type: 'quantitative',
    title: titleOf(input),
    scale: { ...(isLog ? { type: 'log' } : { zero: false }), nice: false, padding: 10 },
    axis: {
      grid: false,
      tickCount: isSmall ? 5 : 10,
      ...(isLog && { values: steps(...endsOf(points), isSmall ? 2 : 4), format: '~g' }),
    },
  };
  const y = (field: string) => ({ field, type: 'quantitative', title: titleOfMeasure(output), ...vertical });
  const isFirst = (a: number, b: number): boolean => (wants === 'lowest' ? a < b : a > b);
  const first = points.reduce((a, b) => (isFirst(b.mean, a.mean) ? b : a), points[0]!);
  const band = smooth.filter(({ low }) => low !== null);
  return {
    layer: [
      {
        data: { values: points },
        mark: { type: 'point', filled: true, color: colours.muted, ...looks(points.length, isSmall) },
        encoding: { x, y: y('mean') },
      },
      ...(band.length > 0
        ? [
            {
              data: { values: band },
              mark: { type: 'area', color: colours.line, opacity: 0.28, clip: true },
              encoding: { x, y: y('low'), y2: { field: 'high' } },
            },
          ]
        : []),
      ...(smooth.length > 0
        ? [
            {
              data: { values: smooth },
              mark: { type: 'line', color: colours.line, strokeWidth: 2.5, clip: true },
              encoding: { x, y: y('value') },
            },
          ]
        : []),
      ...(wants === undefined
        ? []
        : [
            {
              data: { values: [first] },
              mark: { type: 'point', filled: true, color: colours.best, opacity: 1, size: isSmall ? 60 : 90 },
              encoding: { x, y: y('mean') },
            },
          ]),
    ],
  };
}

/** The size and opacity of points. Many points are small and pale, so that their density is visible. */
function looks(count: number, isSmall: boolean): { size: number; opacity: number } {
  const size = Math.max(14, Math.min(48, 4_000 / count));
  return { size: isSmall ? 0.7 * size : size, opacity: Math.max(0.5, Math.min(0.85, 60 / count)) };
}

function endsOf(points: ScatterPanel['points']): [low: number, high: number] {
  const places = points.map(({ x }) => x);
  return [places.reduce((a, b) => Math.min(a, b)), places.reduce((a, b) => Math.max(a, b))];
}

/** All values for which a panel must have room: the points and the smooth. */
function heights({ points, smooth }: ScatterPanel): number[] {
  return [...points.map(({ mean }) => mean), ...smooth.map(({ value }) => value)];
}
