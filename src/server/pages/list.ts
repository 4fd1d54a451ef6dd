import type { FastifyRequest } from 'fastify';
import { questions } from '../../campaign/question.ts';
import { phases } from '../../campaign/types.ts';
import type { CampaignStatus } from '../../client/index.ts';
import { isClosed } from '../../client/status.ts';
import { durationText } from '../../report/html/campaign-section.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { counted } from '../../report/words/words.ts';
import { maySteer } from '../keys.ts';
import type { RowOrder } from '../live/look.ts';
import { hasText } from '../campaign-list.ts';
import type { ServerParts } from '../server-parts.ts';
import { option } from './form-parts.ts';
import { type Column, grid, orderIn, orderText, type Row, timeOf } from './grid.ts';
import { type Page, pathOfCampaign } from './layout.ts';
import { type Part, partOf } from './page-parts.ts';
import { barOf, finishedText, leftText } from './status.ts';
import { webUiOf } from './web-ui.ts';

/** The campaign that an empty list offers. Its model ships with foray. */
const EXAMPLE = {
  model: 'Epidemic',
  definition: `# An outbreak of influenza in a boarding school: how do both rates change it?
campaign: first-example
model: {name: Epidemic}
inputs:
  Days: 28
design:
  grid:
    Contact rate: {from: 1.2, to: 2.2, step: 0.1} # a day
    Recovery rate: {from: 0.3, to: 0.6, step: 0.05} # a day
outputs: [Peak infected, Peak day, Attack rate, Infected]
`,
};

/** The interval between requests for the list, ms. */
export const LIST_EVERY = 5_000;
/** Maximum number of campaigns on a page. */
const MOST = 200;
/** Maximum number of running campaigns on a page whose remaining time is shown, because each costs a request. */
const MOST_ASKED = 20;

export interface ListQuery {
  q?: string | undefined;
  phase?: string | undefined;
  order?: string | undefined;
}

type OfList = Pick<ServerParts, 'foray' | 'models' | 'sections' | 'statuses'>;

/** The value of a campaign in a column. Texts and numbers are not mixed in one column. */
const valueOf: Readonly<Record<string, (status: CampaignStatus) => string | number>> = {
  campaign: ({ id }) => id.toLowerCase(),
  phase: ({ phase }) => phases.indexOf(phase),
  question: ({ question }) => Object.keys(questions).indexOf(question),
  runs: ({ runs }) => runs.total,
  duration: (status) => durationOf(status),
  model: ({ model }) => model.toLowerCase(),
  owner: ({ owner }) => (owner ?? '').toLowerCase(),
  submitted: ({ submitted }) => submitted,
};

const columns: readonly Column[] = [
  { title: 'Choose' },
  { title: 'Campaign', by: 'campaign' },
  { title: 'Phase', by: 'phase' },
  { title: 'Question', by: 'question' },
  { title: 'Progress', by: 'runs', first: 'highest' },
  { title: 'Best value' },
  { title: 'Duration', by: 'duration', first: 'highest', isNumber: true },
  { title: 'Model', by: 'model' },
  { title: 'Owner', by: 'owner' },
  { title: 'Submitted', by: 'submitted', first: 'highest' },
];

/**
 * The page with the campaigns of the store. A user can sort them, and filter them by phase and by a text in the id, name,
 * model or owner.
 */
export async function listPage(
  request: FastifyRequest<{ Querystring: ListQuery }>,
  server: OfList,
): Promise<Page> {
  const { query } = request;
  const all = await server.foray.list();
  const parts = await partsOf(request, all, server);
  return {
    title: 'Campaigns',
    isWide: true,
    live: { path: `/live${request.url.slice(1)}`, parts, next: LIST_EVERY },
    body: html`<h1>Campaigns</h1>
      ${all.length === 0 ? '' : filterForm(query)} ${parts.map(({ markup }) => markup)}`,
  };
}

function filterForm(query: ListQuery): Markup {
  return html`<form class="filter" role="search">
    <label>Name, model or owner <input type="search" name="q" value="${query.q ?? ''}" /></label>
    <label
      >Phase
      <select name="phase">
        <option value="">all</option>
        ${phases.map((phase) => option(phase, phase, query.phase ?? ''))}
      </select></label
    >
    <label
      >Order
      <select name="order">
        <option value="">newest first</option>
        ${columns.map(({ title, by, first = 'lowest' }) => {
          if (by === undefined) return '';
          const name = first === 'highest' ? `${title}, largest first` : title;
          return option(orderText({ by, wants: first }), name, query.order ?? '');
        })}
      </select></label
    >
    <button>Show</button>
  </form>`;
}

/** The parts of the list that change. */
export async function listParts(
  request: FastifyRequest<{ Querystring: ListQuery }>,
  server: OfList,
): Promise<Part[]> {
  return partsOf(request, await server.foray.list(), server);
}

async function partsOf(
  request: FastifyRequest<{ Querystring: ListQuery }>,
  all: readonly CampaignStatus[],
  server: OfList,
): Promise<Part[]> {
  const markup = all.length === 0 ? await emptyList(request, server) : tableOfCampaigns(request, all, server);
  return [partOf('campaigns', markup)];
}

