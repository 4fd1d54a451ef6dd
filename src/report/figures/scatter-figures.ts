import type { Measure } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import { type Figure, sentences } from './figure.ts';
import { confidenceOf } from '../summary/mean.ts';
import { largestPanels, largestText, titleBy } from './panels.ts';
import { type ScatterPanel, scatterPanels, scatterPlots } from '../pictures/scatter.ts';
import { surfacePlot } from '../pictures/surface.ts';
import type { ScatterEffects, SurfaceEffect } from '../summary/scatter.ts';
import type { Ranking } from '../summary/summary.ts';
import { counted, percent, statisticsOf } from '../words/words.ts';

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

export function surfaceFigure(
  { varied, strategy }: Campaign,
  output: Measure,
  surface: SurfaceEffect,
  marked: { values: readonly string[]; mean: number } | undefined,
  { wants, isGoal }: Ranking,
): Figure {
  const { x, y, isPart, isLog, points } = surface;
  const placeOf = ({ input }: typeof x): number =>
    Number(marked!.values[varied.findIndex(({ name }) => name === input.name)]);
  const first = marked && { x: placeOf(x), y: placeOf(y), mean: marked.mean };
  const names = `${x.input.name} and ${y.input.name}`;
  return {
    title: `${output.name} over ${names}`,
    caption: sentences(
      `A local regression (loess) over only ${names}, through ${isPart ? `${counted(points.length, 'point')} spread evenly over all` : 'all points'}`,
      'A lighter colour is a lower value',
      isLog ? 'The scale and the fit are logarithmic' : undefined,
      'The surface ends where no points are near',
      strategy.by === 'search' && strategy.require.length > 0
        ? 'It also has points that do not meet the requirements'
        : undefined,
    ),
    id: 'surface',
    spec: surfacePlot(surface, output, first, isGoal ? 'best' : wants),
  };
}
