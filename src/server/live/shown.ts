import { html, Markup } from '../../report/html/markup.ts';
import type { ReportSection } from '../../report/html/report-sections.ts';
import type { Section } from './look.ts';
import type { Numbers } from './numbers.ts';

/** A picture with more rows of numbers has no links to points, because the links would make the page too large. */
const MOST_LINKS = 1_500;
const MARK = /<path [^>]*\/>/g;
/** Marks of one kind, as Vega draws them. */
const GROUP = /(<g class="mark-(?:rect|symbol) role-mark [^"]*"[^>]*>)((?:<path [^>]*\/>)+)(?=<\/g>)/g;
/** Maximum number of rows in the table of a picture. If the rows have points, a link gives all points as a CSV file. */
const MOST_ROWS = 200;

/**
 * Converts a section of a report for the page. With `numbers`, marks of the picture become links to their points, and a
 * table shows the numbers. Without `numbers`, the keys of points in the section become links.
 *
 * @param numbers - the numbers of the picture; undefined for a section without a picture
 */
export function shownSection(
  { id, markup }: ReportSection,
  numbers: Numbers | undefined,
  campaign: string,
): Section {
  const pathOf = (key: string): string => `/campaigns/${encodeURIComponent(campaign)}/points/${key}`;
  if (!numbers || numbers.rows.length === 0) return { id, html: withKeys(markup.text, pathOf) };
  return { id, html: linked(markup.text, numbers, pathOf) + tableOf(numbers, pathOf, campaign).text };
}

/**
 * Makes the marks of a picture links. Marks are in the order of the rows. If the panels show the same points, each
 * group of marks has a mark for each row. If the panels show different points, all groups together have one mark for
 * each row.
 */
function linked(section: string, { heads, rows }: Numbers, pathOf: (key: string) => string): string {
  if (rows.length > MOST_LINKS || rows.some(({ key }) => key === undefined)) return section;
  const link = (mark: string, { cells, key }: Numbers['rows'][number]): string => {
    const text = cells.map((cell, i) => `${heads[i]}: ${cell}`).join('\n');
    const inside = html`<title>${text}</title>`.text + mark;
    return html`<a href="${pathOf(key!)}" tabindex="-1" aria-hidden="true">${new Markup(inside)}</a>`.text;
  };
  const counts = [...section.matchAll(GROUP)].map(([, , marks]) => marks!.match(MARK)!.length);
  const areTogether = counts.reduce((sum, count) => sum + count, 0) === rows.length;
  let at = 0;
  const withLinks = section.replaceAll(GROUP, (group, head: string, marks: string) => {
    const paths = marks.match(MARK)!;
    if (!areTogether && paths.length !== rows.length) return group;
    const from = areTogether ? at : 0;
    at += paths.length;
    return head + paths.map((path, i) => link(path, rows[from + i]!)).join('');
  });
  // screen readers skip what is inside an image, also links
  return withLinks === section ? section : withLinks.replace('role="img"', 'role="group"');
}

/** Turns the keys of points, which the report puts into `<code>` elements, into links. */
export function withKeys(section: string, pathOf: (key: string) => string): string {
  return section.replaceAll(/<code>([0-9a-f]{16})<\/code>/g, (code, key: string) => {
    return html`<a href="${pathOf(key)}">${new Markup(code)}</a>`.text;
  });
}

function tableOf({ heads, rows }: Numbers, pathOf: (key: string) => string, campaign: string): Markup {
  const hasPoints = rows.some(({ key }) => key !== undefined);
  const all = `/api/v1/campaigns/${encodeURIComponent(campaign)}/results.csv?points`;
  return html`<details class="numbers">
    <summary>Show as a table</summary>
    ${
      rows.length > MOST_ROWS
        ? html`<p class="soft">
            The first ${MOST_ROWS} of
            ${rows.length.toLocaleString('en-US')}${hasPoints ? html`: <a href="${all}" download>all points as CSV</a>` : ''}.
          </p>`
        : ''
    }
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            ${heads.map((head) => html`<th>${head}</th>`)}${hasPoints ? html`<th>Point</th>` : ''}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, MOST_ROWS).map(
            ({ cells, key }) =>
              html`<tr>
                ${cells.map((cell) => html`<td>${cell}</td>`)}
                ${hasPoints ? html`<td>${key === undefined ? '' : html`<a href="${pathOf(key)}"><code>${key}</code></a>`}</td>` : ''}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
