import type { Campaign, CampaignOutput, RunCounts } from '../campaign/types.ts';
import { percent } from './campaign-section.ts';
import type { Courses } from './courses.ts';
import type { FacetedGrid, GridEffect, MainEffects } from './effects.ts';
import type { Figure } from './figure.ts';
import { confidenceOf } from './mean.ts';
import { curves, type Observed } from './pictures/curves.ts';
import { heatMap, heatMaps } from './pictures/heat-map.ts';
import { histograms } from './pictures/histograms.ts';
import { type EffectPanel, mainEffects } from './pictures/main-effects.ts';
import { timelinePicture } from './pictures/timeline.ts';
import { meanOf, type PointResult } from './points.ts';
import type { Reference } from './reference.ts';
import type { Summary } from './summary.ts';
import type { Timeline } from './timeline.ts';
import { counted, numberText, titleOf } from './words.ts';

/** The pictures of a report, with what has to be known of each. */

/** Of the first output, then of others where one input varies. */
export function effectFigures(
  campaign: Campaign,
  { effects: all, best }: Pick<Summary, 'effects' | 'best'>,
  reference: Reference | undefined,
): Figure[] {
  const [first, ...others] = all;
  if (!first) return [];
  const figures = first.effects.map((effect): Figure => {
    switch (effect.kind) {
      case 'main':
        return mainFigure(campaign, first.output, effect, reference);
      case 'grid':
        return gridFigure(campaign, first.output, effect, best[0]!);
      case 'facets':
        return facetsFigure(first.output, effect);
    }
  });
  const panels = others.flatMap(({ output, effects }) =>
    effects.flatMap((effect) => (effect.kind === 'main' ? panelsOf(effect, output, reference) : [])),
  );
  if (panels.length === 0) return figures;
  const [{ axis }] = panels as [EffectPanel];
  const title = panels.length === 1 ? panels[0]!.output.name : 'Other outputs';
  return [
    ...figures,
    {
      title: `${title} by ${axis.input.name}`,
      caption: sentences(meansText(campaign, panels), knownText(panels, reference)),
      id: 'other-effects',
      spec: mainEffects(panels, false, reference?.label),
    },
  ];
}

function mainFigure(
  campaign: Campaign,
  output: CampaignOutput,
  effect: MainEffects,
  reference: Reference | undefined,
): Figure {
  const panels = panelsOf(effect, output, reference);
  const names = effect.effects.map(({ axis }) => axis.input.name).join(', ');
  const known = knownText(panels, reference);
  return {
    title: `${output.name} by ${names}`,
    caption: sentences(meansText(campaign, panels), known ?? 'The lowest is marked'),
    id: 'effects',
    spec: mainEffects(panels, true, reference?.label),
  };
}

/** A known value belongs to all inputs together, so it is drawn where one varies. */
function panelsOf(
  { effects }: MainEffects,
  output: CampaignOutput,
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
  const over = campaign.varied.length > 1 ? 'over all points that have the value' : 'at each value';
  const mean = `The mean ${over}`;
  if (means.some(({ low }) => low !== null))
    return `${mean}, with its ${percent(confidenceOf(campaign))} confidence interval over the replications`;
  return campaign.commonRandomNumbers && campaign.varied.length > 1
    ? `${mean}, without intervals, as replications of different points share their seeds`
    : mean;
}

function knownText(panels: readonly EffectPanel[], reference: Reference | undefined): string | undefined {
  const isKnown = panels.some(({ known }) => known && known.length > 0);
  return isKnown ? `In orange what ${reference!.label} gives` : undefined;
}

