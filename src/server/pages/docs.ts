import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PACKAGE } from '../../package/own-files.ts';
import { html, Markup } from '../../report/html/markup.ts';
import { ServerError } from '../server-error.ts';
import { read, sendPage } from './layout.ts';

/** The folder with the documentation, which is part of the package. */
const FOLDER = join(PACKAGE, 'docs');
const LINK = /!?\[([^\]]*)\]\(([^)\s]+)\)/g;

/** Adds the pages of the documentation: the texts as they are written, with their headings and links. */
export function addDocs(app: FastifyInstance): void {
  const names = new Set(
    globSync('**/*.md', { cwd: FOLDER, exclude: ['site/**'] }).map((name) => name.replaceAll('\\', '/')),
  );
  app.get<{ Params: { '*': string } }>('/docs/*', read, (request, reply) => {
    const { '*': name } = request.params;
    if (!names.has(name)) throw new ServerError('UNKNOWN_ROUTE', 'The documentation has no such page.');
    const [, title = name, text = ''] =
      /^# ([^\n]+)\n+(.*)$/s.exec(readFileSync(join(FOLDER, name), 'utf8')) ?? [];
    const isPage = (path: string): boolean => names.has(path.replace(/^\/docs\//, ''));
    const lines = text.split('\n').map((line) => lineOf(line, `/docs/${name}`, isPage).text);
    return sendPage(request, reply, {
      isWide: true,
      title,
      body: html`<h1>${title}</h1>
        <p class="buttons"><a href="/docs/README.md">Contents of the documentation</a></p>
        <pre tabindex="0">${new Markup(lines.join('\n'))}</pre>`,
    });
  });
}

/** A line with its links. @param address - of its page */
function lineOf(line: string, address: string, isPage: (path: string) => boolean): Markup {
  const parts: (Markup | string)[] = [];
  let end = 0;
  for (const { 0: whole, 1: words, 2: target, index } of line.matchAll(LINK)) {
    parts.push(line.slice(end, index), linkOf(words!, target!, address, isPage));
    end = index + whole.length;
  }
  parts.push(line.slice(end));
  return line.startsWith('#') ? html`<strong>${parts}</strong>` : html`${parts}`;
}

/** A link to another page of the documentation or to another site. Other links become their words. */
function linkOf(
  words: string,
  target: string,
  address: string,
  isPage: (path: string) => boolean,
): Markup | string {
  if (/^https?:\/\//.test(target)) return html`<a href="${target}" rel="noreferrer">${words}</a>`;
  const { pathname } = new URL(target, `http://any${address}`);
  return isPage(pathname) ? html`<a href="${pathname}">${words}</a>` : words;
}