/** An empty list. A user who may start campaigns can start the example with one click, if its model is there. */
async function emptyList(request: FastifyRequest, { models }: OfList): Promise<Markup> {
  if (!maySteer(request))
    return html`<div id="campaigns">
      <p class="lead">There is no campaign yet. Your key may read campaigns, but not start one.</p>
    </div>`;
  const known = await models.all().catch(() => []);
  const hasExample = known.some(({ name }) => name === EXAMPLE.model);
  return html`<div id="campaigns" class="welcome">
    <p class="lead">
      There is no campaign yet. A campaign runs a model at many points, keeps all results, and shows them
      here.
    </p>
    <div class="buttons">
      ${
        hasExample
          ? html`<form method="post" action="/new">
              <input type="hidden" name="definition" value="${EXAMPLE.definition}" />
              <input type="hidden" name="token" value="${crypto.randomUUID()}" />
              <button name="do" value="start" class="main">Start an example</button>
            </form>`
          : ''
      }
      <a class="button" href="/new">New campaign</a> <a class="button" href="/models">Models</a>
    </div>
    ${hasExample ? html`<p class="soft">The example tries 77 combinations of two rates of an epidemic. It takes a few seconds.</p>` : ''}
    <p class="soft">On the command line: <code>foray submit campaign.yaml</code></p>
  </div>`;
}

function tableOfCampaigns(
  request: FastifyRequest<{ Querystring: ListQuery }>,
  all: readonly CampaignStatus[],
  server: OfList,
): Markup {
  const { q = '', phase = '', order: text } = request.query;
  const order = orderIn(text);
  const found = all.filter((status) => (phase === '' || status.phase === phase) && hasText(status, q));
  const shown = sorted(found, order).slice(0, MOST);
  const asked = new Set(shown.filter((status) => status.phase === 'running').slice(0, MOST_ASKED));
  const hrefOf = (next: RowOrder): string =>
    `/?${new URLSearchParams({ q, phase, order: orderText(next) }).toString()}`;
  const rows = shown.map((status): Row => {
    const known = asked.has(status) ? server.statuses.lately(status.id) : undefined;
    return rowOf(request, status, known, server);
  });
  // the id is on the div, because in a form the field named "id" hides the id of the form from scripts
  return html`<div id="campaigns">
    <form method="get" action="/compare">
      <p class="soft" id="found">
        ${found.length === all.length ? '' : `${found.length} of ${all.length} campaigns. `}
        ${shown.length < found.length ? `The first ${MOST} are shown.` : ''}
      </p>
      <div id="rows">${grid(columns, rows, 'Campaigns', { now: order, hrefOf })}</div>
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

/** Campaigns in an order. Without an order, or with an unknown column, the newest campaign comes first. */
function sorted(found: CampaignStatus[], order: RowOrder | null): CampaignStatus[] {
  if (!order || !Object.hasOwn(valueOf, order.by)) return found;
  const value = valueOf[order.by]!;
  const sign = order.wants === 'lowest' ? 1 : -1;
  return found.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    return one === other ? 0 : one < other ? -sign : sign;
  });
}

/** The number of runs per point, such as " × 3"; empty if it is 1, or if it may differ between points. */
function repeatsText({ points, runs: { total }, strategy, precision }: CampaignStatus): string {
  const repeats = total / points;
  const mayDiffer = !Number.isInteger(repeats) || strategy.by === 'search' || precision;
  return repeats > 1 && !mayDiffer ? ` × ${repeats}` : '';
}

/** @param status - from the store. @param known - from the campaign's workflow; undefined if it is not known */
function rowOf(
  request: FastifyRequest,
  status: CampaignStatus,
  known: CampaignStatus | undefined,
  { foray, sections }: OfList,
): Row {
  const { id, name, phase, blocked, points, model, modelVersion, submitted, owner, question } = status;
  const best = sections.best(status);
  const webUi = webUiOf(request, foray, id);
  const left = known && leftText(known);
  return {
    id: `row-${id}`,
    cells: [
      html`<input type="checkbox" name="id" value="${id}" aria-label="${id}" />`,
      html`<a href="${pathOfCampaign(id)}">${id}</a>
        ${id.startsWith(name) ? '' : html`<br /><small class="soft">${name}</small>`}
        ${webUi && html`<br /><small><a class="soft" href="${webUi}">in Temporal</a></small>`}`,
      html`<span class="phase ${phase}">${phase}</span>
        ${blocked === null ? '' : html`<span class="bad">cannot continue</span>`}`,
      html`${questions[question]}<br /><small class="soft"
          >${counted(points, 'point')}${repeatsText(status)}</small
        >`,
      html`<span class="progress"
        >${barOf(status)}<small>${finishedText(status)}${left ? `, ${left}` : ''}</small></span
      >`,
      best === null ? '' : html`<span class="soft">${status.goal!.output}</span> ${best.text}`,
      { number: durationText(durationOf(status)) },
      `${model}, version ${modelVersion}`,
      owner ?? '',
      timeOf(submitted),
    ],
  };
}

/** The time from the submission to the last change, or until now while the campaign is open, ms. */
function durationOf(status: CampaignStatus): number {
  const end = isClosed(status) ? Date.parse(status.asOf) : Date.now();
  return Math.max(0, end - Date.parse(status.submitted));
}
