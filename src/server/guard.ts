import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KeyChecks } from '../http/key-checks.ts';
import { noteMethods } from '../http/methods.ts';
import { pathOf } from '../http/path.ts';
import { hashOf } from '../keys/hash.ts';
import { mayDo } from '../keys/roles.ts';
import type { Access, Role } from './keys.ts';
import type { ServerParts } from './server-parts.ts';
import { wantsPage } from './problems.ts';
import { ServerError } from './server-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The role that the route needs. A route without this setting is an error. */
    role?: Role | 'anyone';
  }
  interface FastifyRequest {
    /** The user of the request; null without a known key. */
    access: Access | null;
    /** SHA-256 of the key in the request, or of the key of the login; null without a key and a login. */
    keyHash: string | null;
  }
}

export interface GuardOptions {
  /** Names that a Host header may have, besides localhost and its addresses. */
  hostNames: readonly string[];
  /** The name of the login cookie. */
  cookie(): string;
  /** Origins whose pages may show the server's pages in a frame. */
  frameAncestors?: readonly string[] | undefined;
}

const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
/** The methods that change nothing. */
const SAFE = ['GET', 'HEAD'];
/** The longest address to which a login returns, in characters. */
export const LONGEST_RETURN = 2_000;

/**
 * Adds checks that run before every route and before a body is read, also for addresses without a route. They refuse:
 *
 * - an unknown Host, because another site may let its name point to this address (DNS rebinding);
 * - a change from a page of another site; the header Sec-Fetch-Site shows this, or Origin if that header is missing;
 *   without both headers, a change needs a key in the header Authorization;
 * - a request without a key or a login, unless the route is for anyone;
 * - a key without the role that the route needs.
 */
export function addGuard(
  app: FastifyInstance,
  { keys, keyless, sessions }: ServerParts,
  options: GuardOptions,
): void {
  const names = new Set([...LOCAL_NAMES, ...options.hostNames.map((name) => name.toLowerCase())]);
  const policy = contentPolicy(options.frameAncestors);
  const methods = noteMethods(app);
  const keyChecks = new KeyChecks(app);
  app.decorateRequest('access', null);
  app.decorateRequest('keyHash', null);

  app.addHook('onRoute', ({ url, config }) => {
    if (config?.role === undefined) throw new Error(`The route ${url} does not say who may use it.`);
  });

  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(policy);
    checkHost(request);
    checkSite(request);
    request.keyHash = keyHashOf(request);
    request.access = accessOf(request.keyHash);
    // only users who may read learn whether an address exists
    const role = request.is404 ? 'read' : request.routeOptions.config.role!;
    if (request.access) {
      keyless.release(request.raw.socket);
      keyChecks.watch(reply.raw, () => {
        // a login may have ended
        const access = accessOf(keyHashOf(request));
        return role === 'anyone' ? access !== null : mayDo(access?.role, role);
      });
    }
    if (role !== 'anyone') {
      if (!request.access) return refuseUnknown(request, reply);
      if (!mayDo(request.access.role, role)) throw tooLow(request.access, role);
    }
    const path = pathOf(request.url);
    if (request.is404 || methods.isWrong(request.method, path)) throw notFound(methods.of(path));
    done();
  });

  function checkHost({ headers }: FastifyRequest): void {
    const host = (headers.host ?? '').toLowerCase();
    if (names.has(host.replace(/:\d+$/, ''))) return;
    throw new ServerError('WRONG_HOST', 'This server does not serve the host that the request names.', {
      hint: 'Name the host with --host-name when you start the server.',
    });
  }

  function accessOf(keyHash: string | null): Access | null {
    return keyHash === null ? null : keys.of(keyHash);
  }

  function keyHashOf({ headers }: FastifyRequest): string | null {
    if (headers.authorization !== undefined) {
      const key = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization)?.[1];
      return key === undefined ? null : hashOf(key);
    }
    const session = cookieOf(headers.cookie, options.cookie());
    return session === undefined ? null : (sessions.keyHashOf(session) ?? null);
  }
}

function tooLow({ name, role }: Access, needed: Role): ServerError {
  const may = role === 'read' ? 'read, but not steer' : 'steer, but not push models';
  return new ServerError('ROLE_TOO_LOW', `The key of ${name} may ${may}.`, {
    hint: `Ask the operator of the server for a key with the role ${needed}.`,
  });
}

/** Refuses a change that a page of another site requests through the browser of a user. */
function checkSite({ method, headers }: FastifyRequest): void {
  if (SAFE.includes(method)) return;
  const { 'sec-fetch-site': site, origin, host, authorization } = headers;
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
  } else if (origin !== undefined) {
    if (URL.canParse(origin) && new URL(origin).host === host) return;
  } else if (isBearer(authorization)) return;
  throw new ServerError(
    'CROSS_SITE',
    'This server accepts a change only from its own pages, or with a key.',
    { hint: 'A program gives its key in the header Authorization: Bearer KEY.' },
  );
}

function isBearer(authorization = ''): boolean {
  return /^Bearer\s/i.test(authorization);
}

/** Refuses a request without a known key: a page leads to the login, and returns after it. */
function refuseUnknown(request: FastifyRequest, reply: FastifyReply): void {
  if (SAFE.includes(request.method) && wantsPage(request)) {
    // a very long address is not kept
    const to = request.url.length > LONGEST_RETURN ? '' : `?to=${encodeURIComponent(request.url)}`;
    void reply.redirect(`/login${to}`, 303);
    return;
  }
  const headers = { 'www-authenticate': 'Bearer' };
  // a person who has sent a form knows no headers
  if (wantsPage(request)) throw new ServerError('KEY_NEEDED', 'Your login has ended.', { headers });
  const what = isBearer(request.headers.authorization)
    ? 'The server does not know the key in the header Authorization.'
    : 'The request needs a key in the header Authorization: Bearer KEY.';
  const hint = '"foray ui" opens a page that needs no key. docs/reference/api.md says where to find keys.';
  throw new ServerError('KEY_NEEDED', what, { hint, headers });
}

function notFound(allowed: readonly string[]): ServerError {
  if (allowed.length === 0) return new ServerError('UNKNOWN_ROUTE', 'There is nothing at this address.');
  const allow = allowed.join(', ');
  return new ServerError('METHOD_NOT_ALLOWED', `This address takes only ${allow}.`, { headers: { allow } });
}

/** The value of a cookie in a Cookie header. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim());
  return pairs?.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Headers that allow pages only content of the server itself and images in `data:` addresses, and no inline scripts.
 */
function contentPolicy(frameAncestors: readonly string[] = []): Record<string, string> {
  const ancestors = frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'";
  return {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      `form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  };
}
