import { createHash } from 'node:crypto';
import { Markup } from './markup.ts';

/**
 * The only script of a report. It adds a button below each picture that saves the picture as SVG. The page works
 * without it. A saved picture has a white background and dark text, because it has no page around it that gives the
 * text colour.
 */
const script = `
for (const figure of document.querySelectorAll('figure[data-file]')) {
  const svg = figure.querySelector('svg');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Save as SVG';
  button.addEventListener('click', () => {
    const copy = svg.cloneNode(true);
    const [, , width, height] = svg.getAttribute('viewBox').split(' ');
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', width);
    copy.setAttribute('height', height);
    copy.setAttribute('style', 'color: #1c2026; background: #ffffff');
    const text = new XMLSerializer().serializeToString(copy);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    link.download = figure.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
  figure.after(button);
}
`;

/**
 * The script element at the end of the page. Its text must be exactly `script`, because the policy contains the hash of
 * that text.
 */
export const saveScript = new Markup(`<script>${script}</script>`);

/**
 * The content policy of the page: it lets the page run this script and show its own content. Names of models or inputs
 * cannot load or run anything.
 */
export const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
