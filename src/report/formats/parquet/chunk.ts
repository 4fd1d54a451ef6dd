import type { ColumnChunk, Encoding, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import type { ColumnValues, Encoded } from './column-values.ts';

/**
 * Writes a column of a row group as one page of values. If the column has a dictionary, a page with the dictionary
 * comes first. The library's own functions are slower, because they read each value several times.
 * https://parquet.apache.org/docs/file-format/data-pages/
 */
export function writeChunk(
  file: ByteWriter,
  { name, type }: Pick<SchemaElement, 'name' | 'type'>,
  column: ColumnValues,
): ColumnChunk {
  const encoded = column.encoded();
  const { values, places, bounds } = encoded;
  const encoding = places ? 'RLE_DICTIONARY' : 'PLAIN';
  const start = file.offset;
  const dictionarySize = places ? writeDictionary(file, encoded) : 0;
  const pageStart = file.offset;
  const content = places ? encodedPlaces(places, encoded.count) : values;
  const pageSize = writePage(file, column, encoding, content);
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: type!,
      encodings: places ? ['PLAIN', encoding] : [encoding],
      path_in_schema: [name],
      codec: 'SNAPPY',
      num_values: BigInt(column.rows),
      total_uncompressed_size: BigInt(dictionarySize + pageSize),
      total_compressed_size: BigInt(file.offset - start),
      data_page_offset: BigInt(pageStart),
      ...(places && { dictionary_page_offset: BigInt(start) }),
      ...(bounds && { statistics: { ...bounds, null_count: BigInt(column.nulls) } }),
    },
  };
}

/** @returns the size of the page with its header, before compression, in bytes */
function writeDictionary(file: ByteWriter, { values, count }: Encoded): number {
  const compressed = snappyCompress(values);
  const start = file.offset;
  writePageHeader(file, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: values.length,
    compressed_page_size: compressed.length,
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  });
  const header = file.offset - start;
  file.appendBytes(compressed);
  return header + values.length;
}

/** @returns the size of the page with its header, before compression, in bytes */
function writePage(
  file: ByteWriter,
  { rows, nulls, levels }: ColumnValues,
  encoding: Encoding,
  values: Uint8Array,
): number {
  const defined = new ByteWriter();
  writeRleBitPackedHybrid(defined, levels.subarray(0, rows), 1);
  const compressed = snappyCompress(values);
  const start = file.offset;
  writePageHeader(file, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: defined.offset + values.length,
    compressed_page_size: defined.offset + compressed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: defined.offset,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  const header = file.offset - start;
  file.appendBytes(defined.getBytes());
  file.appendBytes(compressed);
  return header + defined.offset + values.length;
}

/** Encodes indices into a dictionary with `count` values. */
function encodedPlaces(places: Uint32Array, count: number): Uint8Array {
  const width = Math.ceil(Math.log2(count));
  const written = new ByteWriter();
  written.appendUint8(width);
  writeRleBitPackedHybrid(written, places, width);
  return written.getBytes();
}
