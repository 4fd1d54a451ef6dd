import type { Comparison } from './compare.ts';
import { shownDifference } from './differences.ts';
import { comparisonNotes, type ComparisonSummary, type OutputSummary } from './summary.ts';
import { html } from '../html/markup.ts';
import { reportPage } from '../html/page.ts';
import { differences } from '../pictures/compare.ts';
import { pictureOf } from '../pictures/figure.ts';
import { drawn, part, type ReportSection } from '../html/section.ts';
import { inputCells, inputHeads, measureCells, numberHead, table, titled } from '../html/cells.ts';
import { counted, numberColumn } from '../words/words.ts';
import { textIn } from '../analysis/numbers.ts';

/** The maximum number of outputs whose differences are drawn. More pictures would take many seconds. */
const MOST_DRAWN = 12;

/**
 * A comparison as one HTML page that contains everything and loads nothing. It has the sections of {@link
 * comparisonSections}.
 *
 * @param summary - the summary after all points of the comparison have been read
 */
export async function renderComparison(comparison: Comparison, summary: ComparisonSummary): Promise<string> {
  const { a, b } = comparison;
  const sections = await comparisonSections(comparison, summary);
  const title = `${a.id} and ${b.id}`;
  const head = html`<header>
    <span class="phase">comparison</span>
    <h1>${title}</h1>
    ${comparisonNotes(comparison, summary).map((note) => html`<p class="lead">${note}</p>`)}
  </header>`;
  const report = html`<div id="report">${sections.map(({ markup }) => html`<div>${markup}</div>`)}</div>`;
  return reportPage(title, `the campaigns ${title}`, head, report);
}

/**
 * Makes sections for each of the first outputs: a picture of the differences and a table of the largest differences.
 * An output has no section if its difference is known at no point. The last section names the outputs that are not
 * drawn.
 */
export async function comparisonSections(
  comparison: Comparison,
  summary: ComparisonSummary,
): Promise<ReportSection[]> {
  const first = summary.outputs.slice(0, MOST_DRAWN);
  const more = comparison.outputs.slice(MOST_DRAWN).map(({ name }) => name);
  return [
    ...(await Promise.all(first.map((output, at) => sectionsOf(output, comparison, at)))).flat(),
    ...part(
      'not-drawn',
      more.length > 0 ? html`<p class="lead">Not drawn: ${more.join(', ')}.</p>` : undefined,
    ),
  ];
}

async function sectionsOf(
  summary: OutputSummary,
  { matching, a, b, method }: Comparison,
  at: number,
): Promise<ReportSection[]> {
  const { output, sample, compared, largest, judged } = summary;
  if (compared === 0) return [];
  const title = `Difference of ${output.name}`;
  const which =
    sample.length < compared
      ? `${counted(sample.length, 'point')} of ${compared.toLocaleString('en-US')}, chosen at random`
      : counted(compared, 'point');
  const bars =
    method === 'exact'
      ? 'in colour if the values differ'
      : judged === 0
        ? 'no point has an interval'
        : 'bars are intervals, in colour if they exclude 0';
  const caption = `${which}; ${bars}${output.statistic === 'share' ? '; differences of shares are in percentage points' : ''}.`;
  const figure = { title, caption, id: `compare-${at}`, ...differences(summary, matching.varied) };
  return [
    ...(await drawn([figure], `${a.id}-${b.id}`, pictureOf)),
    ...part(`${figure.id}-table`, largestTable(summary, matching.varied, compared > largest.length)),
  ];
}

function largestTable(
  { output, largest }: OutputSummary,
  varied: Comparison['matching']['varied'],
  isPart: boolean,
) {
  const columns = (['a', 'b'] as const).map((side) =>
    measureCells(
      output,
      largest.map(({ found }) => found[side].mean),
      largest.map(({ found }) => found[side].n),
    ),
  );
  const { unit, valueOf } = shownDifference(output);
  const differences = largest.map(({ found }) => valueOf(found.difference));
  const round = output.statistic === 'share' ? roundPoints : rounding(differences);
  const rounded = numberColumn(differences.map(round));
  const full = (value: number): string => String(valueOf(value));
  const heads = [`${output.name} in A`, 'in B', `Difference${unit}`, 'Interval'].map(numberHead);
  const rows = largest.map(({ key, values, found }, row) => {
    const { low, high } = found;
    const isKnown = low !== null && high !== null;
    const text = isKnown ? textIn(differences[row]!, [valueOf(low), valueOf(high)]) : undefined;
    const interval = isKnown
      ? titled(`${text!(valueOf(low))} to ${text!(valueOf(high))}`, `${full(low)} to ${full(high)}`)
      : '';
    const shown = titled(text?.(differences[row]!) ?? rounded[row]!, full(found.difference));
    const difference = found.differs ? html`<strong>${shown}</strong>` : shown;
    return html`<tr>
      ${inputCells(varied, values)} ${columns.map((column) => column[row])}
      <td class="number">${difference}</td>
      <td class="number">${interval}</td>
      <td><code>${key}</code></td>
    </tr>`;
  });
  return html`${table([...inputHeads(varied), ...heads, 'Point'], rows)}
  ${isPart ? html`<p class="soft">The ${largest.length} greatest differences.</p>` : ''}`;
}

/** Rounds to a tenth of a percentage point. */
function roundPoints(value: number): number {
  return Number(value.toFixed(1));
}

/**
 * Returns a function that rounds numbers to a common number of decimals. The first number has the largest absolute
 * value, and keeps at least four significant digits. Further decimals are noise.
 */
function rounding([greatest = 0]: readonly number[]): (value: number) => number {
  const digits = greatest === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(greatest))));
  return digits > 20 ? (value) => value : (value) => Number(value.toFixed(digits));
}
