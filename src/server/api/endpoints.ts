import { z } from 'zod';
import { MOST_FLIGHTS } from '../../campaign/scheduler/index.ts';
import type { Role } from '../roles.ts';

/** An endpoint of the API: its request, the needed role, and its answer. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  path: string;
  role: Role | 'anyone';
  /** A sentence for the reference. */
  summary: string;
  query?: z.ZodObject;
  /** Descriptions of optional headers, by name. */
  headers?: Record<string, string>;
  /** A schema of JSON, or a definition. */
  body?: z.ZodType | 'definition';
  /** A schema of JSON, a media type, or null for an answer without a body. */
  answer: z.ZodType | string | null;
}

const flag = z
  .enum(['', 'true', 'false', '1', '0'])
  .transform((text) => text !== 'false' && text !== '0')
  .optional();
const texts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat())
  .optional();
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const RunCounts = z.looseObject({ total: z.number(), done: z.number(), failed: z.number() });
const Status = z.looseObject({
  id: z.string(),
  name: z.string(),
  phase: z.string(),
  blocked: z.string().nullable(),
  model: z.string(),
  modelVersion: z.number(),
  points: z.number(),
  runs: RunCounts,
  window: z.number().nullable(),
  rate: z.number().nullable().describe('runs a second'),
  secondsLeft: z.number().nullable(),
  submitted: z.string().describe('ISO 8601'),
  source: z.enum(['workflow', 'store']),
  asOf: z.string().describe('ISO 8601'),
  owner: z.string().nullable(),
  note: z.string(),
});
const Listed = Status.extend({
  best: z.number().nullable().describe('the best value of the goal; null while it is not known'),
});
const Submitted = z.looseObject({
  id: z.string(),
  isNew: z.boolean(),
  points: z.number(),
  runs: z.number(),
  warning: z.string(),
});
const Change = z.looseObject({ forgiven: z.number(), open: z.number(), wasClosed: z.boolean() });
const Row = z.record(z.string(), z.unknown());
const Anything = z.looseObject({});

const Reason = z.strictObject({ reason: z.string().max(1_000).optional() }).optional();
const shown = z.strictObject({
  show: texts,
  maximize: z.string().optional(),
  minimize: z.string().optional(),
});
const table = z.strictObject({
  long: flag.describe('a row a value of a run'),
  points: flag.describe('a row a point'),
  all: flag.describe('adds run, origin, requested, finished'),
  show: texts.describe('with points: an output or a formula; may be given again'),
  inputs: z
    .record(z.string(), z.string())
    .optional()
    .describe('inputs[NAME]=1.2..1.8, where an end may be left out, or inputs[NAME]=1,2,3'),
});
const id = '/campaigns/:id';

