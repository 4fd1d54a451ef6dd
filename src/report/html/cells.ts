import type { Measure } from '../../campaign/measures.ts';
import type { VariedInput } from '../../campaign/types.ts';
import { bounded } from '../../text/printable.ts';
import { html, type Markup } from './markup.ts';
import { kindOfInput } from '../tables/value-kinds.ts';
import { amount, estimateTexts, fullText, measureColumn, shortNumber, titleOf } from '../words/words.ts';

/**
 * The functions below show rounded values. The full value is the title of the cell, which appears when the pointer
 * rests on the cell.
 */

/** The maximum number of characters of a text. A longer text would make its row higher than the window. */
const MOST_TEXT = 200;

/**
 * A table that scrolls sideways in a narrow window.
 *
 * @param heads - the titles of the columns; a text is the title of a column without numbers
 */
export function table(heads: readonly (string | Markup)[], rows: readonly Markup[]): Markup {
  return html`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => (typeof head === 'string' ? html`<th>${head}</th>` : head))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** The title of a column of numbers. */
export function numberHead(title: string): Markup {
  return html`<th class="number">${title}</th>`;
}

/** The titles of the columns that {@link inputCells} fills. */
export function inputHeads(varied: readonly VariedInput[]): (string | Markup)[] {
  return varied.map((input) =>
    kindOfInput(input.type) === 'number' ? numberHead(titleOf(input)) : titleOf(input),
  );
}

/** The cells of a point's inputs. */
export function inputCells(varied: readonly VariedInput[], values: readonly string[]): Markup[] {
  return values.map((value, at) => {
    if (kindOfInput(varied[at]!.type) !== 'number') return html`<td>${shortText(value)}</td>`;
    return html`<td class="number">${titled(shortNumber(value), value)}</td>`;
  });
}

/**
 * The cells of a column of means, shares or quantiles. A cell without a value is empty.
 *
 * @param runs - the numbers of runs of the values; empty if they are not known
 */
export function measureCells(
  measure: Pick<Measure, 'statistic'>,
  values: readonly (number | null | undefined)[],
  runs: readonly number[],
): Markup[] {
  const texts = measureColumn(
    measure,
    values.map((value) => value ?? undefined),
    runs,
  );
  return texts.map((text, at) => {
    const value = values[at] ?? undefined;
    const full = value === undefined ? '' : fullText({ ...measure, units: null }, value);
    return html`<td class="number">${titled(text, full)}</td>`;
  });
}

/** The columns of means and of the ends of their intervals. A row has the digits that its interval allows. */
export function intervalColumns(
  measure: Pick<Measure, 'statistic'>,
  rows: readonly { mean: number | null; interval: readonly [number, number] | null; runs: number }[],
): Markup[][] {
  const plain = { ...measure, units: null };
  const withoutInterval = measureCells(
    measure,
    rows.map(({ mean }) => mean),
    rows.map(({ runs }) => runs),
  );
  const none = html`<td class="number"></td>`;
  const cells = rows.map(({ mean, interval }, row) => {
    if (mean === null || !interval) return [withoutInterval[row]!, none, none];
    const texts = estimateTexts(plain, mean, interval);
    return [mean, ...interval].map(
      (value, column) => html`<td class="number">${titled(texts[column]!, fullText(plain, value))}</td>`,
    );
  });
  return [0, 1, 2].map((column) => cells.map((row) => row[column]!));
}

/** A point in words: "Contact rate 1.675 per day, Recovery rate 0.44 per day". */
export function placeOf(varied: readonly VariedInput[], values: readonly string[]): Markup {
  const parts = varied.flatMap(({ name, type, units }, i) => {
    const value = values[i] ?? '';
    const shown =
      kindOfInput(type) === 'number'
        ? titled(amount(shortNumber(value), units), amount(value, units))
        : shortText(amount(value, units));
    return [`${i > 0 ? ', ' : ''}${name} `, shown];
  });
  return html`${parts}`;
}

/** A text with at most `MOST_TEXT` characters. */
export function shortText(text: string): Markup | string {
  return text.length > MOST_TEXT ? titled(bounded(text, MOST_TEXT), text) : text;
}

/** A text with a longer text as its title. */
export function titled(text: string, full: string | undefined): Markup | string {
  const isSame = full === undefined || text.replaceAll(',', '') === full;
  return isSame ? text : html`<span title="${full}">${text}</span>`;
}
