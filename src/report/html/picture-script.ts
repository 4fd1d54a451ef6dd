import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ownFile } from '../../package/own-files.ts';
import { Markup } from './markup.ts';

/** The script that lets pictures answer. The server's pages load it, and a report contains it. */
export const pictureScript = readFileSync(ownFile('src/report/html/picture.js'), 'utf8');

/**
 * The script element at the end of a report. Its text must be exactly the script, because the policy contains the hash
 * of that text.
 */
export const scriptElement = new Markup(`<script>${pictureScript}</script>`);

/**
 * The content policy of a report: it lets the page run this script and show its own content. Names of models or inputs
 * cannot load or run anything. A picture becomes an image while it is saved as PNG.
 */
export const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  `script-src 'sha256-${createHash('sha256').update(pictureScript).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
