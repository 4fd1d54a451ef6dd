import { readFileSync } from 'node:fs';
import fastify, { type FastifyInstance } from 'fastify';
import type { Foray, Settings } from '../client/index.ts';
import { endUnusedConnections } from '../http/connections.ts';
import { KeylessConnections } from '../http/keyless.ts';
import { listen, reachableHost } from '../http/listen.ts';
import { pathOf } from '../http/path.ts';
import { Refusals } from '../http/refusals.ts';
import { refuseSlowBodies, slowHeads } from '../http/slow-body.ts';
import { traceRequests } from '../http/trace-requests.ts';
import { ownFile } from '../package/own-files.ts';
import { httpLogger } from '../log.ts';
import { hashOf } from '../keys/hash.ts';
import type { Keys } from './keys.ts';
import { addApi } from './api/add-routes.ts';
import { acceptForms } from './form-bodies.ts';
import { addGuard } from './guard.ts';
import { addLogin } from './login/add-login.ts';
import { definitionLimits, JobThreads, resultLimits } from './jobs/job-threads.ts';
import { addPages } from './pages/index.ts';
import { Sections } from './live/watch.ts';
import { newInTurn } from './in-turn.ts';
import { KnownModels } from './known-models.ts';
import { Reachability } from './reachability.ts';
import type { ServerParts } from './server-parts.ts';
import { problemOf, refuseSlow, sendProblem } from './problems.ts';
import { Shares } from './shares.ts';
import { Statuses } from './statuses.ts';
import { Sessions } from './login/sessions.ts';

/**
 * The largest body, in bytes: a form with a definition, whose characters may take three bytes each. The bodies of other
 * routes are smaller, and those of definitions with files are larger.
 */
const MOST_BODY = 4 * 1024 ** 2;

export interface ServerOptions {
  foray: Foray;
  /** The settings of `foray`. Threads open the store and the connections once more. */
  settings: Settings;
  keys: Keys;
  /** Address to listen on. @default '127.0.0.1' */
  host?: string | undefined;
  /** The port; 0 for any free port. @default 0 */
  port?: number | undefined;
  /** Host names by which clients reach the server. */
  hostNames?: readonly string[] | undefined;
  /** Origins whose pages may show the server's pages in a frame. */
  frameAncestors?: readonly string[] | undefined;
  /** The stream for JSON lines of faults and refusals; without it nothing is logged. */
  log?: NodeJS.WritableStream | undefined;
}

export interface Server {
  /** The address, without a final slash. */
  url: string;
  port: number;
  /** An address with which a browser can log in once, as the user of the key. */
  loginUrl(key: string): string;
  close(): Promise<void>;
}

/**
 * Starts foray's own HTTP server: pages, API, login. Closing the server does not close `foray`.
 * @throws ForayError PORT_IN_USE
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { foray, settings, keys, host = '127.0.0.1', hostNames = [], log } = options;
  let port = 0;
  const url = (): string => `http://${reachableHost(host)}:${port}`;
  const app = newApp(log);
  const refusals = new Refusals((line) => app.log.warn(line));
  const sessions = new Sessions(keys, refusals);
  const sections = new Sections(settings.store);
  const shares = new Shares();
  const jobs = new JobThreads(settings, shares, definitionLimits);
  const answers = new JobThreads(settings, shares, resultLimits);
  const reachability = new Reachability(foray);
  const parts: ServerParts = {
    foray,
    reachability,
    models: new KnownModels(foray, reachability),
    statuses: new Statuses(foray),
    keys,
    keyless: limitClients(app, refusals),
    sessions,
    jobs,
    answers,
    shares,
    sections,
    inTurn: newInTurn(),
    publicUrl: url,
  };
  // a browser sends a cookie to all ports of a host, and several servers may run there
  const cookie = (): string => `foray-${port}`;
  const ownNames = ['0.0.0.0', '::'].includes(host) ? [] : [reachableHost(host)];
  traceRequests(app);
  addGuard(app, parts, {
    hostNames: [...ownNames, ...hostNames],
    cookie,
    frameAncestors: options.frameAncestors,
  });
  addLogin(app, parts, cookie);
  // the Python module always has the version of the server
  app.get('/python/foray.py', { config: { role: 'anyone' } }, (_request, reply) =>
    reply.type('text/x-python; charset=utf-8').send(readFileSync(ownFile('python/foray.py'), 'utf8')),
  );
  await addApi(app, parts);
  await app.register((scope) => addPages(scope, parts));
  await foray.load();
  port = await listen(app, host, options.port ?? 0);
  return {
    url: url(),
    port,
    loginUrl: (key) => `${url()}/login#${sessions.code(hashOf(key))}`,
    async close() {
      await app.close();
      await jobs.close();
      await answers.close();
      await sections.close();
    },
  };
}

/** Limits slow clients and clients without a key, and tells an operator what is refused. */
function limitClients(app: FastifyInstance, refusals: Refusals): KeylessConnections {
  app.setErrorHandler((error, request, reply) => {
    refusals.noteRequest(request.access?.name, problemOf(error));
    sendProblem(error, request, reply);
  });
  const refuse = refuseSlowBodies((socket) => {
    refusals.noteSlowBody();
    refuseSlow(socket);
  });
  app.addHook('onRequest', refuse);
  return new KeylessConnections(app, refusals);
}

function newApp(log: NodeJS.WritableStream | undefined): FastifyInstance {
  const app = fastify({
    logger: httpLogger(log, {
      level: 'warn',
      serializers: { req: ({ method, url }) => ({ method, path: pathOf(url) }) },
    }),
    bodyLimit: MOST_BODY,
    // the head of a request has at most 16 KB, so no part of an address is refused for its length
    routerOptions: { maxParamLength: 16_384 },
    http: slowHeads,
    return503OnClosing: false,
    frameworkErrors: sendProblem,
  });
  acceptForms(app);
  endUnusedConnections(app);
  return app;
}
