import type { Measure } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { BestPoint } from '../../search/summary.ts';
import { hasBinEach } from '../summary/input-axis.ts';
import { confidenceOf } from '../summary/mean.ts';
import type { FacetedGrid, GridEffect, MainEffects } from '../summary/effects.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { heatMap, heatMaps } from '../pictures/heat-map.ts';
import { type EffectPanel, isLogarithmic, mainEffects } from '../pictures/main-effects.ts';
import { valueOf } from '../summary/points.ts';
import { largestPanels, largestText, titleBy } from './panels.ts';
import type { Reference } from '../summary/reference.ts';
import type { Ranking, Summary } from '../summary/summary.ts';
import { otherScatters, scatterFigure, surfaceFigure } from './scatter-figures.ts';
import { percent, statisticsOf } from '../words/words.ts';

/** The point that pictures mark. */
export interface MarkedPoint {
  /** The values of all inputs that vary, in their order. */
  values: readonly string[];
  mean: number;
}

/**
 * Makes pictures of how outputs depend on the inputs: first for the main output, then, if only one input varies, for
 * the other outputs.
 *
 * @param found - the point that a search or a selection found. Its `value` is the value that the search or selection
 * reports, not the mean over all runs of the point. Null if no point was found, and for a calibration. Undefined for
 * other campaigns, and if the main output is not the goal
 */
export function effectFigures(
  campaign: Campaign,
  { effects: all, best, ranking, measures }: Pick<Summary, 'effects' | 'best' | 'ranking' | 'measures'>,
  reference: Reference | undefined,
  found?: BestPoint | null,
): Figure[] {
  const [first, ...others] = all;
  if (!first) return [];
  const isSearched = found !== undefined;
  const [top] = best;
  const marked = top && { values: top.values, mean: found?.value ?? valueOf(top, first.output)! };
  // without a best point, no point is marked
  const ranked = top && ranking;
  const figures = first.effects.map((effect): Figure => {
    switch (effect.kind) {
      case 'main':
        return mainFigure(campaign, first.output, effect, reference, ranked);
      case 'grid':
        return gridFigure(campaign, first.output, effect, marked, ranking);
      case 'facets':
        return facetsFigure(first.output, effect);
      case 'scatter':
        return scatterFigure(campaign, first.output, effect, isSearched ? undefined : ranked);
      case 'surface':
        return surfaceFigure(campaign, first.output, effect, marked, ranking);
    }
  });
  const panels = others.flatMap(({ output, effects }) =>
    effects.flatMap((effect) => (effect.kind === 'main' ? panelsOf(effect, output, reference) : [])),
  );
  const scatters = others.flatMap(({ output, effects }) =>
    effects.flatMap((effect) => (effect.kind === 'scatter' ? [{ output, effect }] : [])),
  );
  if (scatters.length > 0)
    figures.push(otherScatters(campaign, scatters, partText(measures.length, all.length, 'outputs')));
  if (panels.length === 0) return figures;
  const [{ axis }] = panels as [EffectPanel];
  const title = panels.length === 1 ? panels[0]!.output.name : 'Other outputs';
  return [
    ...figures,
    {
      title: `${title} by ${axis.input.name}`,
      caption: sentences(
        meansText(campaign, panels),
        togetherText(panels),
        knownText(panels, reference),
        panels.some((one) => isLogarithmic([one]))
          ? 'The scale is logarithmic if values are far apart'
          : undefined,
        partText(measures.length, all.length, 'outputs'),
      ),
      id: 'other-effects',
      spec: mainEffects(panels, false, reference?.label, top ? 'lowest' : undefined),
    },
  ];
}

function mainFigure(
  campaign: Campaign,
  output: Measure,
  effect: MainEffects,
  reference: Reference | undefined,
  ranked: Ranking | undefined,
): Figure {
  const all = panelsOf(effect, output, reference);
  const panels = largestPanels(all, rangeOf);
  const known = knownText(panels, reference);
  const marked = effect.isUneven ? undefined : ranked;
  return {
    title: titleBy(
      output.name,
      panels.map(({ axis }) => axis.input),
    ),
    caption: sentences(
      meansText(campaign, panels),
      largestText(all.length, panels.length),
      togetherText(panels),
      effect.isUneven
        ? 'Some points have no value. So the means of two values of an input may differ only because they come from different values of the other inputs'
        : undefined,
      known ?? (marked && `The ${marked.wants} is marked`),
      isLogarithmic(panels) ? 'The scale is logarithmic' : undefined,
    ),
    id: 'effects',
    spec: mainEffects(panels, true, reference?.label, marked?.wants),
  };
}

