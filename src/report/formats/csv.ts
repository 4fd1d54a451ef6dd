import type { Cell, Table } from '../tables/result-table.ts';

/**
 * CSV by RFC 4180 in UTF-8, with one difference and one addition. Lines end in LF, not CRLF, because the usual readers
 * of CSV, and also diff, git and grep, accept LF. A missing value is an empty field, while an empty text is `""`.
 */
export async function* csv({ columns, rows }: Table): AsyncIterable<string> {
  yield line(columns.map(({ name }) => name));
  for await (const batch of rows.batches) yield batch.map(line).join('');
}

function line(cells: readonly Cell[]): string {
  return `${cells.map(field).join(',')}\n`;
}

function field(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
