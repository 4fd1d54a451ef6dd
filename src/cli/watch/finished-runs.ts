import { isNumericType, numberIn } from '../../api/index.ts';
import { numberText, printable, shortNumber } from '../../report/index.ts';
import type { FinishedRow, LiveState } from './state.ts';
import { cut, fitted, type Line, type Span, widthOf } from './text.ts';

/** Maximum number of columns that a row reserves for its value. In a narrow terminal, the inputs are cut first. */
const WIDEST_VALUE = 40;
/** Maximum number of columns of the value of an input. */
const WIDEST_INPUT = 30;
/** The number of columns of a time of day. */
const TIME_WIDTH = 8;
const GAP = '  ';
const REUSED = 'reused';

/** One line per run: when it finished, its inputs, its result. */
export function rowLines({ rows, varied, output, isReplicated }: LiveState, columns: number): Line[] {
  const values = rows.map((row) => valueText(row, output?.name));
  const widest = Math.max(...values.filter((_, at) => rows[at]!.status === 'done').map(widthOf), 0);
  const places = rows.map((row) => placeText(row, varied, isReplicated));
  const room = columns - TIME_WIDTH - 3 * GAP.length - Math.min(widest, WIDEST_VALUE) - REUSED.length;
  const placeWidth = Math.max(1, Math.min(room, Math.max(...places.map(widthOf), 0)));
  return rows.map((row, at): Line => {
    const value: Span =
      row.status === 'failed' ? { style: 'red', text: values[at]! } : fitted(values[at]!, widest, 'right');
    return [
      { style: 'dim', text: fitted(timeText(row.finishedAt), TIME_WIDTH) },
      GAP,
      fitted(places[at]!, placeWidth),
      GAP,
      value,
      ...(row.origin === 'reused' ? [GAP, { style: 'dim', text: REUSED } as const] : []),
    ];
  });
}

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
    return `${input.name} ${cut(printable(isNumericType(input.type) ? shortNumber(value) : value), WIDEST_INPUT)}`;
  });
  return `${printable(inputs.join(', ')) || point}${isReplicated ? ` #${replication}` : ''}`;
}

/** The local time of day. */
function timeText(time: number | null): string {
  return time === null ? '' : new Date(time).toTimeString().slice(0, TIME_WIDTH);
}
