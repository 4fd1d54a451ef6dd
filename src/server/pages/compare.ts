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
      <p class="buttons">
        <a class="button" href="/compare?${new URLSearchParams({ a: b, b: a }).toString()}">Swap A and B</a>
        <a class="button" href="/compare">Two other campaigns</a>
      </p>
      ${notes.map((note) => html`<p class="lead">${note}</p>`)}
      ${new Markup(withKeys(sections, (key) => pathOfCampaign(a, `points/${key}`)))}`,
  };
}

/** The page on which a person chooses two campaigns. */
export function compareChoice(
  campaigns: readonly { id: string; model: string }[],
  chosen: readonly string[],
): Page {
  const choice = (name: string, label: string, value: string | undefined): Markup =>
    html`<label
      >${label}
      <select name="${name}">
        ${campaigns.map(
          ({ id, model }) =>
            html`<option value="${id}" ${id === value ? html`selected` : ''}>${id} (${model})</option>`,
        )}
      </select></label
    >`;
  return {
    title: 'Compare',
    body: html`<h1>Compare two campaigns</h1>
      <p class="lead">Two campaigns of one model: two versions, two policies, or two sets of values.</p>
      ${
        campaigns.length < 2
          ? html`<p>There are not yet two campaigns.</p>`
          : html`<form class="filter">
              ${choice('a', 'First', chosen[0] ?? campaigns[1]!.id)}
              ${choice('b', 'Second', chosen[1] ?? campaigns[0]!.id)}
              <button class="main">Compare</button>
            </form>`
      }`,
  };
}
