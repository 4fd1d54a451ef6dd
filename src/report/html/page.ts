import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ownFile } from '../../package/own-files.ts';
import { version } from '../../package/own-version.ts';
import { html, Markup } from './markup.ts';
import { style } from './style.ts';

/** The script that lets pictures answer. The server's pages load it, and a report contains it. */
export const pictureScript = readFileSync(ownFile('src/report/html/picture.js'), 'utf8');

/**
 * The script element at the end of a report. Its text must be exactly the script, because the policy contains the hash
 * of that text.
 */
const scriptElement = new Markup(`<script>${pictureScript}</script>`);

/**
 * The content policy of a report: it lets the page run this script and show its own content. Names of models or inputs
 * cannot load or run anything. A picture becomes an image while it is saved as PNG.
 */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  `script-src 'sha256-${createHash('sha256').update(pictureScript).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * A page that contains everything and loads nothing.
 *
 * @param source - what foray made it from, for the footer
 */
export function reportPage(title: string, source: string, ...content: Markup[]): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · foray</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <main>
          ${content}
          <footer>
            foray ${version} made this page from ${source}. The page contains everything and loads nothing.
          </footer>
        </main>
        ${scriptElement}
      </body>
    </html> `.text;
}