function gridFigure(
  { varied }: Campaign,
  output: CampaignOutput,
  effect: GridEffect,
  best: PointResult,
): Figure {
  const { x, y, cells } = effect;
  const valueOf = ({ input }: typeof x) => Number(best.values[varied.indexOf(input)]);
  const isWhole = x.binOf.size === x.bins.length && y.binOf.size === y.bins.length;
  const cell = isWhole
    ? 'Each cell is a point of the design'
    : 'Each cell is the mean of neighbouring points of the design';
  const isFull = cells.length === x.bins.length * y.bins.length;
  return {
    title: `${output.name} over ${x.input.name} and ${y.input.name}`,
    caption: `${cell}; lighter is lower${isFull ? '.' : '; where there is none, no run has finished.'}`,
    id: 'grid',
    spec: heatMap(effect, output, { x: valueOf(x), y: valueOf(y), mean: meanOf(best, output.name)! }),
  };
}

function facetsFigure(output: CampaignOutput, effect: FacetedGrid): Figure {
  const { x, y, by } = effect;
  return {
    title: `${output.name} over ${x.input.name} and ${y.input.name}, by ${by.name}`,
    caption: 'A picture for each value, with the same colours; lighter is lower.',
    id: 'grids',
    spec: heatMaps(effect, output),
  };
}

/** Nothing where all outputs are the same in all runs. */
export function distributionFigures(campaign: Campaign, all: Summary['distributions']): Figure[] {
  const known = all.filter(({ distribution }) => distribution.count > 0);
  const drawn = known.filter(({ distribution: { min, max } }) => min < max);
  if (drawn.length === 0) return [];
  const same = known
    .filter((one) => !drawn.includes(one))
    .map(({ output, distribution }) => `${output.name} is ${numberText(distribution.min)}`);
  const runs = Math.max(...drawn.map(({ distribution }) => distribution.count));
  return [
    {
      title: drawn.length === 1 ? `Distribution of ${drawn[0]!.output.name}` : 'Distributions of outputs',
      caption: sentences(
        `How many of ${counted(runs, 'run')}${campaign.varied.length > 0 ? ', all points together,' : ''} came to what`,
        same.length > 0 ? `In all runs ${same.join(', ')}` : undefined,
      ),
      id: 'distributions',
      spec: histograms(drawn),
    },
  ];
}

export function courseFigures(
  { varied, replications, precision }: Campaign,
  all: readonly Courses[],
  observed: (Observed & { output: string }) | undefined,
): Figure[] {
  const isReplicated = replications > 1 || precision !== null;
  return all.map((courses, i) => {
    const { output, bands, others, runs, isPart } = courses;
    const front = varied.length > 0 ? 'best point' : isReplicated ? 'replication 1' : 'the run';
    const which = varied.length > 0 && isReplicated ? ', its first replication,' : '';
    const line = `${front[0]!.toUpperCase()}${front.slice(1)}`;
    const behind =
      bands.length > 0
        ? `${line}${which} in front of the median and the middle 50 % and 90 % of ${isPart ? `${counted(runs, 'run')} spread evenly over all` : `all ${counted(runs, 'run')}`}, at each place`
        : others.length > 0
          ? `${line}${which} in front of the other runs`
          : `${line}${which} alone`.replace(', alone', ' alone');
    return {
      title: titleOf(output),
      caption: sentences(behind),
      id: `curves-${i}`,
      spec: curves(courses, front, observed?.output === output.name ? observed : undefined),
    };
  });
}

/** Nothing where nothing was outstanding: no run has finished, or all were reused. */
export function timelineFigures(timeline: Timeline, counts: RunCounts): Figure[] {
  if (timeline.outstandingTime === 0) return [];
  const open = counts.running + counts.queued;
  return [
    {
      title: 'Timeline',
      caption: sentences(
        "Above, how many runs were outstanding: requested, and not yet seen to have finished; this includes what waited in the service's queue",
        'Below, how many were seen to have finished',
        counts.reused > 0 ? 'Reused runs are part of the lower picture only' : undefined,
        open > 0 ? `The ${counted(open, 'run')} that are outstanding now are not in it yet` : undefined,
        'Of a run that was tried again only the last attempt is known',
      ),
      id: 'timeline',
      spec: timelinePicture(timeline.moments()),
    },
  ];
}

function sentences(...all: (string | undefined)[]): string {
  return all.flatMap((one) => (one === undefined ? [] : [`${one}.`])).join(' ');
}
