import { html, Markup } from '../../report/html/markup.ts';
import type { ComparedParts } from '../jobs/answers.ts';
import { withKeys } from '../live/shown.ts';
import { type Page, pathOfCampaign } from './layout.ts';

/**
 * Two campaigns point by point, with the pictures of `foray compare -o page.html`. Keys of points link to the points of
 * the first campaign.
 */
export function comparePage({ a, b, notes, sections }: ComparedParts): Page {
  const both = [a, b].map((id) => html`<a href="${pathOfCampaign(id)}">${id}</a>`);
  return {
    title: `${a} and ${b}`,
    body: html`<h1>${both[0]} and ${both[1]}</h1>
      ${notes.map((note) => html`<p class="lead">${note}</p>`)}
      ${new Markup(withKeys(sections, (key) => pathOfCampaign(a, `points/${key}`)))}`,
  };
}
