import type { Measure } from '../../campaign/measures.ts';
import { pointKeyOf } from '../../campaign/points.ts';
import type { Campaign, Goal } from '../../campaign/types.ts';
import { type Figure, sentences } from './figure.ts';
import {
  binCells,
  withoutRow,
  estimateCells,
  estimateColumns,
  inputCell,
  inputColumn,
  type NumberCell,
  PictureNumbers,
} from './numbers.ts';
import { colourKey } from './key.ts';
import { isUneven, isWide, meanAxis, shareAxis, wholeTicks } from './scales.ts';
import { firstBy, largestPanels, largestText, panels, titleBy } from './panels.ts';
import { colours, layerIf, type Spec } from './vega.ts';
import type { InputEffect, MainEffects } from '../summary/effects.ts';
import { binTexts, hasBinEach } from '../summary/input-axis.ts';
import { confidenceOf } from '../summary/mean.ts';
import type { Reference } from '../summary/reference.ts';
import type { Ranking } from '../summary/summary.ts';
import { percent, statisticsOf, titleOf, titleOfMeasure } from '../words/words.ts';

/** Draws the other outputs over the only input that varies. @param part - which outputs are shown; undefined if all */
export function otherMainFigure(
  campaign: Campaign,
  panels: readonly EffectPanel[],
  reference: Reference | undefined,
  part: string | undefined,
  wants: 'lowest' | undefined,
): Figure {
  const title = panels.length === 1 ? panels[0]!.output.name : 'Other outputs';
  const numbers = effectNumbers(campaign, panels);
  return {
    title: `${title} by ${panels[0]!.axis.input.name}`,
    caption: sentences(
      meansText(campaign, panels),
      togetherText(panels),
      knownText(panels, reference),
      panels.some((one) => isLogarithmic([one]))
        ? 'The scale is logarithmic if values are far apart'
        : undefined,
      part,
    ),
    id: 'other-effects',
    spec: mainEffects(withRows(campaign, panels, numbers), false, reference?.label, wants),
    numbers,
    inputs: panels.map(({ axis }) => ({ x: axis.input.name })),
  };
}

export function mainFigure(
  campaign: Campaign,
  output: Measure,
  effect: MainEffects,
  reference: Reference | undefined,
  ranked: Ranking | undefined,
): Figure {
  const all = panelsOf(effect, output, reference);
  const panels = largestPanels(all, spreadOf);
  const known = knownText(panels, reference);
  const marked = effect.isUneven ? undefined : ranked;
  const numbers = effectNumbers(campaign, panels);
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
    spec: mainEffects(withRows(campaign, panels, numbers), true, reference?.label, marked?.wants),
    numbers,
    inputs: panels.map(({ axis }) => ({ x: axis.input.name })),
  };
}

/** The inputs of panels, each once. */
function inputsOf(panels: readonly EffectPanel[]): InputEffect['axis']['input'][] {
  return [...new Map(panels.map(({ axis }) => [axis.input.name, axis.input])).values()];
}

/** The columns: the inputs, the name of the output if there are several, its value with its interval, and known values. */
function effectNumbers({ varied }: Campaign, panels: readonly EffectPanel[]): PictureNumbers {
  const outputs = new Set(panels.map(({ output }) => output));
  const [only] = outputs;
  const columns = estimateColumns(only!);
  const value = outputs.size === 1 ? columns : [{ title: 'Mean, share or quantile' }, ...columns.slice(1)];
  const hasKnown = panels.some(({ known = [] }) => known.length > 0) && varied.length === 1;
  return new PictureNumbers([
    ...inputsOf(panels).map(inputColumn),
    ...(outputs.size === 1 ? [] : [{ title: 'Output' }]),
    ...value,
    ...(hasKnown ? [{ ...value[0]!, title: 'Known value' }] : []),
  ]);
}

/** Adds a row for each mean and each known value. */
function withRows(campaign: Campaign, panels: readonly EffectPanel[], numbers: PictureNumbers): RowedPanel[] {
  const { varied } = campaign;
  const keyOf = pointKeyOf(campaign);
  const inputs = inputsOf(panels);
  const isNamed = new Set(panels.map(({ output }) => output)).size > 1;
  return panels.map((panel) => {
    const { axis, output, means, known } = panel;
    const texts = binTexts(axis);
    const cells = binCells(axis);
    const arePoints = varied.length === 1 && hasBinEach(axis);
    const head = (cell: NumberCell): NumberCell[] => [
      ...inputs.map((input) => (input.name === axis.input.name ? cell : null)),
      ...(isNamed ? [titleOfMeasure(output)] : []),
    ];
    return {
      ...panel,
      means: means.map((one) => ({
        ...one,
        ...numbers.add(
          [...head(cells[one.bin]), ...estimateCells(output, one.mean, one.low, one.high)],
          arePoints ? keyOf([texts[one.bin]!]) : undefined,
        ),
      })),
      known: known?.map((one) => ({
        ...one,
        ...numbers.add([...head(inputCell(axis.input, one.value)), null, null, null, one.y]),
      })),
    };
  });
}

