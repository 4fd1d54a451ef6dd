import { isNumericType, numberIn } from '../../api/index.ts';
import { numberText, printable, shortNumber } from '../../report/index.ts';
import type { FinishedRow, LiveState } from './state.ts';
import { cut, fitted, type Line, type Span, widthOf } from './text.ts';

/** Maximum number of columns that a row reserves for its value. In a narrow terminal, the inputs are cut first. */
const WIDEST_VALUE = 40;

/** One line per run: when it finished, its inputs, its result. */
export function rowLines({ rows, varied, output, isReplicated }: LiveState, columns: number): Line[] {
  const values = rows.map((row) => valueText(row, output?.name));
  const widest = Math.max(...values.filter((_, at) => rows[at]!.status === 'done').map(widthOf), 0);
  const places = rows.map((row) => placeText(row, varied, isReplicated));
  const room = columns - TIME - 2 - 2 - Math.min(widest, WIDEST_VALUE) - REUSED;
  const wide = Math.max(1, Math.min(room, Math.max(...places.map(widthOf), 0)));
  return rows.map((row, at): Line => {
    const value: Span =
      row.status === 'failed' ? { style: 'red', text: values[at]! } : fitted(values[at]!, widest, 'right');
    return [
      { style: 'dim', text: fitted(timeText(row.finishedAt), TIME) },
      '  ',
      fitted(places[at]!, wide),
      '  ',
      value,
      ...(row.origin === 'reused' ? ['  ', { style: 'dim', text: 'reused' } as const] : []),
    ];
  });
}

const TIME = 8;
const REUSED = 8;

function valueText({ status, outputs, reason }: FinishedRow, output: string | undefined): string {
  if (status === 'failed') return `failed: ${printable(reason ?? 'no reason given')}`;
  if (output === undefined) return 'done';
  const value = numberIn(outputs[output]);
  return value === undefined ? 'no value' : numberText(value);
}

/** The varied inputs and the replication, such as "Servers 2, Policy fifo #3"; the point's key when no input varies. */
function placeText(
  { point, values, replication }: FinishedRow,
  varied: LiveState['varied'],
  isReplicated: boolean,
): string {
  const inputs = varied.map((input, at) => {
    const value = values[at] ?? '';
    return `${input.name} ${cut(printable(isNumericType(input.type) ? shortNumber(value) : value), 30)}`;
  });
  return `${printable(inputs.join(', ')) || point}${isReplicated ? ` #${replication}` : ''}`;
}

/** The local time of day. */
function timeText(time: number | null): string {
  return time === null ? '' : new Date(time).toTimeString().slice(0, TIME);
}
