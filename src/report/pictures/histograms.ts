import type { Campaign, CampaignOutput } from '../../campaign/types.ts';
import { type Figure, partText, repeatsText, sentences } from './figure.ts';
import { type NumberCell, PictureNumbers } from './numbers.ts';
import { wholeTicks } from './scales.ts';
import { panels } from './panels.ts';
import { colours, type Spec } from './vega.ts';
import type { CountedInterval, Distribution } from '../summary/distribution.ts';
import type { OutputDistribution, Summary } from '../summary/summary.ts';
import { hasWholeValues } from '../tables/value-kinds.ts';
import { counted, numberText, titleOf } from '../words/words.ts';

/**
 * Makes a picture of the distributions of outputs over all runs. Empty if no output has two different finite values.
 */
export function distributionFigures(
  campaign: Campaign,
  { distributions: all, measures }: Pick<Summary, 'distributions' | 'measures'>,
): Figure[] {
  const none = all.filter(({ distribution }) => distribution.count === 0);
  const known = all.filter(({ distribution }) => distribution.count > 0);
  const drawn = known.filter(({ distribution: { min, max } }) => min < max);
  if (drawn.length === 0) return [];
  const countable = measures.filter(({ statistic }) => statistic !== 'quantile').length;
  const runs = drawn[0]!.distribution.count + drawn[0]!.without;
  const partly = drawn.filter(({ without }) => without > 0);
  const isOne = drawn.length === 1;
  const numbers = new PictureNumbers([
    ...(isOne ? [] : [{ title: 'Output' }]),
    { title: isOne ? `${titleOf(drawn[0]!.output)} from` : 'From' },
    { title: isOne ? 'below' : 'Below' },
    { title: 'Runs' },
  ]);
  return [
    {
      title: isOne ? `Distribution of ${drawn[0]!.output.name}` : 'Distributions of outputs',
      caption: sentences(
        `The number of runs by value: ${counted(runs, 'run')}${campaign.varied.length > 0 ? ' over all points' : ''}`,
        repeatsText(campaign),
        partText(countable, all.length, 'outputs'),
        partly.length > 0
          ? `Runs without a finite value are left out: ${partly.map(({ output, without }) => `${without.toLocaleString('en-US')} of ${output.name}`).join(', ')}`
          : undefined,
        ...sameTexts(known.filter((one) => !drawn.includes(one))),
        none.length > 0
          ? `No run has a finite value of ${none.map(({ output }) => output.name).join(', ')}`
          : undefined,
      ),
      id: 'distributions',
      spec: histograms(drawn, numbers),
      numbers,
    },
  ];
}

/**
 * Sentences about outputs with the same value in all runs: "In all runs A is 1, B is 2", "In all 12 runs with a finite
 * value, C is 0.5".
 */
function sameTexts(same: readonly OutputDistribution[]): string[] {
  const text = ({ output, distribution }: OutputDistribution) =>
    `${output.name} is ${output.type === 'BOOLEAN' ? String(distribution.min === 1) : numberText(distribution.min)}`;
  const everywhere = same.filter(({ without }) => without === 0);
  return [
    ...(everywhere.length > 0 ? [`In all runs ${everywhere.map(text).join(', ')}`] : []),
    ...same
      .filter(({ without }) => without > 0)
      .map((one) =>
        one.distribution.count === 1
          ? `In the only run with a finite value, ${text(one)}`
          : `In all ${counted(one.distribution.count, 'run')} with a finite value, ${text(one)}`,
      ),
  ];
}

/** The maximum number of bars of a panel. */
const MOST_BARS = 40;

/** Draws the number of runs by value, one panel per output. */
function histograms(
  all: readonly { output: CampaignOutput; distribution: Distribution }[],
  numbers: PictureNumbers,
): Spec {
  const drawn = all.map(({ output, distribution }) => {
    const bars = distribution.intervals(barsFor(distribution.count));
    const labels = output.type === 'BOOLEAN' ? BOTH : wholeTicks(output);
    const named = all.length > 1 ? [titleOf(output)] : [];
    const areSingle = areSingleNumbers(output, bars);
    const rows = bars
      .filter(({ count }) => count > 0)
      .map((bar) => {
        const ends = areSingle ? [valueCell(output, bar.from), null] : [bar.from, bar.to];
        return { ...bar, ...numbers.add([...named, ...ends, bar.count]) };
      });
    return panel(titleOf(output), rows, areSingle ? 0.5 : 0, labels);
  });
  return panels(drawn, 220, 150);
}

/**
 * The maximum number of bars: twice the number of the Rice rule, from 8 to `MOST_BARS`. All widths of bars are powers
 * of two, so the histogram may have only about half of the maximum.
 */
function barsFor(count: number): number {
  return Math.min(MOST_BARS, Math.max(8, Math.ceil(4 * Math.cbrt(count))));
}

/** Whether each bar covers exactly one whole number. The bar is then centred on that number. */
function areSingleNumbers(output: CampaignOutput, [bar]: readonly CountedInterval[]): boolean {
  return hasWholeValues(output) && bar !== undefined && bar.to - bar.from === 1;
}

/** A value that a bar stands for. */
function valueCell({ type }: CampaignOutput, value: number): NumberCell {
  return type === 'BOOLEAN' ? { value, text: String(value === 1) } : value;
}

/** The labels of an axis for false (0) and true (1). */
const BOTH = { values: [0, 1], labelExpr: "datum.value === 1 ? 'true' : 'false'" };

/** @param shift - how far the bars are moved to lower values */
function panel(
  title: string,
  bars: readonly (CountedInterval & { row: number })[],
  shift: number,
  labels: object,
) {
  const values = bars.map(({ from, to, ...bar }) => ({
    ...bar,
    from: from - shift,
    to: to - shift,
    none: 0,
  }));
  return {
    data: { values },
    // the stroke closes gaps of less than a pixel between bars
    mark: { type: 'rect', color: colours.line, stroke: colours.line, strokeWidth: 0.5 },
    encoding: {
      x: {
        field: 'from',
        type: 'quantitative',
        scale: { zero: false, nice: false },
        title,
        axis: { grid: false, tickCount: 5, labelOverlap: true, ...labels },
      },
      x2: { field: 'to' },
      y: { field: 'none', type: 'quantitative', title: 'Runs', axis: { tickCount: 4, tickMinStep: 1 } },
      y2: { field: 'count' },
    },
  };
}
