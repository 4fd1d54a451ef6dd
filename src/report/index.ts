/** Tables and what is read off them. What brings a library along is imported by itself: the report (html.ts), Parquet (parquet.ts). */
export { bestRows } from './best.ts';
export {
  formatResults,
  type ResultFormat,
  resultFormats,
  type ShapeOptions,
  tableOf,
  type TextFormat,
} from './format.ts';
export { type Cell, type Column, resultTable, type Table, type TableOptions } from './table.ts';
export { counted, unitText } from './words.ts';
