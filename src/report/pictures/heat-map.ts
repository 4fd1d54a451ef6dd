import type { CampaignOutput } from '../../campaign/types.ts';
import type { FacetedGrid, GridEffect } from '../effects.ts';
import { numberText, titleOf } from '../words.ts';
import { type Spec, WIDTH } from './render.ts';
import { colourScale } from './scale.ts';

/** The mean of an output over two numeric inputs as coloured cells, the best point marked. Light is low. */
export function heatMap(
  { x, y, cells }: GridEffect,
  output: CampaignOutput,
  best: { x: number; y: number; mean: number },
): Spec {
  const marked = {
    x: { field: 'x', type: 'quantitative' },
    y: { field: 'y', type: 'quantitative' },
  } as const;
  const onRight = best.x > (x.bins[0]!.from + x.bins.at(-1)!.to) / 2;
  const words = {
    type: 'text',
    align: onRight ? 'right' : 'left',
    dx: onRight ? -16 : 16,
    fontSize: 13,
    fontWeight: 600,
  } as const;
  const text = { value: `best: ${numberText(best.mean)}` };
  return {
    width: WIDTH - 170,
    height: 460,
    layer: [
      { data: { values: rectsOf({ x, y, cells }) }, ...coloured({ x, y, cells }, output, 380) },
      ...(['white', '#1a1a1a'] as const).flatMap((colour, i) => [
        {
          data: { values: [best] },
          mark: {
            type: 'point',
            shape: 'circle',
            size: 190,
            filled: false,
            stroke: colour,
            strokeWidth: i ? 2 : 5,
            opacity: 1,
          },
          encoding: marked,
        } as const,
        {
          data: { values: [best] },
          mark: i ? { ...words, color: colour } : { ...words, color: colour, stroke: colour, strokeWidth: 4 },
          encoding: { ...marked, text },
        } as const,
      ]),
    ],
  } as Spec;
}

const COLUMNS = 3;

/** A heat map for each value of a third input, all with the same scales. */
export function heatMaps({ x, y, by, facets }: FacetedGrid, output: CampaignOutput): Spec {
  const columns = Math.min(COLUMNS, facets.length);
  const cells = facets.flatMap((facet) => facet.cells);
  const size = Math.floor((WIDTH - 150) / columns) - 24;
  return {
    data: {
      values: facets.flatMap(({ label, cells }) =>
        rectsOf({ x, y, cells }).map((rect) => ({ ...rect, label })),
      ),
    },
    facet: {
      field: 'label',
      type: 'ordinal',
      sort: facets.map(({ label }) => label),
      title: titleOf(by),
      header: {
        titleFontSize: 13,
        labelFontSize: 12,
        labelColor: 'currentColor',
        titleColor: 'currentColor',
      },
    },
    columns,
    spacing: 20,
    spec: { width: size, height: Math.min(size, 240), ...coloured({ x, y, cells }, output, 200) },
  } as Spec;
}

function rectsOf({ x, y, cells }: Pick<GridEffect, 'x' | 'y' | 'cells'>) {
  return cells.map((cell) => {
    const { from: x0, to: x1 } = x.bins[cell.x]!;
    const { from: y0, to: y1 } = y.bins[cell.y]!;
    return { x0, x1, y0, y1, mean: cell.mean };
  });
}

function coloured(
  { x, y, cells }: Pick<GridEffect, 'x' | 'y' | 'cells'>,
  output: CampaignOutput,
  length: number,
) {
  const type = colourScale(cells.map(({ mean }) => mean));
  const edge = (field: string, { input }: GridEffect['x']) => ({
    field,
    type: 'quantitative',
    scale: { zero: false, nice: false },
    title: titleOf(input),
    axis: { grid: false },
  });
  return {
    mark: { type: 'rect', strokeWidth: 0 },
    encoding: {
      x: edge('x0', x),
      x2: { field: 'x1' },
      y: edge('y0', y),
      y2: { field: 'y1' },
      color: {
        field: 'mean',
        type: 'quantitative',
        scale: {
          type,
          scheme: 'viridis',
          reverse: true,
          nice: false,
          ...(type !== 'log' && { zero: false }),
        },
        legend: { title: titleOf(output), gradientLength: length, gradientThickness: 14, offset: 24 },
      },
    },
  };
}
