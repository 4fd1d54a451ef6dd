import { html, Markup } from '../../report/html/markup.ts';
import type { ReportSection } from '../../report/html/report-sections.ts';
import type { Section } from './look.ts';
import type { Numbers } from './numbers.ts';

/** The most marks of a picture that lead to their points. More would make pages heavy. */
const MOST_LINKS = 1_500;
const MARK = /<path [^>]*\/>/g;
/** Marks of one kind, as Vega draws them. */
const GROUP = /(<g class="mark-(?:rect|symbol) role-mark [^"]*"[^>]*>)((?:<path [^>]*\/>)+)(?=<\/g>)/g;
/** The most rows of the table of a picture. The results have all of them. */
const MOST_ROWS = 200;

/**
 * A section of a report in the form of the page: marks of pictures are links to their points with titles, and there is
 * a table of the numbers. Otherwise it is equal to the section of the report.
 *
 * @param numbers the numbers of the picture, if the section is one
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
 * Marks are in the order of the rows: either in each group of this size, as in panels of the same points, or in all
 * groups together, as in panels of different points.
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
  // a picture with links is no image for screen readers, and the table replaces it
  return withLinks === section ? section : withLinks.replace('role="img"', 'role="group"');
}

/** Turns the keys of points in tables into links. */
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
            The first ${MOST_ROWS} of ${rows.length.toLocaleString('en-US')}:
            <a href="${all}" download>all points as CSV</a>.
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
