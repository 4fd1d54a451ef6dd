import { measureOf } from '../../campaign/measures.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { inputCell } from './numbers.ts';
import { scatterNumbers, type ScatterPanel, scatterPlots, smoothRows } from './scatter.ts';
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
  const measure = measureOf(outputs, output);
  const shown = slices.slice(0, MOST_INPUTS);
  if (shown.length === 0) return [];
  const inputs = shown.map(({ input }) => varied.find(({ name }) => name === input)!);
  const numbers = scatterNumbers(inputs, [measure]);
  const known = points.filter(({ value }) => value !== null);
  const places = inputs.map((one) => strategy.inputs.findIndex(({ name }) => name === one.name));
  const rows = known.map(({ values, value, key }) =>
    numbers.add([...inputs.map((one, at) => inputCell(one, values[places[at]!]!)), value], key),
  );
  const panels = shown.map(({ points: slice }, panel): ScatterPanel => {
    const at = places[panel]!;
    const searched = strategy.inputs[at]!;
    const input = inputs[panel]!;
    return {
      input,
      isLog: searched.kind === 'range' && searched.scale === 'log',
      points: known.map(({ values, value }, i) => ({ x: Number(values[at]), mean: value!, ...rows[i]! })),
      smooth: smoothRows(measure, { smooth: slice }, numbers, (x) =>
        inputs.map((one) => (one === input ? x : null)),
      ),
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
      numbers,
      inputs: inputs.map(({ name }) => ({ x: name })),
    },
  ];
}
