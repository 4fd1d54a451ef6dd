import { type Measure, measureOf } from '../../campaign/measures.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { type ScatterPanel, scatterPlots } from './scatter.ts';
import { percent } from '../words/words.ts';
import type { SearchStory } from '../../search/story.ts';
import type { Analysis } from '../../sensitivity/analysis.ts';

/** The maximum number of inputs in a picture. */
const MOST_INPUTS = 12;

/**
 * Draws the points of a search, and the prediction of its Gaussian process. In each picture one numeric input changes,
 * and the other inputs stay at the best point.
 */
export function sliceFigures(
  { outputs, varied, strategy }: Pick<CampaignBy<'search'>, 'outputs' | 'varied' | 'strategy'>,
  { points }: Pick<SearchStory, 'points'>,
  { slices = [], output, confidence }: Analysis,
): Figure[] {
  const measure: Measure = measureOf(outputs, output);
  const shown = slices.slice(0, MOST_INPUTS);
  if (shown.length === 0) return [];
  const panels = shown.map(({ input, points: slice }): ScatterPanel => {
    const at = strategy.inputs.findIndex(({ name }) => name === input);
    const searched = strategy.inputs[at]!;
    return {
      input: varied.find(({ name }) => name === input)!,
      isLog: searched.kind === 'range' && searched.scale === 'log',
      points: points.flatMap(({ values, value }) =>
        value === null ? [] : [{ x: Number(values[at]), mean: value }],
      ),
      smooth: slice,
      explained: 0,
      output: measure,
      isLogOutput: false,
    };
  });
  return [
    {
      title: `${output} through the best point`,
      caption: sentences(
        `The prediction of the Gaussian process when one input changes and the others stay at the best point, with its ${percent(confidence)} interval`,
        'The points of the search lie off the line, because their other inputs have other values',
        partText(slices.length, shown.length, 'inputs'),
      ),
      id: 'slices',
      spec: scatterPlots(panels, true),
    },
  ];
}
