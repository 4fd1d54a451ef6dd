import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownFile } from '../../package/own-files.ts';
import { html } from '../../report/html/markup.ts';
import { hashOf } from '../../keys/hash.ts';
import { cookieOf, LONGEST_RETURN } from '../guard.ts';
import type { ServerParts } from '../server-parts.ts';
import { sendPage } from '../pages/layout.ts';
import { ServerError } from '../server-error.ts';

const script = readFileSync(ownFile('src/server/login/login.js'), 'utf8');

/** The largest accepted form, in bytes. The limit is small, because anybody may send a form. */
const MOST_FORM = 16_384;

/**
 * Adds the routes by which a user of a browser logs in. The user opens an address with a code for one login, or sends a
 * key in a form. The form also works without scripts. After the login, the browser has a cookie that scripts cannot
 * read and that other sites cannot use for changes.
 */
export function addLogin(
  app: FastifyInstance,
  { sessions, publicUrl }: ServerParts,
  cookie: () => string,
): void {
  const anyone = { config: { role: 'anyone' } } as const;
  app.get('/login.js', anyone, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );

  app.get<{ Querystring: { to?: unknown } }>('/login', anyone, (request, reply) => {
    const { to } = request.query;
    // an address with a wrong `to` is no error here: a person gets the form
    return sendForm(request, reply, typeof to === 'string' && isOwnPath(to) ? to : '/');
  });

  app.post('/login', { ...anyone, bodyLimit: MOST_FORM }, (request, reply) => {
    const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const to = ownPath(fields.get('to') ?? undefined);
    const code = fields.get('code') ?? '';
    const hasCode = code !== '';
    const session = hasCode ? sessions.beginByCode(code) : sessions.begin(hashOf(fields.get('key') ?? ''));
    // somebody opened a used link again, and the browser is still logged in
    if (session === null && hasCode && request.access) return reply.redirect(to, 303);
    if (session === null) {
      const why = hasCode
        ? 'This address was used before, or it is too old. "foray ui" gives a new address.'
        : 'The server does not know this key.';
      return sendForm(request, reply.code(401), to, why);
    }
    void reply.header('set-cookie', `${cookie()}=${session}; Path=/; HttpOnly; SameSite=Lax`);
    return reply.redirect(to, 303);
  });

  app.post('/login/code', { config: { role: 'read' } }, ({ keyHash }) => {
    const code = sessions.code(keyHash!);
    return { url: `${publicUrl()}/login#${code}` };
  });

  app.post('/logout', { ...anyone, bodyLimit: MOST_FORM }, (request, reply) => {
    const session = cookieOf(request.headers.cookie, cookie());
    if (session !== undefined) sessions.end(session);
    return reply
      .header('set-cookie', `${cookie()}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`)
      .redirect('/login', 303);
  });
}

function ownPath(to = '/'): string {
  if (isOwnPath(to)) return to;
  throw new ServerError('BAD_REQUEST', 'The page after the login must be a path of this server.');
}

/** Whether the page after the login is a path of this server, so that a link cannot lead to another site. */
function isOwnPath(to: string): boolean {
  return to.length <= LONGEST_RETURN && /^\/(?![/\\])[\x21-\x7e]*$/.test(to);
}

function sendForm(request: FastifyRequest, reply: FastifyReply, to: string, message?: string): FastifyReply {
  return sendPage(request, reply, {
    title: 'Log in',
    script: '/login.js',
    body: html`<h1>Log in</h1>
      <p class="lead">
        foray runs campaigns of simulation runs. Log in with the key that the operator of this server gave
        you.
      </p>
      ${message === undefined ? undefined : html`<p class="note bad" role="alert">${message}</p>`}
      <form method="post" action="/login" class="login">
        <input type="hidden" name="to" value="${to}" />
        <input type="hidden" name="code" />
        <label>Key <input type="password" name="key" autocomplete="current-password" autofocus /></label>
        <button class="main">Log in</button>
      </form>
      <p class="soft">
        On the machine of the server, <code>foray ui</code> opens this page with a code, and you need no key.
      </p>`,
  });
}
