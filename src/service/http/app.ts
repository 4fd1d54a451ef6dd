import cors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { API_VERSION } from '../../api/constants.ts';
import { ServiceError } from '../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import type { Presigner } from '../files/presign.ts';
import type { Keys } from '../keys.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Runs } from '../runs/runs.ts';
import { requireKey } from './auth.ts';
import { addDownloads } from './downloads.ts';
import { errorBody, sendFailure } from './failures.ts';
import { fileHandlers } from './handlers/files.ts';
import { modelHandlers } from './handlers/models.ts';
import { runHandlers } from './handlers/runs.ts';
import { addRoutes } from './routes.ts';

/** Path of the interface's root (specification 9). */
export const API_ROOT = `/api/open/${API_VERSION}`;

/** How long a request may take to arrive, in milliseconds: its head, and all of it with a large file. */
const HEAD_TIMEOUT = 20_000;
const REQUEST_TIMEOUT = 10 * 60_000;
/** How often connections are looked through for those that take longer. */
const TIMEOUT_CHECK = 5_000;

export interface AppParts {
  registry: ModelRegistry;
  runs: Runs;
  files: ContentFiles;
  presigner: Presigner;
  keys: Keys;
  /** Takes JSON lines; without it nothing is logged. */
  log: NodeJS.WritableStream | undefined;
}

/** The HTTP side of the service: the interface under its root, pre-signed downloads and a health check beside it. */
export async function buildApp({ log, ...parts }: AppParts): Promise<FastifyInstance> {
  const app = fastify({
    logger: log ? { stream: log, serializers: { req: loggedRequest } } : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_000 },
    requestTimeout: REQUEST_TIMEOUT,
    http: { headersTimeout: HEAD_TIMEOUT, connectionsCheckingInterval: TIMEOUT_CHECK },
    // requests on open connections are served to the end while the service closes
    return503OnClosing: false,
    frameworkErrors: sendFailure,
    clientErrorHandler: refuseBroken,
  });
  app.setErrorHandler(sendFailure);
  app.setNotFoundHandler((request) => {
    throw notFound(request.url);
  });
  await app.register(cors, {
    allowedHeaders: ['Authorization', 'Content-Type'],
    methods: ['GET', 'HEAD', 'POST'],
    optionsSuccessStatus: 200,
    strictPreflight: false,
  });

  closeFinishedConnections(app);
  app.get('/health', () => ({ status: 'ok' }));
  addDownloads(app, parts.files, parts.presigner);
  await app.register(
    async (api) => {
      api.addHook('onRequest', requireKey(parts.keys));
      await addRoutes(api, {
        ...modelHandlers(parts.registry),
        ...runHandlers(parts.registry, parts.runs),
        ...fileHandlers(parts.files, parts.presigner),
      });
    },
    { prefix: API_ROOT },
  );
  return app;
}

/**
 * Node closes idle connections when a server closes, but waits for those that become idle later until their keep-alive
 * is over, more than a minute.
 */
function closeFinishedConnections(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // a connection is idle only after the listeners of its response have run
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

/** Headers hold the key, and the query of a pre-signed address its signature: neither is logged. */
function loggedRequest({ method, url, ip }: FastifyRequest) {
  return { method, path: url.split('?', 1)[0], ip };
}

function notFound(url: string): ServiceError {
  const asked = /^\/api\/open\/([^/?]+)/.exec(url)?.[1];
  return asked === undefined || asked === API_VERSION
    ? new ServiceError('UNKNOWN_ROUTE', 'There is nothing at this address for this method.')
    : new ServiceError(
        'UNKNOWN_INTERFACE',
        `Version ${asked} of the interface is not served, only ${API_VERSION}.`,
      );
}

/** What is not HTTP gets an answer in the shape of errors, and its connection is closed. */
function refuseBroken(_error: Error, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(
    errorBody('BAD_REQUEST', 'This is not a valid HTTP request, or came too slowly.', ''),
  );
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
