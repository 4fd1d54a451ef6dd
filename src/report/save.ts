import { createHash } from 'node:crypto';
import { Markup } from './markup.ts';

/**
 * The one script of a report: it adds a button below each picture that saves it as SVG. Without it the page shows the same. What
 * is saved stands by itself, on white: the page's colour of text would be lost otherwise.
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

/** To stand at the page's end, to the letter: the policy knows it by its hash. */
export const saveScript = new Markup(`<script>${script}</script>`);

/** What the page may do: run this script and show what is in it; nothing that a name of a model or an input could ask for. */
export const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
