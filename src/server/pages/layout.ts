import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from '../../report/html/markup.ts';
import { maySteer } from '../keys.ts';
import { pathOf } from '../../http/path.ts';
import { awayPart } from './away.ts';
import { hashesOf, type Part } from './page-parts.ts';

/** A page of the server. */
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
}

const places: readonly [string, string][] = [
  ['/', 'Campaigns'],
  ['/new', 'New campaign'],
  ['/models', 'Models'],
  ['/reference', 'API'],
];

/** Sends a page with the common head and navigation. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, body, live, isIncomplete = false }: Page,
): FastifyReply {
  const away = awayPart(request);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · foray</title>
        <link rel="stylesheet" href="/page.css" />
        <link rel="icon" href="data:," />
        <script type="module" src="/page.js"></script>
        <script type="module" src="/picture.js"></script>
        ${isIncomplete ? html`<noscript><meta http-equiv="refresh" content="2" /></noscript>` : ''}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <nav aria-label="foray">
          <a class="product" href="/">foray</a>
          ${places
            .filter(([path]) => path !== '/new' || maySteer(request))
            .map(
              ([path, name]) =>
                html`<a href="${path}" ${path === pathOf(request.url) ? html`aria-current="page"` : ''}
                  >${name}</a
                >`,
            )}
          <form method="post" action="/logout">
            <span class="soft">${request.access?.name}, may ${request.access?.role}</span
            ><button class="quiet">Log out</button>
          </form>
        </nav>
        <main
          id="content"
          data-user="${request.access?.name}"
          ${live && html`data-live="${live.path}" data-have="${hashesOf([away, ...live.parts])}" data-next="${live.next}"`}
        >
          <p class="soft" id="news" role="status" aria-live="polite"></p>
          ${away.markup} ${body}
        </main>
      </body>
    </html> `;
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page.text);
}

/**
 * A form with one button for a change; undefined for users who may not steer.
 * @param fields - hidden fields that the form sends
 */
export function act(
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

/** The path of a campaign on this server. */
export function pathOfCampaign(id: string, part = ''): string {
  return `/campaigns/${encodeURIComponent(id)}${part === '' ? '' : `/${part}`}`;
}

/** The content of a table cell. `{ number }`: the text of a number, which is aligned like a number. */
export type Cell = string | number | { number: string } | Markup | undefined;

/**
 * A table. In a narrow window, only the table scrolls sideways, and not the page.
 *
 * @param label - the name of the table for screen readers; the tables of a page need different names
 */
export function tableOf(
  heads: readonly (string | Markup)[],
  rows: readonly (readonly Cell[])[],
  label = heads.filter((head) => typeof head === 'string').join(', '),
): Markup {
  const classOf = (at: number): string => (rows.some((cells) => isNumber(cells[at])) ? 'number' : '');
  const classes = heads.map((_head, at) => classOf(at));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label || 'Table'}">
    <table>
      <thead>
        <tr>
          ${heads.map((head, at) => html`<th class="${classes[at]}">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, at) => html`<td class="${classes[at]}">${shownCell(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function isNumber(cell: Cell): cell is number | { number: string } {
  return typeof cell === 'number' || (typeof cell === 'object' && 'number' in cell);
}

function shownCell(cell: Cell): string | Markup | undefined {
  if (!isNumber(cell)) return cell;
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : cell.number;
}

/** The fields that a form has sent. */
export function fieldsOf({ body }: Pick<FastifyRequest, 'body'>): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}
