import type { Measure } from '../../campaign/measures.ts';
import type { Campaign, Goal } from '../../campaign/types.ts';
import { type Figure, sentences } from './figure.ts';
import { meanAxis, shareAxis, steps } from './output-axis.ts';
import { largestPanels, largestText, panels, titleBy } from './panels.ts';
import { colours, type Spec } from './vega.ts';
import { confidenceOf } from '../summary/mean.ts';
import type { ScatterEffect, ScatterEffects } from '../summary/scatter.ts';
import type { Ranking } from '../summary/summary.ts';
import { counted, percent, statisticsOf, titleOf, titleOfMeasure } from '../words/words.ts';

/** Draws the points of a sampled design. The highest or lowest point is marked if there is a `ranking`. */
export function scatterFigure(
  campaign: Campaign,
  output: Measure,
  effects: ScatterEffects,
  ranking: Ranking | undefined,
): Figure {
  const all = scatterPanels(effects, output);
  const panels = largestPanels(all, ({ explained }) => explained);
  return {
    title: titleBy(
      output.name,
      panels.map(({ input }) => input),
    ),
    caption: sentences(
      ...scatterTexts(campaign, panels, effects),
      largestText(all.length, panels.length),
      ranking && `The ${ranking.wants}${effects.isPart ? ' of these points' : ''} is marked`,
      effects.isLog ? 'The scale and the fit are logarithmic' : undefined,
    ),
    id: 'scatter',
    spec: scatterPlots(panels, true, ranking?.wants),
  };
}

/** Draws the other outputs over the only input that varies. */
export function otherScatters(
  campaign: Campaign,
  all: readonly { output: Measure; effect: ScatterEffects }[],
  part: string | undefined,
): Figure {
  const panels = all.flatMap(({ output, effect }) => scatterPanels(effect, output));
  const title = panels.length === 1 ? panels[0]!.output.name : 'Other outputs';
  return {
    title: `${title} by ${panels[0]!.input.name}`,
    caption: sentences(
      ...scatterTexts(campaign, panels, all[0]!.effect),
      all.some(({ effect }) => effect.isLog)
        ? 'If values are far apart, the scale and the fit are logarithmic'
        : undefined,
      part,
    ),
    id: 'other-scatter',
    spec: scatterPlots(panels, false),
  };
}

function scatterTexts(
  campaign: Campaign,
  panels: readonly ScatterPanel[],
  { isPart }: ScatterEffects,
): string[] {
  const count = panels[0]!.points.length;
  const isReplicated = campaign.replications > 1 || campaign.precision !== null;
  const points = `${isPart ? `${counted(count, 'point')} spread evenly over all` : `All ${counted(count, 'point')}`}${isReplicated ? `, each the ${statisticsOf(panels.map(({ output }) => output)).join(' or ')} of its replications` : ''}`;
  const smooths = panels.flatMap(({ smooth }) => smooth.slice(0, 1));
  if (smooths.length === 0) return [points];
  const bands = smooths.filter(({ low }) => low !== null).length;
  const band =
    bands > 0
      ? ` with its ${percent(confidenceOf(campaign))} confidence band${bands < smooths.length ? ' (a share has none)' : ''}`
      : campaign.commonRandomNumbers
        ? ' without a band, because replications of different points share their seeds'
        : '';
  return [points, `The line is a local regression (loess)${band}`];
}

/** The points of a sampled design: one output by one input. */
export interface ScatterPanel extends ScatterEffect {
  output: Measure;
  /** Whether the output has a logarithmic scale. */
  isLogOutput: boolean;
}

function scatterPanels({ effects, isLog }: ScatterEffects, output: Measure): ScatterPanel[] {
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
