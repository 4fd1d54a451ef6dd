import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import { CloudClient, type CloudError, isCloudError } from '../../src/cloud/index.ts';
import type { TransportOptions } from '../../src/cloud/transport.ts';

export const KEY = 'e05a6efa-ea5f-4adf-b090-ae0ca7d16c20';

export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  at: number;
}

type Handler = (response: ServerResponse, asked: Asked) => void;

/** A real HTTP server on 127.0.0.1. It gives the answers that a test sets, and records the requests. */
export interface TestServer {
  url: string;
  asked: Asked[];
  answer(handler: Handler): void;
  /** Answers every request with this status, body and headers. */
  say(status: number, body: unknown, headers?: Record<string, string>): void;
  client(options?: Partial<TransportOptions>): CloudClient;
}

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

export async function startServer(): Promise<TestServer> {
  let handler: Handler = (response) => response.writeHead(500).end();
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(parts), at: performance.now() };
      asked.push(one);
      handler(response, one);
    });
  });
  // Node closes a connection that is idle for 5 s. On a busy machine, the client may use it again at that moment.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/open/8.5.0`;
  return {
    url,
    asked,
    answer: (next) => {
      handler = next;
    },
    say(status, body, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      handler = (response) => response.writeHead(status, headers).end(text);
    },
    client: (options = {}) => new CloudClient({ url, key: KEY, ...options }),
  };
}

/** The CloudError of a failed call. Any other result fails the test. */
export async function failure(call: Promise<unknown>): Promise<CloudError> {
  try {
    await call;
  } catch (error) {
    if (isCloudError(error)) return error;
    throw new Error(`not a CloudError: ${String(error)}`, { cause: error });
  }
  throw new Error('the call did not fail');
}

const input = { name: 'Days', type: 'INTEGER', units: 'DAY', value: '14' };

/** A valid answer of each resource. */
export const answers = {
  model: { id: 'm', name: 'Epidemic', description: '', modelVersions: ['v'], published: true },
  version: {
    id: 'v',
    version: 1,
    experimentTemplate: {
      inputs: [input],
      outputs: [{ name: 'Fit error', type: 'DOUBLE', units: null, value: null }],
      dashboard: { any: ['thing'] },
    },
  },
  experiment: { uuid: 'u', modelVersion: 'v', name: 'Baseline', type: 'SIMULATION', inputs: [input] },
  run: { id: 'r', inputs: [input], modelVersionId: 'v', status: 'RUNNING', message: '{}', outputs: null },
  state: { status: 'COMPLETED', message: '' },
  outputs: [
    {
      aggregationType: 'IDENTITY',
      inputs: [],
      outputs: [{ name: 'Fit error', type: 'DOUBLE', units: null, value: null }],
      value: '17.16',
    },
  ],
  animation: {
    animationHeight: 600,
    animationWidth: 800,
    animationSpeed: 1.5,
    experimentRunId: 'r',
    modelUuid: 'm',
    sessionUuid: 's',
    restUrl: 's/',
    version: '8.5.0',
  },
};

export const request = { experimentType: 'SIMULATION', inputs: [{ name: 'Days', value: '14' }] } as const;
const runRequest = { ...request, inputs: [...request.inputs] };

interface Call {
  name: string;
  call: (client: CloudClient, signal?: AbortSignal) => Promise<unknown>;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  answer: unknown;
}

/** Every method of the client, with the expected request and a valid answer. */
export const calls: Call[] = [
  {
    name: 'listModels',
    call: (c, s) => c.listModels(s),
    method: 'GET',
    path: '/models',
    answer: [answers.model],
  },
  {
    name: 'getModel',
    call: (c, s) => c.getModel('m 1/ä', s),
    method: 'GET',
    path: '/models/m%201%2F%C3%A4',
    answer: answers.model,
  },
  {
    name: 'getModelByName',
    call: (c, s) => c.getModelByName('Service System "Demo"', s),
    method: 'POST',
    path: '/models/name/',
    body: 'Service System "Demo"',
    answer: answers.model,
  },
  {
    name: 'getVersion',
    call: (c, s) => c.getVersion('m', 'v', s),
    method: 'GET',
    path: '/models/m/versions/v',
    answer: answers.version,
  },
  {
    name: 'getVersionByNumber',
    call: (c, s) => c.getVersionByNumber('m', 3, s),
    method: 'GET',
    path: '/models/m/versions/number/3',
    answer: answers.version,
  },
  {
    name: 'listExperiments',
    call: (c, s) => c.listExperiments('v', s),
    method: 'GET',
    path: '/versions/v/experiments',
    answer: [answers.experiment],
  },
  {
    name: 'requestRun',
    call: (c, s) => c.requestRun('v', runRequest, s),
    method: 'POST',
    path: '/versions/v/runs',
    body: request,
    answer: answers.run,
  },
  {
    name: 'stopRun',
    call: (c, s) => c.stopRun('v', runRequest, s),
    method: 'POST',
    path: '/versions/v/runs/stop',
    body: request,
    answer: null,
  },
  {
    name: 'findRun',
    call: (c, s) => c.findRun('v', runRequest, s),
    method: 'POST',
    path: '/versions/v/run',
    body: request,
    answer: answers.run,
  },
  {
    name: 'getProgress',
    call: (c, s) => c.getProgress('v', 'r', s),
    method: 'GET',
    path: '/versions/v/runs/r/progress',
    answer: answers.state,
  },
  {
    name: 'getRunResults',
    call: (c, s) => c.getRunResults('v', 'r', [{ outputs: [{ name: 'Fit error' }] }], s),
    method: 'POST',
    path: '/versions/v/results/r',
    body: [{ outputs: [{ name: 'Fit error' }] }],
    answer: answers.outputs,
  },
  {
    name: 'getResults',
    call: (c, s) => c.getResults('v', { ...runRequest, outputs: '[]' }, s),
    method: 'POST',
    path: '/versions/v/results',
    body: { ...request, outputs: '[]' },
    answer: answers.outputs,
  },
  {
    name: 'startAnimation',
    call: (c, s) => c.startAnimation('v', { ...runRequest, experimentType: 'ANIMATION_SVG' }, s),
    method: 'POST',
    path: '/versions/v/runs/animation',
    body: { ...request, experimentType: 'ANIMATION_SVG' },
    answer: answers.animation,
  },
  {
    name: 'getOutputFileUrl',
    call: (c, s) => c.getOutputFileUrl('ha+sh/=', 'a b.csv', s),
    method: 'GET',
    path: '/output-file?hash=ha%2Bsh%2F%3D&filename=a+b.csv',
    answer: 'http://127.0.0.1/files/x?signature=y',
  },
  {
    name: 'uploadFile',
    call: (c, s) => c.uploadFile(new Uint8Array([0, 1, 254, 255]), s),
    method: 'POST',
    path: '/upload-file',
    answer: 'hash',
  },
  {
    name: 'checkFile',
    call: (c, s) => c.checkFile('h', s),
    method: 'GET',
    path: '/check-file?hash=h',
    answer: false,
  },
];