/** The distance between the highest and the lowest mean of an input's values. */
function rangeOf({ means }: EffectPanel): number {
  const all = means.map(({ mean }) => mean);
  return Math.max(...all) - Math.min(...all);
}

/** A known value depends on all inputs, so it is drawn only if one input varies. */
function panelsOf(
  { effects }: MainEffects,
  output: Measure,
  reference: Reference | undefined,
): EffectPanel[] {
  return effects.map((effect) => ({
    ...effect,
    output,
    known:
      effects.length === 1
        ? reference?.rows.flatMap(({ values, numbers }) => {
            const y = numbers.get(output.name);
            return values.length === 1 && y !== undefined ? [{ value: values[0]!, y }] : [];
          })
        : undefined,
  }));
}

function meansText(campaign: Campaign, panels: readonly EffectPanel[]): string {
  const means = panels.flatMap((panel) => panel.means);
  const over = campaign.varied.length > 1 ? 'over all points with the value' : 'at each value';
  const what = statisticsOf(panels.map(({ output }) => output)).join(' or ');
  const mean = `The ${what} ${over}`;
  if (means.some(({ low }) => low !== null))
    return `${mean}, with its ${percent(confidenceOf(campaign))} confidence interval over the replications`;
  return campaign.commonRandomNumbers && campaign.varied.length > 1
    ? `${mean}, without intervals, because replications of different points share their seeds`
    : mean;
}

/** "Neighbouring values of Rate are grouped"; undefined if no values are grouped. */
function togetherText(panels: readonly EffectPanel[]): string | undefined {
  const binned = panels.filter(({ axis }) => !hasBinEach(axis)).map(({ axis }) => axis.input.name);
  if (binned.length === 0) return undefined;
  return `Neighbouring values of ${[...new Set(binned)].join(', ')} are grouped`;
}

function knownText(panels: readonly EffectPanel[], reference: Reference | undefined): string | undefined {
  const isKnown = panels.some(({ known }) => known && known.length > 0);
  return isKnown ? `Orange: the values of ${reference!.label}` : undefined;
}

function gridFigure(
  { varied }: Campaign,
  output: Measure,
  effect: GridEffect,
  best: MarkedPoint | undefined,
  { wants, isGoal }: Ranking,
): Figure {
  const { x, y, cells } = effect;
  const binOf = ({ input, binOf }: typeof x) => best && binOf.get(best.values[varied.indexOf(input)]!);
  const [column, row] = [binOf(x), binOf(y)];
  // the best point may belong to an earlier design, with a value that this grid does not have
  const isBeside = column === undefined || row === undefined;
  const marked = isBeside ? undefined : { x: column, y: row, mean: best!.mean };
  const isFull = cells.length === x.bins.length * y.bins.length;
  return {
    title: `${output.name} over ${x.input.name} and ${y.input.name}`,
    caption: `${cellText(effect)}. A lighter cell has a lower value.${isFull ? '' : ' An empty cell has no completed run, or is not a point of the campaign.'}`,
    id: 'grid',
    spec: heatMap(effect, output, marked, isGoal ? 'best' : wants),
  };
}

function cellText({ x, y }: Pick<GridEffect, 'x' | 'y'>): string {
  return hasBinEach(x) && hasBinEach(y)
    ? 'Each cell is a point of the design'
    : 'Each cell is the mean of neighbouring points of the design';
}

function facetsFigure(output: Measure, effect: FacetedGrid): Figure {
  const { x, y, by } = effect;
  return {
    title: `${output.name} over ${x.input.name} and ${y.input.name}, by ${by.name}`,
    caption: `One picture for each value of ${by.name}, all with the same colours. ${cellText(effect)}. A lighter cell has a lower value.`,
    id: 'grids',
    spec: heatMaps(effect, output),
  };
}
