import type { IncomingHttpHeaders } from 'node:http';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { API_VERSION } from '../../api/constants.ts';
import type { Health } from '../../api/health.ts';
import { printable } from '../../printable.ts';
import { ServiceError } from '../errors.ts';
import type { Sessions } from '../animation/sessions.ts';
import type { ContentFiles } from '../files/content.ts';
import type { Presigner } from '../files/presign.ts';
import type { Access } from '../keys/access.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Runs } from '../runs/runs.ts';
import { addAnimations, withoutSession } from './animations.ts';
import { requireKey } from './auth.ts';
import { endUnusedConnections } from './connections.ts';
import { addDownloads } from './downloads.ts';
import { pathOf, refuseConnection, sendFailure } from './failures.ts';
import { animationHandlers } from './handlers/animation.ts';
import { fileHandlers } from './handlers/files.ts';
import { modelHandlers } from './handlers/models.ts';
import { runHandlers } from './handlers/runs.ts';
import type { Limits } from './limits.ts';
import { type Methods, noteMethods } from './methods.ts';
import { openApiDocument } from './openapi.ts';
import { openToPages } from './origins.ts';
import { requirePace } from './pace.ts';
import { limitRate } from './rate.ts';
import { addRoutes } from './routes.ts';
import { Visible } from './visible.ts';

/** Path of the interface's root (specification 9). */
export const API_ROOT = `/api/open/${API_VERSION}`;

/** How long the head of a request may take to arrive, in milliseconds; for its body see pace.ts. */
const HEAD_TIMEOUT = 20_000;
/** How often connections are looked through for those that take longer. */
const TIMEOUT_CHECK = 5_000;

export interface AppParts {
  registry: ModelRegistry;
  runs: Runs;
  sessions: Sessions;
  files: ContentFiles;
  presigner: Presigner;
  access: Access;
  health: () => Health;
  limits: Limits;
  /** Takes JSON lines; without it nothing is logged. */
  log: NodeJS.WritableStream | undefined;
  logLevel: 'info' | 'error';
}

/** The HTTP side of the service: the interface under its root, pre-signed downloads and a health check beside it. */
export async function buildApp({ log, logLevel, ...parts }: AppParts): Promise<FastifyInstance> {
  const app = fastify({
    logger: log ? { stream: printableTo(log), level: logLevel, serializers: { req: loggedRequest } } : false,
    // a logger for each request tells apart whose line is whose, where each has several
    ...(logLevel === 'error' && { childLoggerFactory: (logger: FastifyBaseLogger) => logger }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_000 },
    http: {
      headersTimeout: HEAD_TIMEOUT,
      connectionsCheckingInterval: TIMEOUT_CHECK,
      // refused below, in the shape that errors have
      requireHostHeader: false,
    },
    // requests on open connections are served to the end while the service closes
    return503OnClosing: false,
    frameworkErrors: sendFailure,
    clientErrorHandler: (error, socket) => refuseConnection(brokenRequest(error), socket),
  });
  app.decorateRequest('caller', null);
  app.setErrorHandler(sendFailure);
  app.addHook('onRequest', openToPages);
  app.addHook('onRequest', requirePace(refuseConnection));
  const methods = noteMethods(app);
  app.addHook('onRequest', ({ method, url, is404, headers, raw }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1')
      throw new ServiceError('BAD_REQUEST', 'The header Host is missing.');
    allowAnyType(headers);
    const path = pathOf(url);
    // here rather than in a handler, which would first have to read a body that nobody wants
    if (is404 || methods.isWrong(method, path)) throw notFound(path, methods);
    done();
  });

  endUnusedConnections(app);
  // what somebody expects of the service besides is no reason to refuse (RFC 9110, 10.1.1)
  app.server.on('checkExpectation', (request, answer) => void app.server.emit('request', request, answer));
  app.get('/health', () => parts.health());
  const openApi = openApiDocument(API_ROOT);
  app.get(`${API_ROOT}/openapi.json`, () => openApi);
  addDownloads(app, parts.files, parts.presigner);
  await addAnimations(app, parts.sessions);
  await app.register(
    async (api) => {
      api.addHook('onRequest', requireKey(parts.access));
      if (parts.limits.rate !== undefined) api.addHook('onRequest', limitRate(parts.limits.rate));
      const visible = new Visible(parts.registry, parts.access);
      await addRoutes(api, parts.limits, visible, {
        ...modelHandlers(parts.registry, visible),
        ...runHandlers(parts.registry, parts.runs),
        ...animationHandlers(parts.sessions),
        ...fileHandlers(parts.files, parts.presigner, parts.limits),
      });
    },
    { prefix: API_ROOT },
  );
  return app;
}

/** A record of the log is a line of JSON, which stays one: what JSON leaves as it is and a terminal obeys is escaped. */
function printableTo(log: NodeJS.WritableStream): { write(line: string): void } {
  return { write: (line) => void log.write(printable(line)) };
}

/** Headers hold the key, the query of a pre-signed address its signature, the path to an animated run its uuid: none is logged. */
function loggedRequest({ method, url, ip }: FastifyRequest) {
  return { method, path: withoutSession(pathOf(url)), ip };
}

function notFound(path: string, methods: Methods): ServiceError {
  const asked = /^\/api\/open\/([^/]+)/.exec(path)?.[1];
  if (asked !== undefined && asked !== API_VERSION) {
    return new ServiceError(
      'UNKNOWN_INTERFACE',
      `Version ${asked} of the interface is not served, only ${API_VERSION}.`,
    );
  }
  const taken = methods.of(path);
  if (taken.length === 0) return new ServiceError('UNKNOWN_ROUTE', 'There is nothing at this address.');
  const allow = [...taken, 'OPTIONS'].join(', ');
  return new ServiceError('METHOD_NOT_ALLOWED', `This address takes only ${allow}.`, { allow });
}

/** What is not HTTP, or does not go on to the end of its head. */
function brokenRequest({ code }: Error & { code?: string }): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('TOO_SLOW', 'The request came too slowly.');
  const why =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The head of the request is too large'
      : 'This is not a valid HTTP request';
  return new ServiceError('BAD_REQUEST', `${why}.`);
}

/** A type and a subtype. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Fastify refuses a body of a type that is none; here the type of a body says nothing (notes on real clients). */
function allowAnyType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json' && !MEDIA_TYPE.test(type))
    headers['content-type'] = 'application/octet-stream';
}
