import * as z from 'zod';
import { phases } from '../../campaign/types.ts';
import { Pushed, PushRequest } from '../../api/extensions.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { resultEndpoints } from './endpoints/results.ts';
import { steeringEndpoints } from './endpoints/steering.ts';
import {
  flag,
  oneOf,
  texts,
  whole,
  Status,
  Listed,
  Submitted,
  Row,
  AnyObject,
  CAMPAIGN,
} from './endpoints/schemas.ts';

const POSITIVE = 'expected a positive number';
const seconds = z.coerce.number(POSITIVE).positive(POSITIVE);

/** The path below which the server has its API. */
export const API_ROOT = '/api/v1';

/** The whole API. Routes, checks, roles, OpenAPI and the reference come from it. */
export const endpoints = {
  health: {
    method: 'GET',
    path: '/health',
    role: 'anyone',
    summary: 'Whether the server answers and has its store.',
    answer: z.strictObject({ status: z.literal('ok') }),
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    role: 'read',
    summary: 'This API as an OpenAPI 3.1 document.',
    answer: AnyObject,
  },
  listModels: {
    method: 'GET',
    path: '/models',
    role: 'read',
    needs: ['service'],
    summary: 'The models of the service.',
    answer: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  },
  getModel: {
    method: 'GET',
    path: '/models/:name',
    role: 'read',
    needs: ['service'],
    summary: 'A model by name or id, with the inputs and outputs of its newest version.',
    answer: z.looseObject({ id: z.string(), name: z.string(), version: AnyObject }),
  },
  pushModel: {
    method: 'POST',
    path: '/push/model',
    role: 'develop',
    needs: ['service'],
    summary:
      'Makes a version of a model from uploaded files, if they differ from the last version. If files are missing, the answer names them.',
    body: PushRequest,
    answer: Pushed,
  },
  pushFile: {
    method: 'POST',
    path: '/push/file',
    role: 'develop',
    needs: ['service'],
    summary: 'Uploads a file of a model that is about to be pushed. The answer is its SHA-256.',
    body: 'bytes',
    answer: 'text/plain',
  },
  plan: {
    method: 'POST',
    path: '/plan',
    role: 'read',
    needs: ['service'],
    summary: 'Points, runs and time of a definition. Nothing is started.',
    query: z.strictObject({
      all: flag.describe('asks the service about every run'),
      runSeconds: seconds.optional().describe('how long one run takes, s'),
    }),
    body: 'definition',
    answer: AnyObject,
  },
  listCampaigns: {
    method: 'GET',
    path: '/campaigns',
    role: 'read',
    summary: 'Campaigns, the newest first. Link rel=next leads to the next page.',
    query: z.strictObject({
      phase: oneOf(phases).optional(),
      model: z.string().optional(),
      owner: z.string().optional(),
      q: z.string().optional().describe('a part of the id, name, model or owner, in upper or lower case'),
      after: z
        .string()
        .optional()
        .describe('the place in the link to the next page, or the id of a campaign'),
      limit: whole(1, 1_000).default(100),
    }),
    answer: z.array(Listed),
  },
  createCampaign: {
    method: 'POST',
    path: '/campaigns',
    role: 'steer',
    needs: ['service', 'temporal'],
    summary:
      'Starts a campaign under a new id. A repeated request with the same Idempotency-Key returns the same campaign (200).',
    headers: {
      'Idempotency-Key': 'a text of your own for this campaign, so that the request may be repeated',
    },
    body: 'definition',
    answer: Submitted,
  },
  putCampaign: {
    method: 'PUT',
    path: CAMPAIGN,
    role: 'steer',
    needs: ['service', 'temporal'],
    summary:
      'Starts a campaign under this id. A second request with the same definition changes nothing (200).',
    body: 'definition',
    answer: Submitted,
  },
  getCampaign: {
    method: 'GET',
    path: CAMPAIGN,
    role: 'read',
    summary:
      'Status of a campaign, with an ETag. With wait, the answer comes when the status changes or differs from If-None-Match.',
    query: z.strictObject({ wait: whole(0, 60).default(0).describe('seconds') }),
    answer: Status,
  },
  deleteCampaign: {
    method: 'DELETE',
    path: CAMPAIGN,
    role: 'steer',
    summary: 'Deletes a closed campaign with its results.',
    answer: null,
  },
  getDefinition: {
    method: 'GET',
    path: `${CAMPAIGN}/definition`,
    role: 'read',
    summary: 'The definition as it was given, with an ETag.',
    answer: 'application/yaml',
  },
  putDefinition: {
    method: 'PUT',
    path: `${CAMPAIGN}/definition`,
    role: 'steer',
    needs: ['service'],
    summary:
      'Changes the campaign to a definition. With dry, only shows the difference. With If-Match, a change by somebody else leads to 409.',
    query: z.strictObject({ dry: flag }),
    body: 'definition',
    answer: AnyObject,
  },
  ...resultEndpoints,
  ...steeringEndpoints,
  compare: {
    method: 'GET',
    path: '/compare',
    role: 'read',
    summary: 'Two campaigns point by point: differences with intervals.',
    query: z.strictObject({ a: z.string(), b: z.string(), show: texts }),
    answer: z.strictObject({ rows: z.array(Row), notes: z.array(z.string()) }),
  },
} as const satisfies Record<string, Endpoint>;
