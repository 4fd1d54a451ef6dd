import * as z from 'zod';
import type { Endpoint } from './endpoint.ts';
import { flag, oneOf, texts, whole, Row, AnyObject, reportQuery, tableQuery, CAMPAIGN } from './schemas.ts';

/** Endpoints that read one campaign: its runs, failures, tables, pictures and events. */
export const resultEndpoints = {
  listRuns: {
    method: 'GET',
    path: `${CAMPAIGN}/runs`,
    role: 'read',
    summary: 'Finished runs in design order, in pages. Link rel=next leads to the next page.',
    query: z.strictObject({
      state: oneOf(['done', 'failed']).optional(),
      after: z
        .string()
        .regex(/^\d+\.\d+\.\d+$/, 'expected the value in the link to the next page')
        .optional()
        .describe('from the link to the next page'),
      lowest: z.string().optional().describe('an output: only the runs with its lowest values'),
      highest: z.string().optional().describe('an output: only the runs with its highest values'),
      limit: whole(1, 1_000).default(200),
    }),
    answer: z.array(Row),
  },
  getPoint: {
    method: 'GET',
    path: `${CAMPAIGN}/points/:point`,
    role: 'read',
    summary: 'A point with its inputs and its runs, by its key or the beginning of its key.',
    answer: AnyObject,
  },
  listFailures: {
    method: 'GET',
    path: `${CAMPAIGN}/failures`,
    role: 'read',
    summary: 'Failed runs by cause, the most frequent cause first.',
    answer: z.array(AnyObject),
  },
  listFlights: {
    method: 'GET',
    path: `${CAMPAIGN}/flights`,
    role: 'read',
    summary: 'Runs that are requested and have not finished.',
    answer: z.array(AnyObject),
  },
  getStory: {
    method: 'GET',
    path: `${CAMPAIGN}/story`,
    role: 'read',
    summary: 'The course of the search, selection or calibration of the campaign; null if it has none.',
    answer: z.strictObject({ story: AnyObject.nullable() }),
  },
  analyze: {
    method: 'GET',
    path: `${CAMPAIGN}/analysis`,
    role: 'read',
    summary: 'Which inputs matter, with one analysis per output.',
    query: z.strictObject({ output: texts }),
    answer: z.array(AnyObject),
  },
  listColumns: {
    method: 'GET',
    path: `${CAMPAIGN}/columns`,
    role: 'read',
    summary: 'The columns of the results, with their types and units.',
    query: tableQuery,
    answer: z.array(z.looseObject({ name: z.string(), kind: z.enum(['number', 'boolean', 'text', 'json']) })),
  },
  resultsCsv: {
    method: 'GET',
    path: `${CAMPAIGN}/results.csv`,
    role: 'read',
    summary: 'Results as CSV.',
    query: tableQuery,
    answer: 'text/csv',
  },
  resultsJsonl: {
    method: 'GET',
    path: `${CAMPAIGN}/results.jsonl`,
    role: 'read',
    summary: 'Results as JSON Lines. With follow, runs as they finish until the campaign is over.',
    query: tableQuery.extend({ follow: flag }),
    answer: 'application/jsonl',
  },
  resultsParquet: {
    method: 'GET',
    path: `${CAMPAIGN}/results.parquet`,
    role: 'read',
    summary: 'Results as a Parquet file. Clients may request ranges of the file.',
    query: tableQuery,
    answer: 'application/vnd.apache.parquet',
  },
  getReport: {
    method: 'GET',
    path: `${CAMPAIGN}/report.html`,
    role: 'read',
    summary: 'The report as one HTML page.',
    query: reportQuery,
    answer: 'text/html',
  },
  listFigures: {
    method: 'GET',
    path: `${CAMPAIGN}/figures`,
    role: 'read',
    summary: "The names and titles of the report's pictures.",
    query: reportQuery,
    answer: z.array(z.strictObject({ name: z.string(), title: z.string() })),
  },
  getFigure: {
    method: 'GET',
    path: `${CAMPAIGN}/figures/:figure`,
    role: 'read',
    summary: 'A picture of the report as an SVG file, by its name, with an ETag.',
    query: reportQuery,
    answer: 'image/svg+xml',
  },
  events: {
    method: 'GET',
    path: `${CAMPAIGN}/events`,
    role: 'read',
    summary: 'Server-sent events: status, run (unless runs=false), and end when the campaign is over.',
    query: z.strictObject({ runs: flag.default(true) }),
    answer: 'text/event-stream',
  },
} as const satisfies Record<string, Endpoint>;
