/**
 * Tables and values from them. Modules that need a library are imported separately: the report (html.ts), Parquet
 * (parquet.ts).
 */
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
export { calibrationText, posteriorLines } from './calibration-words.ts';
export { precisionText } from './precision-words.ts';
export {
  bestTable,
  bestText,
  comparisonPlanText,
  searchLine,
  searchPlanText,
  searchText,
  selectText,
} from './search-words.ts';
export { type Cell, type Column, resultTable, type Table, type TableOptions } from './result-table.ts';
export { printable } from './text.ts';
export { isNumeric } from './value-kinds.ts';
export { counted, numberText, shortNumber, titleOf, unitText } from './words.ts';
