import type { FastifyRequest } from 'fastify';
import { phases } from '../../campaign/types.ts';
import type { CampaignStatus } from '../../client/index.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { maySteer } from '../keys.ts';
import { numberText } from '../../report/words/words.ts';
import { hasText } from '../campaign-list.ts';
import type { Sections } from '../live/watch.ts';
import { type Page, pathOfCampaign } from './layout.ts';
import { type Part, partOf } from './page-parts.ts';
import { barOf, finishedText, paceText } from './status.ts';

/** The interval between requests for the list, ms. */
export const LIST_EVERY = 5_000;
/** Maximum number of campaigns on a page. */
const MOST = 200;

export interface ListQuery {
  q?: string | undefined;
  phase?: string | undefined;
}

/**
 * The page with the campaigns of the store. A user can filter them by phase, and by a text in the id, name, model or
 * owner.
 */
export function listPage(
  request: FastifyRequest,
  all: readonly CampaignStatus[],
  query: ListQuery,
  sections: Sections,
): Page {
  const parts = listParts(request, all, query, sections);
  return {
    title: 'Campaigns',
    live: { path: `/live${request.url.slice(1)}`, parts, next: LIST_EVERY },
    body: html`<h1>Campaigns</h1>
      <form class="filter" role="search">
        <label>Name, model or owner <input type="search" name="q" value="${query.q ?? ''}" /></label>
        <label
          >Phase
          <select name="phase">
            <option value="">all</option>
            ${phases.map(
              (phase) => html`<option ${phase === query.phase ? html`selected` : ''}>${phase}</option>`,
            )}
          </select></label
        >
        <button>Show</button>
      </form>
      ${parts.map(({ markup }) => markup)}`,
  };
}

/** The parts of the list that change. */
export function listParts(
  request: Pick<FastifyRequest, 'access'>,
  all: readonly CampaignStatus[],
  query: ListQuery,
  sections: Sections,
): Part[] {
  return [partOf('campaigns', tableOfCampaigns(request, all, query, sections))];
}

function tableOfCampaigns(
  request: Pick<FastifyRequest, 'access'>,
  all: readonly CampaignStatus[],
  { q = '', phase = '' }: ListQuery,
  sections: Sections,
): Markup {
  const found = all.filter((status) => (phase === '' || status.phase === phase) && hasText(status, q));
  if (all.length === 0)
    return html`<div id="campaigns">
      <p class="lead">
        There is no campaign yet. <a href="/new">Start a campaign</a>, or submit a file:
        <code>foray submit campaign.yaml</code>
      </p>
    </div>`;
  const shown = found.slice(0, MOST);
  // the id is on the div, because in a form the field named "id" hides the id of the form from scripts
  return html`<div id="campaigns">
    <form method="get" action="/compare">
      <p class="soft" id="found">
        ${found.length === all.length ? '' : `${found.length} of ${all.length} campaigns. `}
        ${shown.length < found.length ? `The newest ${MOST} are shown.` : ''}
      </p>
      <div class="scroll" id="rows" tabindex="0" role="region" aria-label="Campaigns">
        <table>
          <thead>
            <tr>
              <th><span class="hidden">Choose</span></th>
              <th>Campaign</th>
              <th>Phase</th>
              <th>Progress</th>
              <th class="number">Points × replications</th>
              <th>Best value</th>
              <th>Model</th>
              <th>Owner</th>
              <th>Submitted</th>
            </tr>
          </thead>
          <tbody>
            ${shown.map((status) => rowOf(status, sections))}
          </tbody>
        </table>
      </div>
      <p class="buttons">
        <button>Compare two</button>
        ${
          maySteer(request)
            ? html`<button formmethod="post" formaction="/chosen/pause">Pause</button>
                <button formmethod="post" formaction="/chosen/resume">Resume</button>
                <button formmethod="get" formaction="/chosen/cancel">Cancel …</button>`
            : ''
        }
      </p>
    </form>
  </div>`;
}

/** The number of runs per point, such as " × 3"; empty if it is 1, or if it may differ between points. */
function repeatsText({ points, runs: { total }, strategy, precision }: CampaignStatus): string {
  const repeats = total / points;
  return repeats > 1 && Number.isInteger(repeats) && strategy.by !== 'search' && !precision
    ? ` × ${repeats}`
    : '';
}

function rowOf(status: CampaignStatus, sections: Sections): Markup {
  const { id, name, phase, blocked, points, model, modelVersion, submitted, owner } = status;
  return html`<tr id="row-${id}">
    <td><input type="checkbox" name="id" value="${id}" aria-label="${id}" /></td>
    <td class="name">
      <a href="${pathOfCampaign(id)}">${id}</a>
      ${id.startsWith(name) ? '' : html`<br /><small class="soft">${name}</small>`}
    </td>
    <td>
      <span class="phase ${phase}">${phase}</span>
      ${blocked === null ? '' : html`<span class="bad">cannot continue</span>`}
    </td>
    <td class="progress">${barOf(status)}<small>${finishedText(status)} ${paceText(status)}</small></td>
    <td class="number" data-name="Points">${points.toLocaleString('en-US')}${repeatsText(status)}</td>
    <td data-name="Best">${bestText(status, sections)}</td>
    <td data-name="Model">${model}, version ${modelVersion}</td>
    <td data-name="Owner">${owner ?? ''}</td>
    <td data-name="Submitted">
      <time datetime="${submitted}">${submitted.slice(0, 10)}<br />${submitted.slice(11, 16)}</time>
    </td>
  </tr>`;
}

/** The best value of the campaign's goal, such as "Peak infected 12.3"; empty while it is unknown. */
function bestText(status: CampaignStatus, sections: Sections): Markup | string {
  const value = sections.best(status);
  if (value === null) return '';
  return html`<span class="soft">${status.goal!.output}</span> ${numberText(value)}`;
}