/** The whole API. Routes, checks, roles, OpenAPI and the reference come from it. */
export const endpoints = {
  health: {
    method: 'GET',
    path: '/health',
    role: 'anyone',
    summary: 'Whether the server answers.',
    answer: z.strictObject({ status: z.literal('ok') }),
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    role: 'read',
    summary: 'This API as an OpenAPI 3.1 document.',
    answer: Anything,
  },
  listModels: {
    method: 'GET',
    path: '/models',
    role: 'read',
    summary: 'The models of the service.',
    answer: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  },
  getModel: {
    method: 'GET',
    path: '/models/:name',
    role: 'read',
    summary: 'A model by name or id, with the inputs and outputs of its newest version.',
    answer: z.looseObject({ id: z.string(), name: z.string(), version: Anything }),
  },
  plan: {
    method: 'POST',
    path: '/plan',
    role: 'read',
    summary: 'Points, runs and time of a definition. Nothing is started.',
    query: z.strictObject({
      all: flag.describe('ask the service about every run'),
      runSeconds: z.coerce.number().positive().optional().describe('how long one run takes, s'),
    }),
    body: 'definition',
    answer: Anything,
  },
  listCampaigns: {
    method: 'GET',
    path: '/campaigns',
    role: 'read',
    summary: 'Campaigns, the newest first. Link rel=next leads to the next page.',
    query: z.strictObject({
      phase: z.string().optional(),
      model: z.string().optional(),
      owner: z.string().optional(),
      q: z.string().optional().describe('a part of the id'),
      after: z.string().optional().describe('the id that the page before ended with'),
      limit: whole(1, 1_000).default(100),
    }),
    answer: z.array(Listed),
  },
  createCampaign: {
    method: 'POST',
    path: '/campaigns',
    role: 'steer',
    summary:
      'Starts a campaign under a new id. The same again with the same Idempotency-Key is the same campaign (200).',
    headers: {
      'Idempotency-Key': 'a text of your own for this campaign, so that the request may be repeated',
    },
    body: 'definition',
    answer: Submitted,
  },
  putCampaign: {
    method: 'PUT',
    path: id,
    role: 'steer',
    summary: 'Starts a campaign under this id. The same definition again changes nothing (200).',
    body: 'definition',
    answer: Submitted,
  },
  getCampaign: {
    method: 'GET',
    path: id,
    role: 'read',
    summary: 'Status of a campaign, with an ETag. With wait it is held until it differs from If-None-Match.',
    query: z.strictObject({ wait: whole(0, 60).default(0).describe('seconds') }),
    answer: Status,
  },
  deleteCampaign: {
    method: 'DELETE',
    path: id,
    role: 'steer',
    summary: 'Deletes a closed campaign with its results.',
    answer: null,
  },
  getDefinition: {
    method: 'GET',
    path: `${id}/definition`,
    role: 'read',
    summary: 'The definition as it was given, with an ETag.',
    answer: 'application/yaml',
  },
  putDefinition: {
    method: 'PUT',
    path: `${id}/definition`,
    role: 'steer',
    summary:
      'Changes the campaign to a definition, or says with dry what would change. If-Match refuses it (409) where somebody else changed it meanwhile.',
    query: z.strictObject({ dry: flag }),
    body: 'definition',
    answer: Anything,
  },
  listRuns: {
    method: 'GET',
    path: `${id}/runs`,
    role: 'read',
    summary: 'Finished runs in design order, a page at a time. Link rel=next leads to the next page.',
    query: z.strictObject({
      state: z.enum(['done', 'failed']).optional(),
      after: z
        .string()
        .regex(/^\d+\.\d+\.\d+$/)
        .optional()
        .describe('from the link to the next page'),
      lowest: z.string().optional().describe('instead those with the lowest values of an output'),
      highest: z.string().optional().describe('instead those with the highest values of an output'),
      limit: whole(1, 1_000).default(200),
    }),
    answer: z.array(Row),
  },
  getPoint: {
    method: 'GET',
    path: `${id}/points/:point`,
    role: 'read',
    summary: 'A point with its inputs and each of its runs, by its key or the beginning of it.',
    answer: Anything,
  },
  listFailures: {
    method: 'GET',
    path: `${id}/failures`,
    role: 'read',
    summary: 'Failed runs by cause, the commonest first.',
    answer: z.array(Anything),
  },
  listFlights: {
    method: 'GET',
    path: `${id}/flights`,
    role: 'read',
    summary: 'Runs that are requested and have not finished.',
    answer: z.array(Anything),
  },
  getStory: {
    method: 'GET',
    path: `${id}/story`,
    role: 'read',
    summary:
      'What the search, the selection or the calibration of the campaign has done; null of one without.',
    answer: z.strictObject({
      search: Anything.nullable(),
      select: Anything.nullable(),
      calibration: Anything.nullable(),
    }),
  },
  analyze: {
    method: 'GET',
    path: `${id}/analysis`,
    role: 'read',
    summary: 'Which inputs matter, an analysis an output.',
    query: z.strictObject({ output: texts }),
    answer: z.array(Anything),
  },
  listColumns: {
    method: 'GET',
    path: `${id}/columns`,
    role: 'read',
    summary: 'The columns of the results, with their types and units.',
    query: table,
    answer: z.array(z.looseObject({ name: z.string(), kind: z.enum(['number', 'boolean', 'text', 'json']) })),
  },
  resultsCsv: {
    method: 'GET',
    path: `${id}/results.csv`,
    role: 'read',
    summary: 'Results as CSV.',
    query: table,
    answer: 'text/csv',
  },
  resultsJsonl: {
    method: 'GET',
    path: `${id}/results.jsonl`,
    role: 'read',
    summary: 'Results as JSON Lines. With follow, runs as they finish until the campaign is over.',
    query: table.extend({ follow: flag }),
    answer: 'application/jsonl',
  },
  resultsParquet: {
    method: 'GET',
    path: `${id}/results.parquet`,
    role: 'read',
    summary: 'Results as a Parquet file, of which ranges may be asked for.',
    query: table,
    answer: 'application/vnd.apache.parquet',
  },
  getReport: {
    method: 'GET',
    path: `${id}/report.html`,
    role: 'read',
    summary: 'The report, one page without links.',
    query: shown,
    answer: 'text/html',
  },
  listFigures: {
    method: 'GET',
    path: `${id}/figures`,
    role: 'read',
    summary: "The names and titles of the report's pictures.",
    query: shown,
    answer: z.array(z.strictObject({ name: z.string(), title: z.string() })),
  },
  getFigure: {
    method: 'GET',
    path: `${id}/figures/:figure`,
    role: 'read',
    summary: 'A picture of the report as an SVG file, by its name, with an ETag.',
    query: shown,
    answer: 'image/svg+xml',
  },
  events: {
    method: 'GET',
    path: `${id}/events`,
    role: 'read',
    summary: 'Server-sent events: status, run (unless runs=false), and end when the campaign is over.',
    query: z.strictObject({ runs: flag.default(true) }),
    answer: 'text/event-stream',
  },
  pause: {
    method: 'POST',
    path: `${id}/pause`,
    role: 'steer',
    summary: 'Requests no new runs; what is requested goes on.',
    body: Reason,
    answer: Status,
  },
  resume: {
    method: 'POST',
    path: `${id}/resume`,
    role: 'steer',
    summary: 'Lets a paused campaign go on.',
    body: Reason,
    answer: Status,
  },
  stop: {
    method: 'POST',
    path: `${id}/stop`,
    role: 'steer',
    summary: 'Ends the campaign when what is requested has finished.',
    body: Reason,
    answer: Status,
  },
  cancel: {
    method: 'POST',
    path: `${id}/cancel`,
    role: 'steer',
    summary: 'Ends the campaign and stops its runs. What has finished stays.',
    body: Reason,
    answer: Status,
  },
  retry: {
    method: 'POST',
    path: `${id}/retry`,
    role: 'steer',
    summary: 'Requests failed and missing runs again.',
    body: z
      .strictObject({
        what: z.enum(['all', 'failed', 'missing']).default('all'),
        version: z.union([z.int().positive(), z.literal('latest')]).optional(),
      })
      .default({ what: 'all' }),
    answer: Change,
  },
  setConcurrency: {
    method: 'PUT',
    path: `${id}/concurrency`,
    role: 'steer',
    summary: 'How many runs may be requested at once.',
    body: z.strictObject({ concurrency: z.union([z.int().min(1).max(MOST_FLIGHTS), z.literal('auto')]) }),
    answer: Status,
  },
  compare: {
    method: 'GET',
    path: '/compare',
    role: 'read',
    summary: 'Two campaigns point by point: differences with intervals.',
    query: z.strictObject({ a: z.string(), b: z.string(), show: texts }),
    answer: z.strictObject({ rows: z.array(Row), notes: z.array(z.string()) }),
  },
} as const satisfies Record<string, Endpoint>;
