import { measureOf } from '../../campaign/measures.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import type { SearchStory } from '../../search/story.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { type Figure, sentences } from './figure.ts';
import type { GridEffect } from '../summary/grid.ts';
import { heatMapUnder, type Place } from '../pictures/heat-map.ts';
import { summarize } from '../summary/summary.ts';
import { counted } from '../words/words.ts';

/** A campaign with a grid over the inputs of a search. Its heat map is drawn under the points of the search. */
export interface Ground {
  record: CampaignRecord;
  rows: AsyncIterable<ResultRow>;
  /** A known point: its values by input name, and its label. */
  known?: { inputs: Record<string, number>; label: string } | undefined;
}

/** Draws the points of a search over the heat map of a grid. Returns no picture until both have values. */
export async function groundFigures(
  { goal, outputs, strategy }: Pick<CampaignBy<'search'>, 'goal' | 'outputs' | 'strategy'>,
  { points, summary: { best } }: SearchStory,
  { record, rows, known }: Ground,
): Promise<Figure[]> {
  const output = measureOf(outputs, goal!.output);
  const { effects } = await summarize(record.campaign, rows, [output]);
  const grid = effects[0]?.effects.find((effect): effect is GridEffect => effect.kind === 'grid');
  if (!grid || !best) return [];
  const [x, y] = [grid.x.input.name, grid.y.input.name];
  const placeOf = (inputs: Record<string, unknown>): Place => ({
    x: Number(inputs[x]),
    y: Number(inputs[y]),
  });
  const names = strategy.inputs.map(({ name }) => name);
  const asked = points.map(({ values }) =>
    placeOf(Object.fromEntries(names.map((name, at) => [name, values[at]]))),
  );
  return [
    {
      title: `${output.name} over ${x} and ${y}`,
      caption: sentences(
        `The circles are the ${counted(asked.length, 'point')} of the search`,
        `The cells are the grid of ${record.campaign.name} (${counted(grid.cells.length, 'point')})`,
        'The search did not use these points',
        'A lighter cell has a lower value',
      ),
      id: 'ground',
      spec: heatMapUnder(grid, output, {
        points: asked,
        best: { ...placeOf(best.inputs), mean: best.value },
        known: known && { ...placeOf(known.inputs), label: known.label },
      }),
    },
  ];
}
