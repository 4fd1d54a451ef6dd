import type { Cell, Column, Table } from '../tables/result-table.ts';
import { parsed } from '../../campaign/curves.ts';

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * JSON Lines: one object per row. Numbers keep all their digits, because a LONG may have more digits than a JavaScript
 * number. A value that is not a single cell is JSON, usually an object. A missing value is null.
 */
export async function* jsonl({ columns, rows }: Table): AsyncIterable<string> {
  const keys = columns.map(({ name }) => JSON.stringify(name));
  const line = (cells: readonly Cell[]): string => {
    const members = columns.map((column, i) => `${keys[i]}:${jsonOf(column, cells[i]!)}`);
    return `{${members.join(',')}}\n`;
  };
  for await (const batch of rows.batches) yield batch.map(line).join('');
}

function jsonOf({ kind }: Column, cell: Cell): string {
  if (cell === null) return 'null';
  switch (kind) {
    case 'number':
      return JSON_NUMBER.test(cell) ? cell : JSON.stringify(cell);
    case 'boolean':
      return cell === 'true' || cell === 'false' ? cell : JSON.stringify(cell);
    case 'text':
      return JSON.stringify(cell);
    case 'json':
      // a line break in JSON text is never inside a string, so a space can replace it
      return parsed(cell) === undefined ? JSON.stringify(cell) : cell.replaceAll(/[\r\n]+/g, ' ');
  }
}
