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
  const held = comparisons.filter(({ isWithin }) => isWithin !== null);
  const within = held.filter(({ isWithin }) => isWithin);
  const shown = comparisons.slice(0, MOST_COMPARISONS);
  const rows = outputs.flatMap((output) =>
    comparisonRows(
      varied,
      shown.filter((one) => one.output.name === output),
    ),
  );
  const missed = known.reduce((sum, { numbers }) => sum + numbers.size, 0) - comparisons.length;
  const misses = 1 - confidenceOf(campaign);
  // the intervals of shares and quantiles miss less often, because their values are counts
  const areMeans = held.every(({ output }) => output.statistic === 'mean');
  const heads = ['Reference', 'Campaign', `${percent(1 - misses)} interval`, 'Runs'].map(numberHead);
  return html`<section>
    <h2>Agreement with ${label}</h2>
    <p class="soft">
      ${
        held.length > 0
          ? `${within.length} of ${counted(held.length, 'interval')} ${within.length === 1 ? 'contains' : 'contain'} the value that ${label} gives. By chance, ${areMeans ? '' : 'at most about '}${percent(misses)} of such intervals miss a true value.`
          : comparisons.length > 0
            ? 'No compared value has an interval.'
            : ''
      }
      ${shown.length < comparisons.length ? `The first ${shown.length} are shown.` : ''}
      ${
        comparisons.length === 0
          ? nothingCompared(label)
          : missed > 0
            ? `${counted(missed, 'value')} of ${label} ${missed === 1 ? 'is' : 'are'} not compared, because no finished point has a value for ${missed === 1 ? 'it' : 'them'}.`
            : ''
      }
    </p>
    ${table(['Output', ...inputHeads(varied), ...heads, 'Within'], rows)}
  </section>`;
}

/** @param label the name of the reference's file */
export function nothingCompared(label: string): string {
  return `Nothing is compared: no finished point has a value for any value of ${label}.`;
}

/** The rows of one output. They are made together, so that all numbers of a column have the same number of decimals. */
function comparisonRows(varied: Campaign['varied'], comparisons: readonly ComparedResult[]): Markup[] {
  const [first] = comparisons;
  if (!first) return [];
  const runs = comparisons.map(({ estimate }) => estimate.n);
  const column = (of: (one: ComparedResult) => number | null) =>
    measureColumn(
      first.output,
      comparisons.map((one) => of(one) ?? undefined),
      runs,
    );
  const known = measureCells(
    first.output,
    comparisons.map((one) => one.known),
    [],
  );
  const mean = measureCells(
    first.output,
    comparisons.map(({ estimate }) => estimate.mean),
    runs,
  );
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
