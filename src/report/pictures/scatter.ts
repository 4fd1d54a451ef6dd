import type { Measure } from '../../campaign/measures.ts';
import { pointKeyOf } from '../../campaign/points.ts';
import type { Campaign, Goal, VariedInput } from '../../campaign/types.ts';
import { type Figure, sentences } from './figure.ts';
import {
  withoutRow,
  estimateCells,
  inputCell,
  inputColumn,
  measureColumnOf,
  type NumberCell,
  PictureNumbers,
} from './numbers.ts';
import { meanAxis, shareAxis, steps, wholeTicks } from './scales.ts';
import { firstBy, largestPanels, largestText, panels, titleBy } from './panels.ts';
import { colours, layerIf, type Spec } from './vega.ts';
import { confidenceOf } from '../summary/mean.ts';
import type { ScatterEffect, ScatterEffects } from '../summary/scatter.ts';
import type { Ranking } from '../summary/summary.ts';
import { rangeOf } from '../../statistics/sample.ts';
import { counted, percent, statisticsOf, titleOf, titleOfMeasure } from '../words/words.ts';

/** Draws the points of a sampled design. The highest or lowest point is marked if there is a `ranking`. */
export function scatterFigure(
  campaign: Campaign,
  output: Measure,
  effects: ScatterEffects,
  ranking: Ranking | undefined,
): Figure {
  const numbers = scatterNumbers(campaign.varied, [output]);
  const all = scatterPanels(campaign, effects, output, numbers, false);
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
    numbers,
    inputs: panels.map(({ input }) => ({ x: input.name })),
  };
}

/** Draws the other outputs over the only input that varies. */
export function otherScatters(
  campaign: Campaign,
  all: readonly { output: Measure; effect: ScatterEffects }[],
  part: string | undefined,
): Figure {
  const numbers = scatterNumbers(
    campaign.varied,
    all.map(({ output }) => output),
  );
  const panels = all.flatMap(({ output, effect }) =>
    scatterPanels(campaign, effect, output, numbers, all.length > 1),
  );
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
    numbers,
    inputs: panels.map(({ input }) => ({ x: input.name })),
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

/** The points of a sampled design: one output by one input. Each point and some places of the smooth have a row. */
export interface ScatterPanel extends Pick<ScatterEffect, 'input' | 'isLog' | 'explained'> {
  output: Measure;
  points: { x: number; mean: number; row: number }[];
  smooth: (ScatterEffect['smooth'][number] & { row?: number })[];
  /** Whether the output has a logarithmic scale. */
  isLogOutput: boolean;
}

/** The columns: the inputs, the name of the output if there are several, its value, and the smooth with its band. */
export function scatterNumbers(inputs: readonly VariedInput[], outputs: readonly Measure[]): PictureNumbers {
  const [only] = outputs;
  const value = outputs.length === 1 ? measureColumnOf(only!) : { title: 'Mean, share or quantile' };
  const fit = ['Fit', 'Fit from', 'Fit to'].map((title) => ({ ...value, title }));
  const output = outputs.length === 1 ? [] : [{ title: 'Output' }];
  return new PictureNumbers([...inputs.map(inputColumn), ...output, value, ...fit]);
}

function scatterPanels(
  campaign: Campaign,
  { effects, isLog }: ScatterEffects,
  output: Measure,
  numbers: PictureNumbers,
  isNamed: boolean,
): ScatterPanel[] {
  const { varied } = campaign;
  const keyOf = pointKeyOf(campaign);
  const name = isNamed ? [titleOfMeasure(output)] : [];
  // all panels have the same points
  const rows = (effects[0]?.points ?? []).map(({ values, mean }) => {
    const cells = values.map((value, at) => inputCell(varied[at]!, value));
    return numbers.add([...cells, ...name, mean], keyOf(values));
  });
  return effects.map((effect) => ({
    ...effect,
    output,
    isLogOutput: isLog,
    points: effect.points.map((point, at) => ({ ...point, ...rows[at]! })),
    smooth: smoothRows(output, effect, numbers, (x) => [
      ...varied.map((one) => (one === effect.input ? x : null)),
      ...name,
    ]),
  }));
}

/** One of so many places of a smooth has a row of its own. */
const PLACES_A_ROW = 4;

/** Adds rows for places of a smooth. @param cellsOf - the cells before those of the value and the fit */
export function smoothRows(
  output: Measure,
  { smooth }: Pick<ScatterEffect, 'smooth'>,
  numbers: PictureNumbers,
  cellsOf: (x: number) => NumberCell[],
): ScatterPanel['smooth'] {
  return smooth.map((place, at) => {
    if (at % PLACES_A_ROW !== 0) return place;
    return {
      ...place,
      ...numbers.add([
        ...cellsOf(place.x),
        null,
        ...estimateCells(output, place.value, place.low, place.high),
      ]),
    };
  });
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
      ...wholeTicks(input),
      ...(isLog && {
        values: steps(...rangeOf(points.map((point) => point.x)), isSmall ? 2 : 4),
        format: ',~r',
      }),
    },
  };
  const y = (field: string) => ({ field, type: 'quantitative', title: titleOfMeasure(output), ...vertical });
  const first = firstBy(points, wants);
  const band = smooth.filter(({ low }) => low !== null);
  return {
    layer: [
      {
        data: { values: points },
        mark: { type: 'point', filled: true, color: colours.muted, ...looks(points.length, isSmall) },
        encoding: { x, y: y('mean') },
      },
      ...layerIf(band.length > 0, () => ({
        data: { values: band.map(withoutRow) },
        mark: { type: 'area', color: colours.line, opacity: 0.28, clip: true },
        encoding: { x, y: y('low'), y2: { field: 'high' } },
      })),
      ...layerIf(smooth.length > 0, () => ({
        data: { values: smooth },
        mark: { type: 'line', color: colours.line, strokeWidth: 2.5, clip: true },
        encoding: { x, y: y('value') },
      })),
      ...layerIf(wants !== undefined, () => ({
        data: { values: [first] },
        mark: { type: 'point', filled: true, color: colours.best, opacity: 1, size: isSmall ? 60 : 90 },
        encoding: { x, y: y('mean') },
      })),
    ],
  };
}

/** The size and opacity of points. Many points are small and pale, so that their density is visible. */
function looks(count: number, isSmall: boolean): { size: number; opacity: number } {
  const size = Math.max(14, Math.min(48, 4_000 / count));
  return { size: isSmall ? 0.7 * size : size, opacity: Math.max(0.5, Math.min(0.85, 60 / count)) };
}

/** All values for which a panel must have room: the points and the smooth. */
function heights({ points, smooth }: ScatterPanel): number[] {
  return [...points.map(({ mean }) => mean), ...smooth.map(({ value }) => value)];
}
