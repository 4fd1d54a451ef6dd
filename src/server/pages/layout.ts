import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from '../../report/html/markup.ts';
import { maySteer, type Role } from '../keys.ts';
import { version } from '../../package/own-version.ts';
import { pathOf } from '../../http/path.ts';
import { absencesPart } from './absences.ts';
import { hashesOf, type Part } from './page-parts.ts';

export interface Page {
  title: string;
  body: Markup;
  /**
   * The parts of the page that change, the path that sends them, and the time until the first request for them, ms.
   * Without `live`, the page is not kept up to date.
   */
  live?: { path: string; parts: readonly Part[]; next: number } | undefined;
  /** True if scripts load a part of the page later. Browsers without scripts then load the whole page again. */
  isIncomplete?: boolean;
  /** Whether the page takes the full width of the window. */
  isWide?: boolean;
  /** The script of the page; by default those of all pages, and none for users who are not logged in. */
  script?: string;
}

/** The settings of routes for users who may read, and for users who may change campaigns. */
export const read = { config: { role: 'read' } } as const;
export const steer = { config: { role: 'steer' } } as const;

/** The script of a page with a form whose fields are kept. */
export const formScript = html`<script type="module" src="/form.js"></script>`;

/** What the key of a user permits. */
const permission: Readonly<Record<Role, string>> = {
  read: 'This key may read.',
  steer: 'This key may read, and start and change campaigns.',
  develop: 'This key may read, start and change campaigns, and push models.',
};

const places: readonly [path: string, name: string][] = [
  ['/', 'Campaigns'],
  ['/new', 'New campaign'],
  ['/models', 'Models'],
  ['/reference', 'API'],
];

/** Sends a page with the common head and navigation. A user who is not logged in gets no links to other pages. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, body, live, isIncomplete = false, isWide = false, script }: Page,
): FastifyReply {
  const { access } = request;
  const absences = absencesPart(request);
  const common = access ? ['/page.js', '/picture.js'] : [];
  const scripts = script === undefined ? common : [script];
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · foray</title>
        <link rel="stylesheet" href="/page.css" />
        <link rel="icon" href="data:," />
        ${scripts.map((src) => html`<script type="module" src="${src}"></script>`)}
        ${isIncomplete ? html`<noscript><meta http-equiv="refresh" content="2" /></noscript>` : ''}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${header(request)}
        <main
          id="content"
          class="${isWide ? 'wide' : ''}"
          data-user="${access?.name}"
          ${live && html`data-live="${live.path}" data-have="${hashesOf([absences, ...live.parts])}" data-next="${live.next}"`}
        >
          <p class="soft" id="news" role="status" aria-live="polite"></p>
          ${absences.markup} ${body}
        </main>
        ${access ? html`<footer>foray ${version} · <a href="/docs/README.md">Documentation</a></footer>` : ''}
      </body>
    </html> `;
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page.text);
}

/** The name of the product, the links to the pages that the user may see, and who is logged in. */
function header(request: FastifyRequest): Markup {
  const { access } = request;
  if (!access) return html`<nav aria-label="foray"><span class="product">foray</span></nav>`;
  const shown = places.filter(([path]) => path !== '/new' || maySteer(request));
  return html`<nav aria-label="foray">
    <a class="product" href="/">foray</a>
    ${shown.map(
      ([path, name]) =>
        html`<a href="${path}" ${path === pathOf(request.url) ? html`aria-current="page"` : ''}>${name}</a>`,
    )}
    <form method="post" action="/logout">
      <span class="soft" title="${permission[access.role]}">${access.name}, role ${access.role}</span
      ><button class="quiet">Log out</button>
    </form>
  </nav>`;
}

/**
 * A form with one button for a change; undefined for users who may not steer.
 * @param fields - hidden fields that the form sends
 */
export function actionForm(
  request: FastifyRequest,
  action: string,
  name: string,
  fields: Readonly<Record<string, string>> = {},
): Markup | undefined {
  if (!maySteer(request)) return undefined;
  return html`<form method="post" action="${action}">
    ${Object.entries(fields).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`)}
    <button>${name}</button>
  </form>`;
}

export function pathOfCampaign(id: string, part = ''): string {
  return `/campaigns/${encodeURIComponent(id)}${part === '' ? '' : `/${part}`}`;
}

/** The fields that a form has sent. */
export function fieldsOf({ body }: Pick<FastifyRequest, 'body'>): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}