/** A panel whose marks have rows. */
interface RowedPanel extends EffectPanel {
  means: (InputEffect['means'][number] & { row: number })[];
  known: { value: string; y: number; row: number }[] | undefined;
}

/** The distance between the highest and the lowest mean of an input's values. */
function spreadOf({ means }: EffectPanel): number {
  const all = means.map(({ mean }) => mean);
  return Math.max(...all) - Math.min(...all);
}

/** The panels of an output. A known value depends on all inputs, so it is drawn only if one input varies. */
export function panelsOf(
  { effects }: MainEffects,
  output: Measure,
  reference: Reference | undefined,
): EffectPanel[] {
  const known = reference?.rows.flatMap(({ values, numbers }) => {
    const y = numbers.get(output.name);
    return values.length === 1 && y !== undefined ? [{ value: values[0]!, y }] : [];
  });
  return effects.map((effect) => ({ ...effect, output, known: effects.length === 1 ? known : undefined }));
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
  const hasKnown = panels.some(({ known = [] }) => known.length > 0);
  return hasKnown ? `Orange: the values of ${reference!.label}` : undefined;
}

/** How an output depends on an input. */
interface EffectPanel extends InputEffect {
  output: Measure;
  /** Known values of the output, by the canonical value of the input. */
  known?: readonly { value: string; y: number }[] | undefined;
}

/** The maximum number of dots in a panel that a reader can distinguish. */
const MOST_DOTS = 60;

/** The maximum number of characters of a label that fits beside other labels. */
const LONG_LABEL = 10;

/** The maximum number of values of an input that each have a label. */
const MOST_LABELS = 12;

/**
 * Draws the mean, share or quantile of an output, with its interval, by the value of an input. Each input has a panel.
 * A single panel has the full width. The best mean is marked, unless known values are drawn.
 *
 * @param isShared - whether all panels have the same scale. A flat panel then means no effect
 * @param wants - which mean is marked as the best; without it, no mean is marked
 * @param label - the name of the known values
 */
function mainEffects(
  all: readonly RowedPanel[],
  isShared: boolean,
  label: string | undefined,
  wants: Goal['wants'] | undefined,
): Spec {
  const shared = isShared ? verticalAxis(all) : undefined;
  const drawn = all.map((one) => panel(one, shared ?? verticalAxis([one]), label ?? '', wants));
  return panels(drawn, 380, 210);
}

