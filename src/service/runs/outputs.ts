import { type OutputType, numericOutputTypes } from '../../api/constants.ts';
import { isRange } from '../../api/ranges.ts';
import type {
  OutputDescriptor,
  Outputs,
  OutputsElement,
  OutputsTemplate,
  Version,
} from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';
import { variedValues } from './experiments.ts';
import { histogramOf } from './histogram.ts';
import { type Settings, typeIn } from './identity.ts';
import type { OutputTexts } from './stored-run.ts';

type Template = Version['experimentTemplate'];
type Aggregation = OutputsElement['aggregationType'] | undefined;

/** One element of the answer: an output, or the varied inputs of an experiment with several runs. */
type Wanted = { descriptor: OutputDescriptor; aggregation: Aggregation } | 'varied inputs';

/**
 * The outputs of a single run that the template names, in the order of the template (specification 2.5, rule 1). An
 * empty template means all outputs.
 *
 * @throws ServiceError UNKNOWN_OUTPUT with the name of an output that the version does not have
 */
export function singleOutputs(version: Template, template: OutputsTemplate, texts: OutputTexts): Outputs {
  return wantedOf(version, template).flatMap((wanted) =>
    wanted === 'varied inputs' ? [] : element('IDENTITY', wanted.descriptor, texts[wanted.descriptor.name]!),
  );
}

/**
 * The outputs of an experiment of several runs (2.5, rules 2 and 3), like {@link singleOutputs}. In a Monte Carlo
 * experiment, numbers become histograms (notes on real clients), unless the template asks for the array. The varied
 * inputs have the place that the template gives them. If the template does not name them, they are last.
 *
 * @param results - the outputs of each run, in the order of the runs and in slices
 */
export async function multipleOutputs(
  version: Template,
  template: OutputsTemplate,
  settings: Settings,
  results: AsyncIterable<readonly OutputTexts[]>,
): Promise<Outputs> {
  const wanted = wantedOf(version, template);
  if (!wanted.includes('varied inputs')) wanted.push('varied inputs');
  const columns = new Map(
    wanted.flatMap((one) => (one === 'varied inputs' ? [] : [[one.descriptor.name, [] as string[]]])),
  );
  for await (const page of results) {
    for (const texts of page) for (const [name, column] of columns) column.push(texts[name]!);
  }
  return wanted.flatMap((one) => {
    if (one === 'varied inputs') return variedElement(version, settings);
    const { descriptor, aggregation } = one;
    const column = columns.get(descriptor.name)!;
    return settings.experimentType === 'MONTE_CARLO' && isHistogram(descriptor.type, aggregation)
      ? element('HISTOGRAM_DATA', descriptor, histogramOf(column))
      : element('ARRAY', descriptor, `[${column.join(',')}]`);
  });
}

function wantedOf({ outputs }: Template, template: OutputsTemplate): Wanted[] {
  if (template.length === 0) return outputs.map((descriptor) => ({ descriptor, aggregation: undefined }));
  let hasInputs = false;
  return template.flatMap(({ aggregationType, inputs, outputs: asked }): Wanted[] => {
    const found = (asked ?? []).flatMap(({ name }) => outputsNamed(outputs, name));
    const isInputs = !hasInputs && found.length === 0 && (inputs ?? []).length > 0;
    hasInputs ||= isInputs;
    return isInputs
      ? ['varied inputs']
      : found.map((descriptor) => ({ descriptor, aggregation: aggregationType }));
  });
}

/**
 * The output with a name, or all items of the chart with that name. An item is an output named `<chart>|<item>` (2.5,
 * rule 4).
 */
function outputsNamed(outputs: readonly OutputDescriptor[], name: string): OutputDescriptor[] {
  const key = nameKey(name);
  const exact = outputs.find((descriptor) => nameKey(descriptor.name) === key);
  const found = exact
    ? [exact]
    : outputs.filter((descriptor) => nameKey(descriptor.name).startsWith(`${key}|`));
  if (found.length === 0) throw new ServiceError('UNKNOWN_OUTPUT', `The model has no output "${name}".`);
  return found;
}

function variedElement({ inputs }: Template, settings: Settings): Outputs {
  const varied = inputs
    .map((item) => ({ ...item, type: typeIn(settings, item), value: settings.inputs[item.name]! }))
    .filter(({ type }) => isRange(type));
  if (varied.length === 0) return [];
  const rows = variedValues(settings).map(
    // canonical numbers and booleans are already JSON
    (values) => `[${varied.map(({ name }) => values[name]).join(',')}]`,
  );
  return [{ aggregationType: 'ARRAY', inputs: varied, outputs: [], value: `[${rows.join(',')}]` }];
}

function isHistogram(type: OutputType, aggregation: Aggregation): boolean {
  return numericOutputTypes.includes(type) && aggregation !== 'ARRAY';
}

function element(
  aggregationType: OutputsElement['aggregationType'],
  descriptor: OutputDescriptor,
  value: string,
): OutputsElement {
  return { aggregationType, inputs: [], outputs: [descriptor], value };
}
