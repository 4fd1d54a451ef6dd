import type { IncomingHttpHeaders } from 'node:http';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { API_VERSION } from '../../api/constants.ts';
import type { Health } from '../../api/health.ts';
import { endUnusedConnections } from '../../http/connections.ts';
import { KeyChecks } from '../../http/key-checks.ts';
import { KeylessConnections } from '../../http/keyless.ts';
import { type Methods, noteMethods } from '../../http/methods.ts';
import { pathOf } from '../../http/path.ts';
import { Refusals } from '../../http/refusals.ts';
import { refuseSlowBodies, slowHeads } from '../../http/slow-body.ts';
import { traceRequests } from '../../http/trace-requests.ts';
import { httpLogger } from '../../log.ts';
import type { Access } from '../access.ts';
import type { Sessions } from '../animation/sessions.ts';
import { ServiceError, serviceErrors } from '../errors.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { DiskStore } from '../files/disk-store.ts';
import type { Presigner } from '../files/presign.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Answered } from '../metrics.ts';
import { Pushes } from '../models/pushes.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { VersionFiles } from '../models/version-files.ts';
import type { Runs } from '../runs/runs.ts';
import type { VersionHistory } from '../runs/version-history.ts';
import { addAnimations, animationHandlers, withoutSession } from './animations.ts';
import { addExecutors } from './executors.ts';
import { refuseConnection, sendFailure, serviceErrorOf } from './failures.ts';
import { modelHandlers, pushHandlers } from './handlers/models.ts';
import { runHandlers } from './handlers/runs.ts';
import { requireKey } from './hooks/auth.ts';
import { allowAnyOrigin } from './hooks/cors.ts';
import { limitRate } from './hooks/rate-limit.ts';
import type { Limits } from './limits.ts';
import { ModelAccess } from './model-access.ts';
import { serviceDocument } from './openapi.ts';
import type { PublicAddress } from './public-address.ts';
import { addRoutes } from './routes.ts';
import { addSignedFiles } from './signed-files.ts';

/** Path of the interface's root (specification 9). */
export const API_ROOT = `/api/open/${API_VERSION}`;

export interface InterfaceParts {
  registry: ModelRegistry;
  /** Whether other services may add versions of models. */
  isShared: boolean;
  history: VersionHistory;
  runs: Runs;
  sessions: Sessions;
  content: ContentStore;
  /**
   * The store on this service's own disk; undefined with a bucket. The service itself serves the pre-signed addresses
   * of this store.
   */
  disk: DiskStore | undefined;
  versionFiles: VersionFiles;
  presigner: Presigner;
  access: Access;
  health: () => Health;
  /** The executors on other machines; undefined if the service takes none. */
  fleet: Fleet | undefined;
  publicAddress: PublicAddress;
  limits: Limits;
  /** Receives lines for the operator about what is refused. */
  warn: (line: string) => void;
  /** Called after each answer. */
  onAnswered: ((answered: Answered) => void) | undefined;
}

export interface AppOptions {
  /** The stream for JSON lines; without it nothing is logged. */
  log: NodeJS.WritableStream | undefined;
  logLevel: 'info' | 'error';
}

/** The HTTP server of the service, with its log. It has no routes yet ({@link addInterface}). */
export function newApp({ log, logLevel }: AppOptions): FastifyInstance {
  return fastify({
    logger: httpLogger(log, { level: logLevel, serializers: { req: loggedRequest } }),
    // a logger for each request shows which lines belong together, but at this level a request rarely has several lines
    ...(logLevel === 'error' && { childLoggerFactory: (logger: FastifyBaseLogger) => logger }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_000 },
    http: {
      ...slowHeads,
      // a hook below refuses an HTTP/1.1 request without this header, with an error of the usual shape
      requireHostHeader: false,
    },
    // requests on open connections are served to the end while the service closes
    return503OnClosing: false,
    frameworkErrors: sendFailure,
    clientErrorHandler: (error, socket) => refuseConnection(brokenRequest(error), socket),
  });
}

/**
 * Adds the HTTP side of the service: the interface under its root, and outside of it the health check, pre-signed
 * addresses, animated runs and the requests of executors.
 */
