/** Tables and what is read off them. What brings a library along is imported by itself: the report (html.ts), Parquet (parquet.ts). */
export { bestRows } from './best.ts';
export { type FilesWritten, withPaths, writingFiles } from './files.ts';
export {
  formatResults,
  formatTable,
  type ResultFormat,
  resultFormats,
  type ShapeOptions,
  tableOf,
  type TextFormat,
  textFormats,
} from './format.ts';
export { bestTable, bestText, searchLine, searchText, selectText } from './search-words.ts';
export { type Cell, type Column, resultTable, type Table, type TableOptions } from './table.ts';
export { printable } from './text.ts';
export { isNumeric } from './values.ts';
export { counted, numberText, shortNumber, titleOf, unitText } from './words.ts';
