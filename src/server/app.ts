import fastify, { type FastifyInstance } from 'fastify';
import type { Foray } from '../client/index.ts';
import { endUnusedConnections } from '../http/connections.ts';
import { listen, reachable } from '../http/listen.ts';
import { pathOf } from '../http/path.ts';
import { printable } from '../text/printable.ts';
import { hashOf, type Keys } from './keys.ts';
import { addApi } from './api/add-routes.ts';
import { Away } from './reachability.ts';
import { addGuard } from './guard.ts';
import { addLogin } from './login/add-login.ts';
import { addPages } from './pages/index.ts';
import { Sections } from './live/watch.ts';
import { KnownModels } from './known-models.ts';
import type { ServerParts } from './server-parts.ts';
import { sendProblem } from './problems.ts';
import { Statuses } from './statuses.ts';
import { addPython } from './python.ts';
import { Sessions } from './login/sessions.ts';
import { turns } from './turns.ts';

/** The largest body, in bytes: a definition with its files. */
const MOST_BODY = 64 * 1024 ** 2;
const HEAD_TIMEOUT = 20_000;

export interface ServerOptions {
  foray: Foray;
  /** The address of the store. A separate thread reads the store and draws pictures. */
  store: string;
  keys: Keys;
  /** Address to listen on. @default '127.0.0.1' */
  host?: string | undefined;
  /** The port; 0 for any free port. @default 0 */
  port?: number | undefined;
  /** Host names by which clients reach the server. */
  hostNames?: readonly string[] | undefined;
  /** Origins whose pages may show the server's pages in a frame. */
  frameAncestors?: readonly string[] | undefined;
  /** The stream for JSON lines of faults; without it nothing is logged. */
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
  const { foray, keys, host = '127.0.0.1', hostNames = [], log } = options;
  let port = 0;
  const url = (): string => `http://${reachable(host)}:${port}`;
  const sessions = new Sessions(keys);
  const sections = new Sections(options.store);
  const away = new Away(foray);
  const parts: ServerParts = {
    foray,
    away,
    models: new KnownModels(foray, away),
    statuses: new Statuses(foray),
    keys,
    sessions,
    sections,
    inTurn: turns(),
    publicUrl: url,
  };
  // a browser sends a cookie to all ports of a host, and several servers may run there
  const cookie = (): string => `foray-${port}`;
  const ownNames = ['0.0.0.0', '::'].includes(host) ? [] : [reachable(host)];
  const app = build(log);
  addGuard(app, parts, {
    hostNames: [...ownNames, ...hostNames],
    cookie,
    frameAncestors: options.frameAncestors,
  });
  addLogin(app, parts, cookie);
  addPython(app);
  await addApi(app, parts);
  await app.register((scope) => addPages(scope, parts));
  port = await listen(app, host, options.port ?? 0);
  return {
    url: url(),
    port,
    loginUrl: (key) => `${url()}/login#${sessions.code(hashOf(key))}`,
    async close() {
      await app.close();
      await sections.close();
    },
  };
}

function build(log: NodeJS.WritableStream | undefined): FastifyInstance {
  const app = fastify({
    logger: log
      ? {
          stream: { write: (line: string) => void log.write(printable(line)) },
          level: 'error',
          serializers: { req: ({ method, url }) => ({ method, path: pathOf(url) }) },
        }
      : false,
    bodyLimit: MOST_BODY,
    routerOptions: { maxParamLength: 1_000 },
    http: { headersTimeout: HEAD_TIMEOUT },
    return503OnClosing: false,
    frameworkErrors: sendProblem,
  });
  app.setErrorHandler(sendProblem);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  );
  endUnusedConnections(app);
  return app;
}