function panel(
  { axis, means, output, known = [] }: RowedPanel,
  vertical: object,
  label: string,
  wants: Goal['wants'] | undefined,
) {
  const first = firstBy(means, wants);
  const place = (bin: number) => (axis.isNumeric ? axis.bins[bin]!.value : axis.bins[bin]!.label);
  const values = means.map(({ bin, mean, low, high, row }) => ({
    row,
    x: place(bin),
    mean,
    low,
    high,
    isMarked: wants !== undefined && bin === first?.bin,
  }));
  const within = withinOf({ axis, known });
  const title = titleOf(axis.input);
  const bins = axis.bins.map(({ value }) => value);
  const isLog = axis.isNumeric && isUneven(bins);
  const isCrowded = bins.length > 4 || axis.bins.some(({ label }) => label.length > LONG_LABEL);
  const hasLabelEach = bins.length <= MOST_LABELS && (isLog || isWhole(axis));
  const x = axis.isNumeric
    ? {
        field: 'x',
        type: 'quantitative',
        scale: { ...(isLog ? { type: 'log' } : { zero: false }), nice: false, padding: 12 },
        title,
        axis: {
          grid: false,
          ...wholeTicks(axis.input),
          ...(hasLabelEach && { values: bins, format: isWhole(axis) ? ',d' : ',.4~r' }),
        },
      }
    : { field: 'x', type: 'nominal', sort: null, title, axis: { labelAngle: isCrowded ? -40 : 0 } };
  const height = { type: 'quantitative', title: titleOfMeasure(output), ...vertical };
  const mean = { x, y: { field: 'mean', ...height } };
  const hasIntervals = values.some(({ low }) => low !== null);
  const areDots = means.length <= MOST_DOTS;
  const { statistic } = output;
  const names = { mean: hasIntervals ? `${statistic}, with its interval` : statistic, known: label };
  const colourOf = colourKey([
    { name: names.mean, colour: colours.line, opacity: 1 },
    { name: names.known, colour: colours.best, opacity: 1 },
  ]);
  // a key is needed only if there are two kinds of marks
  const inColour = (name: string, colour: string) =>
    within.length > 0 ? { color: colourOf(name) } : { color: { value: colour } };
  const ofMean = inColour(names.mean, colours.line);
  const interval = { x, y: { field: 'low', ...height }, y2: { field: 'high' }, ...ofMean };
  const inIntervals = { data: { values: values.filter(({ low }) => low !== null).map(withoutRow) } };
  return {
    layer: [
      ...layerIf(hasIntervals && !areDots && axis.isNumeric, () => ({
        ...inIntervals,
        mark: { type: 'area', opacity: 0.25 },
        encoding: interval,
      })),
      ...layerIf(within.length > 0, () => ({
        data: { values: within },
        mark: axis.isNumeric
          ? { type: 'line', strokeWidth: 2 }
          : { type: 'point', shape: 'diamond', filled: true, opacity: 1, size: 90 },
        encoding: { x, y: { field: 'y', ...height }, ...inColour(names.known, colours.best) },
      })),
      ...layerIf(axis.isNumeric && within.length === 0, () => ({
        data: { values },
        mark: { type: 'line', strokeWidth: hasIntervals && areDots ? 1 : 2 },
        encoding: { ...mean, ...ofMean },
      })),
      ...(hasIntervals && areDots
        ? [
            { ...inIntervals, mark: { type: 'rule', strokeWidth: 1.5 }, encoding: interval },
            ...(['low', 'high'] as const).map((end) => ({
              ...inIntervals,
              mark: { type: 'tick', orient: 'horizontal', size: 9, thickness: 1.5 },
              encoding: { x, y: { field: end, ...height }, ...ofMean },
            })),
          ]
        : []),
      ...layerIf(areDots, () => ({
        data: { values },
        mark: { type: 'point', filled: true, opacity: 1, size: 40 },
        encoding: { ...mean, ...ofMean },
      })),
      ...layerIf(within.length === 0, () => ({
        data: { values: values.filter(({ isMarked }) => isMarked) },
        mark: { type: 'point', filled: true, color: colours.best, opacity: 1, size: 90 },
        encoding: mean,
      })),
    ],
  };
}

/** The known values within the axis. If the input is numeric, they are in ascending order of the input. */
function withinOf<K extends { value: string; y: number }>({
  axis,
  known = [],
}: {
  axis: EffectPanel['axis'];
  known?: readonly K[] | undefined;
}): (Omit<K, 'value'> & { x: number | string })[] {
  const placed = known.map((one) => ({ ...one, x: axis.isNumeric ? Number(one.value) : one.value }));
  if (!axis.isNumeric) return placed.filter(({ value }) => axis.binOf.has(value));
  const [first, last] = [axis.bins[0]!.value, axis.bins.at(-1)!.value];
  const within = placed.filter(({ x }) => first <= Number(x) && Number(x) <= last);
  return within.sort((a, b) => Number(a.x) - Number(b.x));
}

function isWhole({ bins }: InputEffect['axis']): boolean {
  return bins.every(({ value }) => Number.isSafeInteger(value));
}

/** The vertical axis that several panels share. */
function verticalAxis(all: readonly EffectPanel[]): object {
  const values = all.flatMap(heights);
  return all.every(isShare) ? shareAxis(values) : meanAxis(values);
}

function isShare({ output }: EffectPanel): boolean {
  return output.statistic === 'share';
}

/** All values for which a panel must have room. */
function heights({ axis, means, known }: EffectPanel): number[] {
  return [
    ...means.flatMap(({ mean, low, high }) => [mean, low ?? mean, high ?? mean]),
    ...withinOf({ axis, known }).map(({ y }) => y),
  ];
}

/** Whether panels that share a scale have a logarithmic scale. */
function isLogarithmic(all: readonly EffectPanel[]): boolean {
  return all.every((one) => !isShare(one)) && isWide(all.flatMap(heights));
}
