/** Tables and what is read off them. The report (html.ts) is imported by itself: it brings a plotting library along. */
export { bestRows } from './best.ts';
export { formatResults, type ResultFormat, resultFormats } from './format.ts';
export { type Cell, type Column, resultTable, type Table, type TableOptions } from './table.ts';
export { counted, unitText } from './words.ts';
