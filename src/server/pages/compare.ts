import { html, Markup } from '../../report/html/markup.ts';
import type { ComparedParts } from '../jobs/answers.ts';
import { option } from './form-parts.ts';
import { type Page, pathOfCampaign } from './layout.ts';

/** Two campaigns point by point, with the pictures of `foray compare -o page.html`. */
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
      <div id="report">${new Markup(sections)}</div>`,
  };
}

/**
 * The page on which a person chooses two campaigns.
 *
 * @param campaigns - the newest one first
 * @param chosen - the ids of an address that does not have two
 */
export function compareChoice(
  campaigns: readonly { id: string; model: string }[],
  chosen: readonly string[],
): Page {
  const choice = (name: string, label: string, value: string | undefined): Markup =>
    html`<label
      >${label}
      <select name="${name}">
        ${campaigns.map(({ id, model }) => option(id, `${id} (${model})`, value ?? ''))}
      </select></label
    >`;
  const [newest, next] = campaigns;
  // the newest campaign is compared with the one before it
  const first = chosen[0] ?? next?.id;
  const second = chosen[1] ?? (first === newest?.id ? next : newest)?.id;
  return {
    title: 'Compare',
    body: html`<h1>Compare two campaigns</h1>
      <p class="lead">Two campaigns of one model: two versions, two policies, or two sets of values.</p>
      ${chosen.length > 2 ? html`<p class="lead">A comparison has two campaigns. You chose ${chosen.length}: ${chosen.join(', ')}.</p>` : ''}
      ${
        campaigns.length < 2
          ? html`<p>There are not yet two campaigns.</p>`
          : html`<form class="filter">
              ${choice('a', 'First', first)} ${choice('b', 'Second', second)}
              <button class="main">Compare</button>
            </form>`
      }`,
  };
}
