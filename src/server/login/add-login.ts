import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ownFile } from '../../package/own-files.ts';
import { html } from '../../report/html/markup.ts';
import { hashOf } from '../../keys/hash.ts';
import { cookieOf, LONGEST_RETURN } from '../guard.ts';
import type { ServerParts } from '../server-parts.ts';
import { ServerError } from '../problems.ts';

const read = (file: string) => readFileSync(ownFile(`src/server/login/${file}`), 'utf8');
const files = {
  '/login.js': { type: 'text/javascript; charset=utf-8', content: read('login.js') },
  '/login.css': { type: 'text/css; charset=utf-8', content: read('login.css') },
};

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
  for (const [path, { type, content }] of Object.entries(files)) {
    app.get(path, anyone, (_request, reply) => reply.type(type).send(content));
  }

  app.get<{ Querystring: { to?: unknown } }>('/login', anyone, ({ query: { to } }, reply) =>
    // whatever the address says, a person gets the form
    sendForm(reply, typeof to === 'string' && isOwnPath(to) ? to : '/'),
  );

  app.post('/login', { ...anyone, bodyLimit: MOST_FORM }, (request, reply) => {
    const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const to = ownPath(fields.get('to') ?? undefined);
    const code = fields.get('code') ?? '';
    const session =
      code === '' ? sessions.begin(hashOf(fields.get('key') ?? '')) : sessions.beginByCode(code);
    // somebody opened a used link again, and the browser is still logged in
    if (session === null && code !== '' && request.access) return reply.redirect(to, 303);
    if (session === null)
      return sendForm(
        reply.code(401),
        to,
        code === ''
          ? 'The server does not know this key.'
          : 'This address was used before, or it is too old. "foray ui" gives a new address.',
      );
    void reply.header('set-cookie', `${cookie()}=${session}; Path=/; HttpOnly; SameSite=Lax`);
    return reply.redirect(to, 303);
  });

  app.post('/login/code', { config: { role: 'read' } }, ({ keyHash }) => {
    const code = sessions.code(keyHash!);
    return { url: `${publicUrl()}/login#${code}` };
  });

  app.post('/logout', { config: { role: 'anyone' } }, (request, reply) => {
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

function sendForm(reply: FastifyReply, to: string, message?: string): FastifyReply {
  const page = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Log in · foray</title>
      <link rel="stylesheet" href="/login.css" />
      <link rel="icon" href="data:," />
      <script type="module" src="/login.js"></script>
      <main>
        <h1>Log in</h1>
        ${message === undefined ? undefined : html`<p role="alert">${message}</p>`}
        <form method="post" action="/login">
          <input type="hidden" name="to" value="${to}" />
          <input type="hidden" name="code" />
          <label>Key <input type="password" name="key" autocomplete="current-password" /></label>
          <button>Log in</button>
        </form>
        <p>"foray ui" opens this page with a code. You then need no key.</p>
      </main>
    </html>`;
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page.text);
}
