import type { Measure } from '../../campaign/measures.ts';
import { pointKeyOf } from '../../campaign/points.ts';
import type { Campaign } from '../../campaign/types.ts';
import { canonicalValue } from '../../api/index.ts';
import { type Axis, hasBinEach } from '../../report/summary/input-axis.ts';
import type { Courses } from '../../report/summary/courses.ts';
import type { MainEffects } from '../../report/summary/effects.ts';
import type { FacetedGrid, GridEffect } from '../../report/summary/grid.ts';
import type { ScatterEffects } from '../../report/summary/scatter.ts';
import type { Summary } from '../../report/summary/summary.ts';
import { numberText, titleOf, titleOfMeasure } from '../../report/words/words.ts';

/** The numbers of a picture, in the order in which its marks are drawn. */
export interface Numbers {
  heads: string[];
  rows: {
    cells: string[];
    /** The key of the row's point; undefined if the row is not known to be about one point. */
    key?: string | undefined;
  }[];
}

/** Gives the key of a point for its values of all varied inputs. */
type KeyOf = (values: readonly string[]) => string;

/** The numbers of the drawn pictures, by the ids of their sections. */
export function numbersOf(campaign: Campaign, summary: Summary): Map<string, Numbers> {
  const keyOf = pointKeyOf(campaign);
  const all: [string, Numbers][] = [];
  for (const [i, { output, effects }] of summary.effects.entries()) {
    for (const effect of effects) {
      if (effect.kind === 'main')
        all.push([i === 0 ? 'effects' : 'other-effects', meanNumbers(campaign, output, effect, keyOf)]);
      if (effect.kind === 'scatter')
        all.push([i === 0 ? 'scatter' : 'other-scatter', pointNumbers(campaign, output, effect, keyOf)]);
      if (effect.kind === 'grid') all.push(['grid', cellNumbers(campaign, output, effect, keyOf)]);
      if (effect.kind === 'facets') all.push(['grids', cellNumbers(campaign, output, effect, keyOf)]);
    }
  }
  for (const [i, courses] of summary.courses.entries()) all.push([`curves-${i}`, courseNumbers(courses)]);
  all.push(['distributions', distributionNumbers(summary)]);
  const numbers = new Map<string, Numbers>();
  for (const [id, { heads, rows }] of all) {
    const before = numbers.get(id);
    // the pictures of several outputs are in one section, and have the same columns
    numbers.set(id, { heads, rows: [...(before?.rows ?? []), ...rows] });
  }
  return numbers;
}

function cellNumbers(
  { varied }: Campaign,
  output: Measure,
  effect: GridEffect | FacetedGrid,
  keyOf: KeyOf,
): Numbers {
  const { x, y } = effect;
  const isFaceted = effect.kind === 'facets';
  const inputs = [x.input, y.input, ...(isFaceted ? [effect.by] : [])];
  const isPoint = inputs.length === varied.length && hasBinEach(x) && hasBinEach(y);
  const places = varied.map(({ name }) => inputs.findIndex((input) => input.name === name));
  const [columns, lines] = [valuesOf(x), valuesOf(y)];
  return {
    heads: [...inputs.map(titleOf), titleOfMeasure(output)],
    rows: (isFaceted ? effect.facets : [{ label: '', cells: effect.cells }]).flatMap(({ label, cells }) =>
      cells.map((cell) => {
        const values = [columns[cell.x]!, lines[cell.y]!, ...(isFaceted ? [label] : [])];
        const key = isPoint ? keyOf(places.map((place) => values[place]!)) : undefined;
        return { cells: [...values, numberText(cell.mean)], key };
      }),
    ),
  };
}

/** The label of each bin of an axis: its value, or its first and last value. */
function valuesOf({ binOf, bins }: Axis): string[] {
  const all: string[][] = bins.map(() => []);
  for (const [value, bin] of binOf) all[bin]!.push(value);
  return all.map((values) => [...new Set([values[0]!, values.at(-1)!])].join(' to '));
}

function meanNumbers({ varied }: Campaign, output: Measure, { effects }: MainEffects, keyOf: KeyOf): Numbers {
  return {
    heads: ['Output', 'Input', 'Value', 'Mean, share or quantile', 'Interval'],
    rows: effects.flatMap(({ axis, means }) => {
      const values = valuesOf(axis);
      const isPoint = varied.length === 1 && hasBinEach(axis);
      return means.map(({ bin, mean, low, high }) => ({
        cells: [
          titleOfMeasure(output),
          titleOf(axis.input),
          values[bin]!,
          numberText(mean),
          low === null || high === null ? '' : `${numberText(low)} to ${numberText(high)}`,
        ],
        key: isPoint ? keyOf([values[bin]!]) : undefined,
      }));
    }),
  };
}

/** One row per point, with its values of the sampled inputs. */
function pointNumbers(
  { varied }: Campaign,
  output: Measure,
  { effects }: ScatterEffects,
  keyOf: KeyOf,
): Numbers {
  const inputs = effects.map(({ input }) => input);
  const places = varied.map(({ name }) => inputs.findIndex((input) => input.name === name));
  return {
    heads: ['Output', ...inputs.map(titleOf), 'Mean, share or quantile'],
    rows: effects[0]!.points.map(({ mean }, at) => {
      const values = effects.map(({ input, points }) => canonicalValue(input.type, points[at]!.x));
      // if other inputs vary as well, these values do not identify a point
      const key = places.includes(-1) ? undefined : keyOf(places.map((place) => values[place]!));
      return { cells: [titleOfMeasure(output), ...values, numberText(mean)], key };
    }),
  };
}

function courseNumbers({ best, others, bands }: Courses): Numbers {
  if (bands.length > 0)
    return {
      heads: ['x', '5 %', '25 %', 'Median', '75 %', '95 %', 'Curves'],
      rows: bands.map(({ x, q05, q25, q50, q75, q95, curves }) => ({
        cells: [x, q05, q25, q50, q75, q95, curves].map(numberText),
      })),
    };
  return {
    heads: ['Curve', 'x', 'y'],
    rows: [best, ...others].flatMap((curve, i) =>
      curve.map(([x, y]) => ({ cells: [String(i + 1), numberText(x), numberText(y)] })),
    ),
  };
}

/** The intervals of the picture. They need no rounding, because the distribution merges intervals that are too fine. */
function distributionNumbers({ distributions }: Pick<Summary, 'distributions'>): Numbers {
  return {
    heads: ['Output', 'From', 'To', 'Runs'],
    rows: distributions
      .filter(({ distribution: { count, min, max } }) => count > 0 && min < max)
      .flatMap(({ output, distribution }) =>
        distribution
          .intervals(Infinity)
          .filter(({ count }) => count > 0)
          .map(({ from, to, count }) => ({
            cells: [titleOf(output), numberText(from), numberText(to), count.toLocaleString('en-US')],
          })),
      ),
  };
}
