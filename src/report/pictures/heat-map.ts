import type { CampaignOutput } from '../../campaign/types.ts';
import type { GridEffect } from '../effects.ts';
import { numberText, titleOf } from '../words.ts';
import { type Spec, WIDTH } from './render.ts';
import { colourScale } from './scale.ts';

/** The mean of an output over two numeric inputs as coloured cells, the best point marked. Light is low. */
export function heatMap(
  { x, y, cells }: GridEffect,
  output: CampaignOutput,
  best: { x: number; y: number; mean: number },
): Spec {
  const rects = cells.map((cell) => {
    const { from: x0, to: x1 } = x.bins[cell.x]!;
    const { from: y0, to: y1 } = y.bins[cell.y]!;
    return { x0, x1, y0, y1, mean: cell.mean };
  });
  const type = colourScale(cells.map(({ mean }) => mean));
  const plain = { zero: false, nice: false };
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
      {
        data: { values: rects },
        mark: { type: 'rect', strokeWidth: 0 },
        encoding: {
          x: {
            field: 'x0',
            type: 'quantitative',
            scale: plain,
            title: titleOf(x.input),
            axis: { grid: false },
          },
          x2: { field: 'x1' },
          y: {
            field: 'y0',
            type: 'quantitative',
            scale: plain,
            title: titleOf(y.input),
            axis: { grid: false },
          },
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
            legend: { title: titleOf(output), gradientLength: 380, gradientThickness: 14, offset: 24 },
          },
        },
      },
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