export async function addInterface(
  app: FastifyInstance,
  { onAnswered, ...parts }: InterfaceParts,
): Promise<void> {
  app.decorateRequest('caller', null);
  traceRequests(app);
  const refusals = new Refusals(parts.warn);
  app.setErrorHandler((error, request, reply) => {
    const { code, message: detail } = serviceErrorOf(error, request);
    refusals.noteRequest(request.caller?.user, { status: serviceErrors[code].status, code, detail });
    sendFailure(error, request, reply);
  });
  if (onAnswered) {
    app.addHook('onResponse', ({ method, is404, routeOptions }, { statusCode, elapsedTime }, done) => {
      const route = is404 ? undefined : routeOptions.url;
      onAnswered({ method, route, status: statusCode, milliseconds: elapsedTime });
      done();
    });
  }
  app.addHook('onRequest', allowAnyOrigin);
  app.addHook(
    'onRequest',
    refuseSlowBodies((socket) => {
      refusals.noteSlowBody();
      refuseConnection(tooSlow('body'), socket);
    }),
  );
  const methods = noteMethods(app);
  app.addHook('onRequest', ({ method, url, is404, headers, raw }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1')
      throw new ServiceError('BAD_REQUEST', 'The header Host is missing.');
    allowAnyType(headers);
    const path = pathOf(url);
    // this is a hook and not a handler, because a handler would first read the unwanted body
    if (is404 || methods.isWrong(method, path)) throw notFound(path, methods);
    done();
  });

  endUnusedConnections(app);
  const keyless = new KeylessConnections(app, refusals);
  const keyChecks = new KeyChecks(app);
  // the service ignores expectations other than 100-continue (RFC 9110, 10.1.1)
  app.server.on('checkExpectation', (request, answer) => void app.server.emit('request', request, answer));
  app.get('/health', () => parts.health());
  const { publicAddress } = parts;
  // made at the first request for it, because few services get such a request
  let openApi: ReturnType<typeof serviceDocument> | undefined;
  app.get(`${API_ROOT}/openapi.json`, (request) => ({
    ...(openApi ??= serviceDocument()),
    servers: [{ url: publicAddress.path(request) + API_ROOT }],
  }));
  if (parts.disk) addSignedFiles(app, parts.disk, parts.presigner);
  await addAnimations(app, parts.sessions);
  if (parts.fleet) {
    const { access, fleet, limits } = parts;
    await addExecutors(app, { access, fleet, keyChecks, keyless, upload: limits.upload });
  }
  await app.register(
    async (api) => {
      api.addHook('onRequest', requireKey(parts.access, keyChecks));
      api.addHook('onRequest', ({ raw }, _reply, done) => {
        keyless.release(raw.socket);
        done();
      });
      if (parts.limits.rate !== undefined) api.addHook('onRequest', limitRate(parts.limits.rate));
      if (parts.isShared) api.addHook('preHandler', noticeVersions(parts.registry));
      const modelAccess = new ModelAccess(parts.registry, parts.access);
      await addRoutes(
        api,
        parts.limits,
        { modelAccess, publicAddress },
        {
          ...modelHandlers(parts.registry, modelAccess, parts.history),
          ...runHandlers(parts.registry, parts.runs),
          ...animationHandlers(parts.sessions, modelAccess),
          listExecutors: () => parts.fleet?.executors.list() ?? [],
          ...pushHandlers(
            new Pushes(parts.registry, parts.versionFiles),
            parts.versionFiles,
            modelAccess,
            parts.limits,
          ),
          getOutputFileUrl: ({ query, root }) => parts.content.address(query, root()),
          uploadFile: ({ body }) => parts.content.store(body, parts.limits.upload),
          checkFile: ({ query }) => parts.content.isWhole(query.hash),
        },
      );
    },
    { prefix: API_ROOT },
  );
}

/**
 * The parts of a request that are logged. The log never has headers (they contain the key), queries (they contain the
 * signature of a pre-signed address) or the uuid in the path of an animated run.
 */
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

/** The error for data that is not a valid HTTP request, or for a head that is too large or too slow. */
function brokenRequest({ code }: Error & { code?: string }): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow('request');
  // something on the way may have ended the connection, and still carry this answer to a client that then tries again
  if (code === 'HPE_INVALID_EOF_STATE') return new ServiceError('TOO_SLOW', 'The request ended too early.');
  const why =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The head of the request is too large'
      : 'This is not a valid HTTP request';
  return new ServiceError('BAD_REQUEST', `${why}.`);
}

function tooSlow(what: string): ServiceError {
  return new ServiceError('TOO_SLOW', `The ${what} came too slowly.`);
}

/** The beginning of a valid header Content-Type: a type and a subtype. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Fastify refuses a body with an invalid type, but the service ignores the type of a body (notes on real clients). */
function allowAnyType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json' && !MEDIA_TYPE.test(type))
    headers['content-type'] = 'application/octet-stream';
}

/**
 * A hook that reads the versions that another service of the database may have added. It does so for requests about
 * models, and for requests about a version that is not known here.
 */
function noticeVersions(registry: ModelRegistry) {
  return async ({ params, routeOptions }: FastifyRequest): Promise<void> => {
    const { versionId } = params as { versionId?: string };
    const isAboutModels = routeOptions.url?.includes('/models') === true;
    if (isAboutModels || (versionId !== undefined && !registry.has(versionId))) await registry.notice();
  };
}
