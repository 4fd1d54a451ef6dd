import { isNumericType, type OutputType } from '../../api/constants.ts';
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
type Wanted = WantedOutput | 'varied inputs';

interface WantedOutput {
  descriptor: OutputDescriptor;
  aggregation: Aggregation;
}

/**
 * The largest answer, in characters. V8 holds texts of up to 2^29 characters, and the JSON of an answer may have a
 * backslash before each character of a value.
 */
const MOST_CHARACTERS = 128 * 2 ** 20;
/** The most characters of an element of an answer, without its name and its value. */
const ELEMENT_CHARACTERS = 200;

/**
 * The outputs of a single run that the template names, in the order of the template (specification 2.5, rule 1). An
 * empty template means all outputs.
 *
 * @throws ServiceError UNKNOWN_OUTPUT with the name of an output that the version does not have, or RESULTS_TOO_LARGE
 */
export function singleOutputs(version: Template, template: OutputsTemplate, texts: OutputTexts): Outputs {
  const size = new AnswerSize();
  return wantedOf(version, template, size).flatMap((wanted) => {
    if (wanted === 'varied inputs') return [];
    const text = texts[wanted.descriptor.name]!;
    size.add(text.length);
    return element('IDENTITY', wanted.descriptor, text);
  });
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
  const size = new AnswerSize();
  const wanted = wantedOf(version, template, size);
  if (!wanted.includes('varied inputs')) wanted.push('varied inputs');
  const asHistogram = ({ descriptor, aggregation }: WantedOutput) =>
    settings.experimentType === 'MONTE_CARLO' && isHistogram(descriptor.type, aggregation);
  // for each output, its texts and the number of arrays with them
  const columns = new Map<string, { texts: string[]; arrays: number }>();
  for (const one of wanted) {
    if (one === 'varied inputs') continue;
    const { name } = one.descriptor;
    const { texts = [], arrays = 0 } = columns.get(name) ?? {};
    columns.set(name, { texts, arrays: asHistogram(one) ? arrays : arrays + 1 });
  }
  for await (const page of results) {
    for (const outputs of page) {
      for (const [name, { texts, arrays }] of columns) {
        const text = outputs[name]!;
        // the comma after the text counts too
        size.add(arrays * (text.length + 1));
        texts.push(text);
      }
    }
  }
  return wanted.flatMap((one) => {
    if (one === 'varied inputs') return variedElement(version, settings);
    const { texts } = columns.get(one.descriptor.name)!;
    return asHistogram(one)
      ? element('HISTOGRAM_DATA', one.descriptor, histogramOf(texts))
      : element('ARRAY', one.descriptor, `[${texts.join(',')}]`);
  });
}

/** Counts the characters of an answer while it is made. */
class AnswerSize {
  #characters = 0;

  /** @throws ServiceError RESULTS_TOO_LARGE */
  add(characters: number): void {
    this.#characters += characters;
    if (this.#characters <= MOST_CHARACTERS) return;
    throw new ServiceError(
      'RESULTS_TOO_LARGE',
      `The results are larger than ${MOST_CHARACTERS / 2 ** 20} MiB, the limit of one answer: ask for fewer outputs, or for the results of one run at a time.`,
    );
  }
}

/** The elements that a template asks for. The varied inputs count only once. */
function wantedOf({ outputs }: Template, template: OutputsTemplate, size: AnswerSize): Wanted[] {
  if (template.length === 0) return outputs.map((descriptor) => ({ descriptor, aggregation: undefined }));
  let hasInputs = false;
  return template.flatMap(({ aggregationType, inputs, outputs: asked }): Wanted[] => {
    const found = (asked ?? []).flatMap(({ name }) => outputsNamed(outputs, name));
    for (const { name } of found) size.add(ELEMENT_CHARACTERS + name.length);
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
  return isNumericType(type) && aggregation !== 'ARRAY';
}

function element(
  aggregationType: OutputsElement['aggregationType'],
  { name, type, units, value }: OutputDescriptor,
  text: string,
): OutputsElement {
  // the specification has no axis here
  return { aggregationType, inputs: [], outputs: [{ name, type, units, value }], value: text };
}
