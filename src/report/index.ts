/**
 * The tables, formats and texts of results. The HTML report (html/html.ts) and Parquet (formats/parquet.ts) need
 * further libraries, so they are imported from their own files.
 */
export { bestRows } from './summary/best.ts';
export { bestOfDesign } from './summary/chosen.ts';
export { type FilesWritten, withPaths, writingFiles } from './files/files.ts';
export {
  formatResults,
  formatTable,
  type ResultFormat,
  resultFormats,
  type ShapeOptions,
  tableOf,
  type TextFormat,
  textFormats,
} from './formats/format.ts';
export { posteriorLines } from './words/calibration-words.ts';
export { precisionText } from './words/precision-words.ts';
export { bestTable, bestText, noBestText, TOO_GOOD } from './words/search-words.ts';
export { plannedPoints, strategyLine, strategyWords } from './words/strategy-words.ts';
export { type Cell, type Column, resultTable, type Table, type TableOptions } from './tables/result-table.ts';
export { printable } from './formats/text.ts';
export { counted, numberText, shortNumber, titleOf, unitText } from './words/words.ts';
