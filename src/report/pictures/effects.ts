import type { Campaign } from '../../campaign/types.ts';
import { type Figure, partText } from './figure.ts';
import { facetsFigure, gridFigure } from './heat-map.ts';
import { mainFigure, otherMainFigure, panelsOf } from './main-effects.ts';
import { otherScatters, scatterFigure } from './scatter.ts';
import { surfaceFigure } from './surface.ts';
import { chosenInterval } from '../summary/chosen.ts';
import { valueOf } from '../summary/points.ts';
import type { Reference } from '../summary/reference.ts';
import type { Summary } from '../summary/summary.ts';
import type { BestPoint } from '../../search/summary.ts';

/**
 * Makes pictures of how outputs depend on the inputs: first for the main output, then, if only one input varies, for
 * the other outputs.
 *
 * @param found - the point that a search or a selection found, with the value that the search or selection reports, not
 * the mean over all runs of the point. Null if no point was found, and for a calibration. Undefined for other campaigns,
 * and if the main output is not the goal
 */
export function effectFigures(
  campaign: Campaign,
  {
    effects: all,
    best,
    ranking,
    measures,
    choice,
  }: Pick<Summary, 'effects' | 'best' | 'ranking' | 'measures' | 'choice'>,
  reference: Reference | undefined,
  found?: BestPoint | null,
): Figure[] {
  const [first, ...others] = all;
  if (!first) return [];
  const [top] = best;
  const marked = top && {
    values: top.values,
    mean: found?.value ?? valueOf(top, first.output)!,
    interval: found ? found.interval : chosenInterval(campaign, first.output, best, choice!.among),
  };
  // without a best point, no point is marked
  const ranked = top && ranking;
  const figures = first.effects.map((effect): Figure => {
    switch (effect.kind) {
      case 'main':
        return mainFigure(campaign, first.output, effect, reference, ranked);
      case 'grid':
        return gridFigure(campaign, first.output, effect, marked, ranking);
      case 'facets':
        return facetsFigure(campaign, first.output, effect);
      case 'scatter':
        return scatterFigure(campaign, first.output, effect, found === undefined ? ranked : undefined);
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
  const part = partText(measures.length, all.length, 'outputs');
  if (scatters.length > 0) figures.push(otherScatters(campaign, scatters, part));
  if (panels.length > 0)
    figures.push(otherMainFigure(campaign, panels, reference, part, top ? 'lowest' : undefined));
  return figures;
}
