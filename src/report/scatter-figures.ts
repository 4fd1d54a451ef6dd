import type { Measure } from '../campaign/measures.ts';
import type { Campaign } from '../campaign/types.ts';
import { type Figure, sentences } from './figure.ts';
import { confidenceOf } from './mean.ts';
import { largestPanels, largestText, titleBy } from './panels.ts';
import { type ScatterPanel, scatterPanels, scatterPlots } from './pictures/scatter.ts';
import { surfacePlot } from './pictures/surface.ts';
import type { ScatterEffects, SurfaceEffect } from './scatter.ts';
import type { Ranking } from './summary.ts';
import { counted, percent, statisticsOf } from './words.ts';

/** Pictures of the points of sampled designs. */

/** @param ranking - says which point is marked; none without it */
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
      effects.isLog ? 'The scale is logarithmic, and so is the fit' : undefined,
    ),
    id: 'scatter',
    spec: scatterPlots(panels, true, ranking?.wants),
  };
}

/** Of the other outputs, where one input varies. */
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
        ? 'Where values are far apart the scale is logarithmic, and so is the fit'
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
        ? ' without a band, as replications of different points share their seeds'
        : '';
  return [points, `The line is a local regression (loess)${band}`];
}

/** What is said of the points of a surface. */
interface SurfaceMarks {
  marked: { values: readonly string[]; mean: number } | undefined;
  ranking: Ranking;
  /** Whether a search chose the points: then no variance is read off them. */
  isSearched: boolean;
}

export function surfaceFigure(
  { varied }: Campaign,
  output: Measure,
  surface: SurfaceEffect,
  { marked, ranking: { wants, isGoal }, isSearched }: SurfaceMarks,
): Figure {
  const { x, y, isPart, isLog, explained, points } = surface;
  const placeOf = ({ input }: typeof x): number =>
    Number(marked!.values[varied.findIndex(({ name }) => name === input.name)]);
  const first = marked && { x: placeOf(x), y: placeOf(y), mean: marked.mean };
  const names = `${x.input.name} and ${y.input.name}`;
  return {
    title: `${output.name} over ${names}`,
    caption: sentences(
      `A local regression (loess) over ${names} alone, through ${isPart ? `${counted(points.length, 'point')} spread evenly over all` : 'all points'}; lighter is lower`,
      isSearched
        ? undefined
        : `It explains ${shareText(explained)} of the variance between points, ${x.input.name} by itself ${shareText(x.explained)}, ${y.input.name} ${shareText(y.explained)}`,
      isLog ? 'The scale is logarithmic, and so is the fit' : undefined,
      'It ends where there are no points near by',
    ),
    id: 'surface',
    spec: surfacePlot(surface, output, first, isGoal ? 'best' : wants),
  };
}

/** "87 %"; of a share that would be rounded to all or nothing without being it: "over 99 %", "under 1 %". */
function shareText(share: number): string {
  if (share < 0.01) return 'under 1 %';
  if (share > 0.99) return 'over 99 %';
  return `${Math.round(100 * share)} %`;
}
