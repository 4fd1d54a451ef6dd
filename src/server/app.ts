import { readFileSync } from 'node:fs';
import { MIMEType } from 'node:util';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
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
import { Away } from './reachability.ts';
import { addGuard } from './guard.ts';
import { addLogin } from './login/add-login.ts';
import { definitionLimits, JobThreads, resultLimits } from './jobs/job-threads.ts';
import { addPages } from './pages/index.ts';
import { Sections } from './live/watch.ts';
import { KnownModels } from './known-models.ts';
import type { ServerParts } from './server-parts.ts';
import { problemOf, refuseSlow, sendProblem, ServerError } from './problems.ts';
import { Shares } from './shares.ts';
import { Statuses } from './statuses.ts';
import { Sessions } from './login/sessions.ts';
import { turns } from './turns.ts';

/**
 * The largest body, in bytes: a form with a definition, whose characters may take three bytes each. The bodies of other
 * routes are smaller, and those of definitions with files are larger.
 */
const MOST_BODY = 4 * 1024 ** 2;
/** The maximum number of controls in a form. The server's thread reads all of them. */
const MOST_CONTROLS = 20_000;

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
  const app = build(log);
  const refusals = new Refusals((line) => app.log.warn(line));
  const sessions = new Sessions(keys, refusals);
  const sections = new Sections(settings.store);
  const shares = new Shares();
  const jobs = new JobThreads(settings, shares, definitionLimits);
  const answers = new JobThreads(settings, shares, resultLimits);
  const away = new Away(foray);
  const parts: ServerParts = {
    foray,
    away,
    models: new KnownModels(foray, away),
    statuses: new Statuses(foray),
    keys,
    keyless: limitClients(app, refusals),
    sessions,
    jobs,
    answers,
    shares,
    sections,
    inTurn: turns(),
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

/** Limits slow clients and clients without a key, and tells what is refused. */
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

function build(log: NodeJS.WritableStream | undefined): FastifyInstance {
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
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const isTooMuch = hasMore(body, '&');
      done(isTooMuch ? tooManyControls() : null, isTooMuch ? undefined : new URLSearchParams(body as string));
    },
  );
  // a file is a text: its name, a colon, and its content in Base64, because forms may change the ends of lines
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type']!;
      const boundary = boundaryOf(type);
      if (!boundary) throw notAForm();
      if (hasMore(body, `--${boundary}`)) throw tooManyControls();
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
        .formData()
        .catch(() => {
          throw notAForm();
        });
      const fields = new URLSearchParams();
      for (const [name, value] of form) {
        if (typeof value === 'string') fields.append(name, value);
        else if (value.name !== '')
          fields.append(name, `${value.name}:${Buffer.from(await value.arrayBuffer()).toString('base64')}`);
      }
      return fields;
    },
  );
  endUnusedConnections(app);
  return app;
}

/** What stands between the controls of a form, as the standard that reads the form says; null without it. */
function boundaryOf(type: string): string | null {
  try {
    return new MIMEType(type).params.get('boundary');
  } catch {
    return null;
  }
}

/** Whether a form has more controls than the server takes, by what stands between them. */
function hasMore(body: string | Buffer, between: string): boolean {
  let count = 0;
  for (let at = body.indexOf(between); at !== -1; at = body.indexOf(between, at + between.length)) {
    count += 1;
    if (count > MOST_CONTROLS) return true;
  }
  return false;
}

function notAForm(): ServerError {
  return new ServerError('BAD_REQUEST', 'The body is not a form.');
}

function tooManyControls(): ServerError {
  return new ServerError(
    'TOO_LARGE',
    `The form has more than ${MOST_CONTROLS.toLocaleString('en-US')} controls.`,
    { hint: 'Use the command line: "foray submit" has no such limit.' },
  );
}
