import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { CampaignRecord } from '../../store/index.ts';
import type { Column } from '../tables/column-types.ts';
import { writeChunk } from './parquet/chunk.ts';
import type { ColumnValues } from './parquet/column-values.ts';
import { Booleans, Doubles, Integers, Longs } from './parquet/numbers.ts';
import { JsonTexts, Texts } from './parquet/texts.ts';
import type { Cell, Table } from '../tables/result-table.ts';
import * as typed from './typed.ts';

/** The maximum number of rows of a row group. A group is in memory until it is written. */
const GROUP_ROWS = 20_000;
/** A row group ends with the row at which its texts reach this number of characters. */
const GROUP_CHARACTERS = 16_000_000;

/** What the metadata of the file says about the results. */
export interface Description {
  record: Pick<CampaignRecord, 'campaign' | 'definition'>;
  /** The version of foray. */
  version: string;
  /**
   * Adds the id of the campaign, which differs between equal campaigns.
   *
   * @default false
   */
  all?: boolean;
}

export interface ParquetOptions {
  /**
   * Called at the end for each column that has values of another type. `count` is the number of these values. They are
   * null in the file.
   */
  onMismatches?: (column: Column, count: number) => void;
}

type Physical = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const physical: Record<typed.ExactType, Physical> = {
  double: { type: 'DOUBLE' },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  local: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } },
  instant: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  // DuckDB needs the older `converted_type` to recognize JSON
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
};

/**
 * Writes a table as an Apache Parquet file, in pieces of one row group each. Columns have types and are compressed by
 * Snappy. INTEGER is INT32, LONG is INT64, and DATE_TIME is a timestamp without a zone. A value that is not a single
 * cell is JSON. The metadata have the definition, the model, and the name, type, units and side (input or output) of
 * each column. With the same version of foray, equal tables of equal campaigns give equal bytes, unless `all` adds the
 * campaign's id.
 */
export async function* parquet(
  { columns, rows }: Table,
  description: Description,
  { onMismatches }: ParquetOptions = {},
): AsyncIterable<Uint8Array> {
  const buffer = new ByteWriter();
  const writer = new ParquetWriter({
    writer: buffer,
    schema: schemaOf(columns),
    kvMetadata: metadataOf(columns, description),
    createdBy: `foray version ${description.version}`,
  });
  const gathered = columns.map((column) => columnValues(typed.exactTypeOf(column), GROUP_ROWS));
  const lengthOf = textLength(columns);
  let characters = 0;
  const rowsOfGroup = (): number => gathered[0]!.rows;
  const taken = (): Uint8Array => {
    const bytes = buffer.getBytes().slice();
    // the next piece reuses the buffer from its beginning; `buffer.offset` still counts from the start of the file
    buffer.index = 0;
    return bytes;
  };
  for await (const batch of rows.batches) {
    for (let from = 0; from < batch.length;) {
      const end = Math.min(batch.length, from + GROUP_ROWS - rowsOfGroup());
      let to = from;
      while (to < end && characters < GROUP_CHARACTERS) characters += lengthOf(batch[to++]!);
      for (const [at, values] of gathered.entries()) values.add(batch, at, from, to);
      from = to;
      if (rowsOfGroup() < GROUP_ROWS && characters < GROUP_CHARACTERS) continue;
      writeGroup(writer, buffer, gathered);
      characters = 0;
      yield taken();
    }
  }
  if (rowsOfGroup() > 0) writeGroup(writer, buffer, gathered);
  await writer.finish();
  yield taken();
  for (const [at, { mismatches }] of gathered.entries())
    if (mismatches > 0) onMismatches?.(columns[at]!, mismatches);
}

/** Returns a function that counts the characters of texts in a row. */
function textLength(columns: readonly Column[]): (cells: readonly Cell[]) => number {
  const texts = [...columns.keys()].filter(
    (at) => physical[typed.exactTypeOf(columns[at]!)].type === 'BYTE_ARRAY',
  );
  return (cells) => {
    let length = 0;
    for (const at of texts) length += cells[at]?.length ?? 0;
    return length;
  };
}

/** Writes the collected rows as a row group, and begins the next one. */
function writeGroup(writer: ParquetWriter, buffer: ByteWriter, gathered: readonly ColumnValues[]): void {
  const rows = BigInt(gathered[0]!.rows);
  const start = buffer.offset;
  const columns = gathered.map((values, at) => writeChunk(buffer, writer.schema[at + 1]!, values));
  writer.row_groups.push({
    columns,
    total_byte_size: columns.reduce((sum, { meta_data }) => sum + meta_data!.total_uncompressed_size, 0n),
    total_compressed_size: BigInt(buffer.offset - start),
    num_rows: rows,
  });
  writer.num_rows += rows;
  for (const values of gathered) values.clear();
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: 'schema', num_children: columns.length },
    ...columns.map((column): SchemaElement => ({
      name: column.name,
      repetition_type: 'OPTIONAL',
      ...physical[typed.exactTypeOf(column)],
    })),
  ];
}

/** The metadata of the file. pandas shows `PANDAS_ATTRS` as the `attrs` of a frame. */
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

/** Makes the object that collects the values of a column. A row group has at most `most` rows. */
function columnValues(type: typed.ExactType, most: number): ColumnValues {
  switch (type) {
    case 'double':
      return new Doubles(most);
    case 'integer':
      return new Integers(most);
    case 'long':
      return new Longs(typed.longIn, most);
    case 'boolean':
      return new Booleans(most);
    case 'local':
      return new Longs(timeIn(typed.localIn), most);
    case 'instant':
      return new Longs(timeIn(typed.instantIn), most);
    case 'text':
      return new Texts(most);
    case 'json':
      return new JsonTexts(most);
  }
}

function timeIn(read: (text: string) => number | undefined): (text: string) => bigint | undefined {
  return (text) => {
    const time = read(text);
    return time === undefined ? undefined : BigInt(time);
  };
}
