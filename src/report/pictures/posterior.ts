import { key } from './key.ts';
import { panels } from './panels.ts';
import { colours, type Spec } from './vega.ts';

/**
 * The distribution of an input: bars show it after the calibration, and a line shows it before the calibration. The
 * line is empty if the prior has no density.
 */
export interface DensityPanel {
  title: string;
  bars: { from: number; to: number; density: number }[];
  line: { x: number; density: number }[];
  range: [number, number];
}

/** The accepted points of a calibration, by the values of two inputs. */
export interface PairPanel {
  x: string;
  y: string;
  points: { x: number; y: number; weight: number }[];
}

const POSTERIOR = 'posterior';
const PRIOR = 'prior';

export function densities(all: readonly DensityPanel[]): Spec {
  const colour = key([
    { name: POSTERIOR, colour: colours.line, opacity: 0.7 },
    { name: PRIOR, colour: colours.best, opacity: 1 },
  ]);
  const drawn = all.map(({ title, bars, line, range }) => {
    const x = {
      type: 'quantitative',
      title,
      scale: { domain: range, nice: false, zero: false },
      axis: { grid: false, tickCount: 5, labelOverlap: true },
    };
    const y = { type: 'quantitative', title: 'Density', axis: { tickCount: 4, labels: false } };
    return {
      layer: [
        {
          data: { values: bars.map((bar) => ({ ...bar, none: 0 })) },
          mark: { type: 'rect', opacity: 0.7, clip: true },
          encoding: {
            x: { field: 'from', ...x },
            x2: { field: 'to' },
            y: { field: 'none', ...y },
            y2: { field: 'density' },
            color: colour(POSTERIOR),
          },
        },
        {
          data: { values: line },
          mark: { type: 'line', strokeWidth: 2.5, clip: true },
          encoding: {
            x: { field: 'x', ...x },
            y: { field: 'density', ...y },
            color: colour(PRIOR),
          },
        },
      ],
    };
  });
  return panels(drawn, 260, 170);
}

export function pairs(all: readonly PairPanel[]): Spec {
  const axis = (field: string, title: string) => ({
    field,
    type: 'quantitative',
    title,
    scale: { zero: false, padding: 8 },
    axis: { grid: false, tickCount: 5, labelOverlap: true },
  });
  const drawn = all.map(({ x, y, points }) => ({
    data: { values: points },
    mark: { type: 'point', filled: true, color: colours.line, opacity: 0.45 },
    encoding: {
      x: axis('x', x),
      y: axis('y', y),
      size: { field: 'weight', type: 'quantitative', scale: { range: [4, 90] }, legend: null },
    },
  }));
  return panels(drawn, 360, 220);
}
