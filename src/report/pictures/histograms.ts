import type { CampaignOutput } from '../../campaign/types.ts';
import type { Distribution, CountedInterval } from '../summary/distribution.ts';
import { titleOf } from '../words/words.ts';
import { panels } from './panels.ts';
import { colours, type Spec } from './vega.ts';

const MOST_BARS = 40;

/** Draws the number of runs by value, one panel per output. */
export function histograms(all: readonly { output: CampaignOutput; distribution: Distribution }[]): Spec {
  const drawn = all.map(({ output, distribution }) => {
    const bars = distribution.intervals(barsFor(distribution.count));
    const labels = output.type === 'BOOLEAN' ? BOTH : {};
    return panel(titleOf(output), bars, isSingle(output, bars) ? 0.5 : 0, labels);
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
function isSingle({ type }: CampaignOutput, [bar]: readonly CountedInterval[]): boolean {
  return (
    (type === 'INTEGER' || type === 'LONG' || type === 'BOOLEAN') &&
    bar !== undefined &&
    bar.to - bar.from === 1
  );
}

/** The labels of an axis for false (0) and true (1). */
const BOTH = { values: [0, 1], labelExpr: "datum.value === 1 ? 'true' : 'false'" };

function panel(title: string, bars: readonly CountedInterval[], shift: number, labels: object) {
  const values = bars
    .filter(({ count }) => count > 0)
    .map(({ from, to, count }) => ({ from: from - shift, to: to - shift, count, none: 0 }));
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
