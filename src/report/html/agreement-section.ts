import type { Campaign } from '../../campaign/types.ts';
import type { ComparedResult } from '../summary/agreement.ts';
import { inputCells, inputHeads, measureCells, numberHead, table, titled } from './cells.ts';
import { html, type Markup } from './markup.ts';
import { confidenceOf } from '../summary/mean.ts';
import type { Reference } from '../summary/reference.ts';
import { counted, measureColumn, percent, titleOfMeasure } from '../words/words.ts';

/** The maximum number of reference values that are listed one by one. */
const MOST_COMPARISONS = 100;

/** Shows whether the campaign's intervals contain the known values. */
export function agreementSection(
  campaign: Campaign,
  { label, outputs, rows: known }: Reference,
  comparisons: readonly ComparedResult[],
): Markup {
  const { varied } = campaign;
  const shown = comparisons.slice(0, MOST_COMPARISONS);
  const rows = outputs.flatMap((output) =>
    comparisonRows(
      varied,
      shown.filter((one) => one.output.name === output),
    ),
  );
  const all = known.reduce((sum, { numbers }) => sum + numbers.size, 0);
  const confidence = confidenceOf(campaign);
  const heads = ['Reference', 'Campaign', `${percent(confidence)} interval`, 'Runs'].map(numberHead);
  return html`<section>
    <h2>Agreement with ${label}</h2>
    <p class="soft">
      ${comparisons.length > 0 ? withinText(label, comparisons, confidence) : nothingCompared(label)}
      ${shown.length < comparisons.length ? `The first ${shown.length} are shown.` : ''}
      ${comparisons.length > 0 ? missedText(label, all - comparisons.length) : ''}
    </p>
    ${table(['Output', ...inputHeads(varied), ...heads, 'Within'], rows)}
  </section>`;
}

/** How many intervals contain the known value, and how many would by chance. */
function withinText(label: string, comparisons: readonly ComparedResult[], confidence: number): string {
  const withInterval = comparisons.filter(({ isWithin }) => isWithin !== null);
  if (withInterval.length === 0) return 'No compared value has an interval.';
  const { length: within } = withInterval.filter(({ isWithin }) => isWithin);
  // the intervals of shares and quantiles miss less often, because their values are counts
  const atMost = withInterval.every(({ output }) => output.statistic === 'mean') ? '' : 'at most about ';
  return `${within} of ${counted(withInterval.length, 'interval')} ${within === 1 ? 'contains' : 'contain'} the value that ${label} gives. By chance, ${atMost}${percent(1 - confidence)} of such intervals miss a true value.`;
}

function missedText(label: string, missed: number): string {
  if (missed <= 0) return '';
  const [are, them] = missed === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${counted(missed, 'value')} of ${label} ${are} not compared, because no finished point has a value for ${them}.`;
}

/** @param label - the name of the reference's file */
export function nothingCompared(label: string): string {
  return `Nothing is compared: no finished point has a value for any value of ${label}.`;
}

type Read = (one: ComparedResult) => number | null;

/** The rows of one output. They are made together, so that all numbers of a column have the same number of decimals. */
function comparisonRows(varied: Campaign['varied'], comparisons: readonly ComparedResult[]): Markup[] {
  const [first] = comparisons;
  if (!first) return [];
  const runs = comparisons.map(({ estimate }) => estimate.n);
  const valuesOf = (read: Read) => comparisons.map((one) => read(one) ?? undefined);
  const cells = (read: Read, knownRuns: number[]) => measureCells(first.output, valuesOf(read), knownRuns);
  const column = (read: Read) => measureColumn(first.output, valuesOf(read), runs);
  const known = cells((one) => one.known, []);
  const mean = cells(({ estimate }) => estimate.mean, runs);
  const low = column(({ estimate }) => estimate.low);
  const high = column(({ estimate }) => estimate.high);
  return comparisons.map(
    ({ values, output, estimate, isWithin }, i) =>
      html`<tr>
        <td>${titleOfMeasure(output)}</td>
        ${inputCells(varied, values)} ${known[i]} ${mean[i]}
        <td class="number">
          ${low[i] && titled(`${low[i]} to ${high[i]}`, `${estimate.low} to ${estimate.high}`)}
        </td>
        <td class="number">${estimate.n}</td>
        <td class="${isWithin === false ? 'bad' : ''}">
          ${isWithin === null ? '' : isWithin ? 'yes' : 'no'}
        </td>
      </tr>`,
  );
}
