import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { CampaignRecord } from '../store/index.ts';
import type { Column } from './columns.ts';
import type { Cell, Table } from './table.ts';
import * as typed from './typed.ts';
import { parsed } from './values.ts';

/** Rows and characters of text of a row group at most: what lies in memory at once. */
const GROUP_ROWS = 20_000;
const GROUP_CHARACTERS = 16_000_000;

/** What is said of the results beside the rows. */
export interface Description {
  record: Pick<CampaignRecord, 'campaign' | 'definition'>;
  /** Of foray. */
  version: string;
  /** Says which campaign it is, which equal campaigns differ in. @default false */
  all?: boolean;
}

export interface ParquetOptions {
  /** Is told how many values of a column are not of its type, when all is written; they are null in the file. */
  onMisfits?: (column: Column, count: number) => void;
}

type Physical = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const physical: Record<typed.Exactly, Physical> = {
  double: { type: 'DOUBLE' },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  local: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } },
  instant: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
};

const readers: Record<typed.Exactly, (cell: string) => unknown> = {
  double: typed.doubleIn,
  integer: typed.integerIn,
  long: typed.longIn,
  boolean: typed.booleanIn,
  local: typed.localIn,
  instant: typed.instantIn,
  text: (cell) => cell,
  json: (cell) => (parsed(cell) === undefined ? JSON.stringify(cell) : cell),
};

/** A column as it is gathered. */
interface Gathered {
  column: Column;
  read: (cell: string) => unknown;
  data: unknown[];
  misfits: number;
}

/**
 * A table as an Apache Parquet file, in pieces: typed columns, compressed by Snappy, a row group at a time. INTEGER is INT32,
 * LONG INT64, DATE_TIME a timestamp without a zone, what is not one cell JSON. The metadata hold the definition, the model,
 * and of each column its name, type, units and side. Equal campaigns give equal bytes.
 */
export async function* parquet(
  { columns, rows }: Table,
  description: Description,
  { onMisfits }: ParquetOptions = {},
): AsyncIterable<Uint8Array> {
  const buffer = new ByteWriter();
  const writer = new ParquetWriter({
    writer: buffer,
    schema: schemaOf(columns),
    kvMetadata: metadataOf(columns, description),
    createdBy: `foray version ${description.version}`,
  });
  const gathered = columns.map((column): Gathered => ({
    column,
    read: readers[typed.exactlyOf(column)],
    data: [],
    misfits: 0,
  }));
  const taken = (): Uint8Array => {
    const bytes = buffer.getBytes().slice();
    // the next piece begins at the beginning of the buffer; the place in the file goes on
    buffer.index = 0;
    return bytes;
  };
  const write = async (): Promise<void> => {
    const columnData = gathered.map(({ column: { name, kind }, data }) => ({
      name,
      data,
      // bounds of JSON texts are of no use to anybody
      ...(kind === 'json' && { statistics: false }),
    }));
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    for (const one of gathered) one.data = [];
  };
  let characters = 0;
  for await (const cells of rows) {
    characters += gather(gathered, cells);
    if (gathered[0]!.data.length < GROUP_ROWS && characters < GROUP_CHARACTERS) continue;
    await write();
    characters = 0;
    yield taken();
  }
  await write();
  // DuckDB goes by the older mark of JSON; given before, the library would take values for objects and write them anew
  for (const element of writer.schema)
    if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON';
  await writer.finish();
  yield taken();
  for (const { column, misfits } of gathered) if (misfits > 0) onMisfits?.(column, misfits);
}

/** Takes in a row. Returns how many characters of text it has. */
function gather(columns: readonly Gathered[], cells: readonly Cell[]): number {
  let characters = 0;
  for (let at = 0; at < columns.length; at++) {
    const one = columns[at]!;
    const cell = cells[at]!;
    const value = cell === null ? null : one.read(cell);
    if (typeof value === 'string') characters += value.length;
    if (value === undefined) one.misfits++;
    one.data.push(value ?? null);
  }
  return characters;
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: 'schema', num_children: columns.length },
    ...columns.map((column): SchemaElement => ({
      name: column.name,
      repetition_type: 'OPTIONAL',
      ...physical[typed.exactlyOf(column)],
    })),
  ];
}

/** `PANDAS_ATTRS` is what pandas gives as `attrs` of a frame. */
function metadataOf(columns: readonly Column[], { record, version, all = false }: Description) {
  const { id, model } = record.campaign;
  const units = columns.flatMap((column) => (column.units ? [[column.name, column.units]] : []));
  const texts: Record<string, string> = {
    'foray.version': version,
    'foray.model': JSON.stringify({ name: model.name, version: model.version }),
    'foray.definition': record.definition,
    'foray.columns': JSON.stringify(
      columns.map(({ name, type = null, units = null, of = null }) => ({ name, type, units, of })),
    ),
    PANDAS_ATTRS: JSON.stringify({ units: Object.fromEntries(units) as Record<string, string> }),
    ...(all && { 'foray.campaign': id }),
  };
  return Object.entries(texts).map(([key, value]) => ({ key, value }));
}
