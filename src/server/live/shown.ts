import { html, Markup } from '../../report/html/markup.ts';
import type { ReportSection } from '../../report/html/section.ts';
import type { PictureNumbers } from '../../report/pictures/numbers.ts';
import type { Section } from './look.ts';

/** Maximum number of rows in the table of a picture. The page saves all rows as CSV. */
const MOST_ROWS = 200;

/**
 * Converts a section of a report for the page. The marks of a picture get links to their points, and a table shows its
 * numbers. In a section without a picture, the keys of points become links.
 *
 * @param address - the view of the page as the end of an address, which the pages of points keep
 */
export function shownSection(
  { id, markup, numbers }: ReportSection,
  campaign: string,
  address = '',
): Section {
  const root = `/campaigns/${encodeURIComponent(campaign)}/points/`;
  const pathOf = (key: string): string => root + key + address;
  if (!numbers || numbers.rows.length === 0) return { id, html: withKeys(markup.text, pathOf) };
  // the script of the page makes the addresses
  const linked = markup.text.replace(
    '<figure ',
    () => html`<figure data-points="${root}" data-view="${address}" `.text,
  );
  return { id, html: linked + tableOf(numbers, pathOf).text };
}

/** Turns the keys of points, which the report puts into `<code>` elements, into links. */
function withKeys(section: string, pathOf: (key: string) => string): string {
  return section.replaceAll(/<code>([0-9a-f]{16})<\/code>/g, (code, key: string) => {
    return html`<a href="${pathOf(key)}">${new Markup(code)}</a>`.text;
  });
}

function tableOf({ columns, rows }: PictureNumbers, pathOf: (key: string) => string): Markup {
  const hasPoints = rows.some(({ key }) => key !== undefined);
  return html`<details class="numbers">
    <summary>Show as a table</summary>
    ${
      rows.length > MOST_ROWS
        ? html`<p class="soft">
            The first ${MOST_ROWS} of ${rows.length.toLocaleString('en-US')} rows. The button CSV saves all of
            them.
          </p>`
        : ''
    }
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            ${columns.map(({ title }) => html`<th>${title}</th>`)}${hasPoints ? html`<th>Point</th>` : ''}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, MOST_ROWS).map(
            ({ texts, key }) =>
              html`<tr>
                ${columns.map((_, at) => html`<td>${texts[at]}</td>`)}
                ${hasPoints ? html`<td>${key === undefined ? '' : html`<a href="${pathOf(key)}"><code>${key}</code></a>`}</td>` : ''}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
