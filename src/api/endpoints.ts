import * as z from 'zod';
import {
  AnimationInfo,
  Experiment,
  Model,
  Outputs,
  OutputsTemplate,
  ResultsRequest,
  Run,
  RunRequest,
  RunState,
  Version,
} from './resources.ts';

/** An endpoint, as in the table in section 4 of the specification. */
export interface Endpoint {
  method: 'GET' | 'POST';
  /** The path relative to the root address. `:name` stands for any segment. */
  path: string;
  summary: string;
  query?: z.ZodObject;
  /** The JSON body; `bytes` is a raw body. */
  body?: z.ZodType | 'bytes';
  response: z.ZodType;
  /** The method and path of the same request in older interface versions (notes on real clients). */
  older?: { method: 'GET' | 'POST'; path: string };
}

/** The sixteen endpoints of the specification. The client and the service use this table. */
export const endpoints = {
  listModels: {
    method: 'GET',
    path: '/models',
    summary: 'All models that the user of the key may use',
    response: z.array(Model),
  },
  getModel: { method: 'GET', path: '/models/:modelId', summary: 'A model by id', response: Model },
  getVersionByNumber: {
    method: 'GET',
    path: '/models/:modelId/versions/number/:number',
    summary: 'A version of a model by its number, from 1',
    response: Version,
  },
  getVersion: {
    method: 'GET',
    path: '/models/:modelId/versions/:versionId',
    summary: 'A version of a model by id',
    response: Version,
  },
  getModelByName: {
    method: 'POST',
    path: '/models/name/',
    summary: 'A model by name; the body is the name as a JSON string',
    body: z.string(),
    response: Model,
    older: { method: 'GET', path: '/models/name/:name' },
  },
  listExperiments: {
    method: 'GET',
    path: '/versions/:versionId/experiments',
    summary: 'The experiments stored for a version',
    response: z.array(Experiment),
  },
  requestRun: {
    method: 'POST',
    path: '/versions/:versionId/runs',
    summary: 'Requests a run; it starts only if no identical run waits, executes or has completed',
    body: RunRequest,
    response: Run,
  },
  stopRun: {
    method: 'POST',
    path: '/versions/:versionId/runs/stop',
    summary: 'Stops the run that the request names, for everyone who shares it',
    body: RunRequest,
    response: z.null(),
  },
  findRun: {
    method: 'POST',
    path: '/versions/:versionId/run',
    summary: 'The run of a request, and its status; no run starts',
    body: RunRequest,
    response: Run,
  },
  getProgress: {
    method: 'GET',
    path: '/versions/:versionId/runs/:runId/progress',
    summary: 'Status and progress of a run, finished or not',
    response: RunState,
  },
  getRunResults: {
    method: 'POST',
    path: '/versions/:versionId/results/:runId',
    summary: 'The outputs of a completed run, in the form of the template; 404 if the run has not completed',
    body: OutputsTemplate,
    response: Outputs,
    older: { method: 'POST', path: '/versions/:versionId/runs/:runId' },
  },
  getResults: {
    method: 'POST',
    path: '/versions/:versionId/results',
    summary: 'The outputs of the completed run that the inputs name; 404 if there is no such run',
    body: ResultsRequest,
    response: Outputs,
  },
  startAnimation: {
    method: 'POST',
    path: '/versions/:versionId/runs/animation',
    summary: 'Starts an animated run and answers when it has started',
    body: RunRequest,
    response: AnimationInfo,
  },
  getOutputFileUrl: {
    method: 'GET',
    path: '/output-file',
    summary: 'A pre-signed address of an output file, valid for five minutes',
    query: z.object({ hash: z.string().min(1), filename: z.string().min(1) }),
    response: z.string(),
  },
  uploadFile: {
    method: 'POST',
    path: '/upload-file',
    summary: 'Stores a file; the answer is its hash',
    body: 'bytes',
    response: z.string(),
  },
  checkFile: {
    method: 'GET',
    path: '/check-file',
    summary: 'Whether a file with that hash exists',
    query: z.object({ hash: z.string().min(1) }),
    response: z.boolean(),
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
