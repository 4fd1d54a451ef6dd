import {
  type InputType,
  isNumericType,
  isWholeType,
  type OutputType,
  scalarOutputTypes,
} from '../../api/index.ts';
import { parsed } from '../../campaign/curves.ts';

/** The kind of a column: a number, a boolean, a text, or the JSON text of a value that is not a single cell. */
export type ValueKind = 'number' | 'boolean' | 'text' | 'json';

export function kindOfInput(type: InputType): ValueKind {
  if (type === 'BOOLEAN') return 'boolean';
  if (isNumericType(type)) return 'number';
  return type.startsWith('FIXED_RANGE_') ? 'json' : 'text';
}

export function kindOfOutput(type: OutputType): ValueKind {
  if (type === 'BOOLEAN') return 'boolean';
  if (isNumericType(type)) return 'number';
  return scalarOutputTypes.includes(type) ? 'text' : 'json';
}

/** Whether the values of an output are whole numbers. True counts as 1 and false as 0. */
export function hasWholeValues({ type }: { type: OutputType }): boolean {
  return isWholeType(type) || type === 'BOOLEAN';
}

/**
 * The cell of an output; null if the run has no value. A service gives values as JSON text. A single value loses its
 * quotes here, even if it is a number such as "Infinity". Everything else stays unchanged.
 */
export function cellOf(kind: ValueKind, text: string | undefined): string | null {
  if (text === undefined || text === '' || text === 'null') return null;
  if (kind === 'json' || !text.startsWith('"')) return text;
  const value = parsed(text);
  return typeof value === 'string' ? value : text;
}

/** All points of a DATA_SET as cells, including points that are not finite; undefined if the text is not a DATA_SET. */
export function curveCells(text: string | null): [x: string | null, y: string | null][] | undefined {
  const { dataX, dataY } = (parsed(text ?? 'null') ?? {}) as { dataX?: unknown; dataY?: unknown };
  if (!Array.isArray(dataX) || !Array.isArray(dataY) || dataX.length !== dataY.length) return undefined;
  return dataX.map((x: unknown, i) => [pointCell(x), pointCell(dataY[i])]);
}

function pointCell(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
