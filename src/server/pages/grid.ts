import type { RowOrder } from '../live/look.ts';
import { html, type Markup } from '../../report/html/markup.ts';

/** Reads an order in an address: `lowest:COLUMN` or `highest:COLUMN`; null for the order that the rows have anyway. */
export function orderIn(text = ''): RowOrder | null {
  const [, wants, by] = /^(lowest|highest):(.+)$/s.exec(text) ?? [];
  return by === undefined ? null : { by, wants: wants as RowOrder['wants'] };
}

/** An order as {@link orderIn} reads it. */
export function orderText(order: RowOrder | null): string {
  return order === null ? '' : `${order.wants}:${order.by}`;
}

export interface Column {
  title: string;
  /** The name of the column in an order. Only a column with this name has a head that sorts. */
  by?: string | undefined;
  /** The values that come first after the first click. @default 'lowest' */
  first?: RowOrder['wants'];
  isNumber?: boolean | undefined;
}

/** The content of a cell. `{ number }`: the text of a number, which is aligned like a number. */
export type Cell = string | number | { number: string } | Markup | undefined;

export interface Row {
  id?: string;
  cells: readonly Cell[];
}

export interface Sorting {
  now: RowOrder | null;
  /** The address of the grid in another order. */
  hrefOf: (order: RowOrder) => string;
}

/**
 * A grid: a table whose heads sort it. In a narrow window, each row becomes a block, in which each cell has the title of
 * its column before it.
 *
 * @param label - the name of the grid for screen readers
 */
export function grid(
  columns: readonly Column[],
  rows: readonly Row[],
  label: string,
  sorting?: Sorting,
): Markup {
  const classes = columns.map(({ isNumber }, at) =>
    isNumber || rows.some(({ cells }) => isNumeric(cells[at])) ? 'number' : '',
  );
  return html`<div class="scroll grid" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map((column, at) => headOf(column, classes[at]!, sorting))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ id, cells }) =>
            html`<tr${id === undefined ? '' : html` id="${id}"`}>
              ${cells.map((cell, at) => html`<td class="${classes[at]}" data-name="${columns[at]!.title}">${shown(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function headOf({ title, by, first = 'lowest' }: Column, className: string, sorting?: Sorting): Markup {
  if (by === undefined || !sorting) return html`<th class="${className}">${title}</th>`;
  const { now, hrefOf } = sorting;
  const wants = now?.by === by ? now.wants : undefined;
  const other = first === 'lowest' ? 'highest' : 'lowest';
  const href = hrefOf({ by, wants: wants === first ? other : first });
  const sorted = wants && html`aria-sort="${wants === 'lowest' ? 'ascending' : 'descending'}"`;
  return html`<th class="${className}" ${sorted}>
    <a href="${href}"
      >${title}${wants && html` <span aria-hidden="true">${wants === 'lowest' ? '▲' : '▼'}</span>`}</a
    >
  </th>`;
}

/** A grid that nobody sorts. Without a label, its titles name it; the grids of a page need different names. */
export function tableOf(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  label = titles.join(', '),
): Markup {
  return grid(
    titles.map((title) => ({ title })),
    rows.map((cells) => ({ cells })),
    label || 'Table',
  );
}

/** A time for readers, in UTC. The script of the page changes it to the time zone of the browser. @param at - ISO 8601 */
export function timeOf(at: string): Markup {
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function isNumeric(cell: Cell): cell is number | { number: string } {
  return typeof cell === 'number' || (typeof cell === 'object' && 'number' in cell);
}

function shown(cell: Cell): string | Markup | undefined {
  if (!isNumeric(cell)) return cell;
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : cell.number;
}
