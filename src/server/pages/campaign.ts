import type { FastifyRequest } from 'fastify';
import { measuresOf } from '../../campaign/measures.ts';
import type { CampaignStatus } from '../../client/index.ts';
import { isClosed } from '../../client/status.ts';
import { anchorOf } from '../../report/html/contents.ts';
import { html, Markup } from '../../report/html/markup.ts';
import { maySteer } from '../keys.ts';
import type { CampaignRecord } from '../../store/index.ts';
import type { Seen } from '../live/look.ts';
import { option } from './form-parts.ts';
import { timeOf } from './grid.ts';
import { actionForm, type Page, pathOfCampaign } from './layout.ts';
import { type Part, partOf } from './page-parts.ts';
import { statusSection } from './status.ts';
import { axisFields, inputFields, queryText, viewQuery } from './view.ts';

/** The interval between two requests of the page of an active campaign, ms. */
const SOON = 1_000;
/** The interval for a paused or closed campaign, ms. A closed campaign may still be continued or deleted. */
const LATER = 5_000;

const pages: readonly [endOfPath: string, name: string][] = [
  ['', 'Overview'],
  ['runs', 'Runs'],
  ['failures', 'Failures'],
  ['definition', 'Definition'],
  ['downloads', 'Downloads'],
];

/**
 * The links between the pages of a campaign.
 *
 * @param view - the query of the current view, which each link keeps
 */
export function tabs(id: string, current: string, view = new URLSearchParams()): Markup {
  return html`<nav class="tabs" aria-label="Campaign">
    ${pages.map(
      ([part, name]) =>
        html`<a
          href="${pathOfCampaign(id, part)}${queryText(view)}"
          ${part === current ? html`aria-current="page"` : ''}
          >${name}</a
        >`,
    )}
  </nav>`;
}

/**
 * The page of a campaign: its state, its buttons, and its report so far.
 *
 * @param state - its status, whether this is the answer of the worker and the model service, and whether the campaign is
 * closed and has a change that is not made yet
 * @param webUi - its page in Temporal's Web UI
 */
export function campaignPage(
  request: FastifyRequest,
  record: CampaignRecord,
  { status, isWhole, isChanging }: { status: CampaignStatus; isWhole: boolean; isChanging: boolean },
  seen: Seen,
  webUi: string | undefined,
): Page {
  const { id } = status;
  const { campaign } = record;
  const view = viewQuery(request.url);
  const parts = campaignParts(request, status, seen, isChanging);
  const [statusPart, buttons, report] = parts;
  return {
    title: id,
    live: {
      path: `${pathOfCampaign(id, 'live')}${queryText(view)}`,
      parts,
      next: isWhole ? nextLook(status, seen) : SOON,
    },
    isIncomplete: report === undefined || !isWhole,
    body: html`<h1>${campaign.name}</h1>
      <p class="lead">
        ${status.model}, version ${status.modelVersion}${id === campaign.name ? '' : ` · campaign ${id}`} ·
        submitted ${timeOf(status.submitted)}${webUi && html` · <a href="${webUi}">in Temporal's Web UI</a>`}
      </p>
      ${tabs(id, '', view)} ${statusPart!.markup} ${buttons!.markup} ${viewForm(record, view)}
      <div id="report">
        ${report?.markup ?? html`<p class="lead">The pictures are being drawn. <a href="">Look again</a></p>`}
      </div>`,
  };
}

/** The parts of a campaign's page that change: the status, the buttons, and the report when it is drawn. */
export function campaignParts(
  request: FastifyRequest,
  status: CampaignStatus,
  seen: Seen,
  isChanging = false,
): Part[] {
  return [
    partOf('status', statusSection(status, isDrawn(seen) ? seen.finished : undefined)),
    partOf('steering', steering(request, status, isChanging)),
    ...(isDrawn(seen) ? [reportOf(seen)] : []),
  ];
}

/** The report of each drawn state. All viewers of a state share it, because it is large. */
const reports = new WeakMap<Seen, Part>();

function reportOf(seen: Seen): Part {
  const known = reports.get(seen) ?? { id: 'report', hash: seen.version, markup: sectionsOf(seen) };
  reports.set(seen, known);
  return known;
}

/** The time until the page of a campaign requests its parts again, ms. */
export function nextLook(status: CampaignStatus, seen: Seen): number {
  if (!isDrawn(seen)) return seen.next;
  return status.phase === 'paused' || isFinal(status, seen) ? LATER : SOON;
}

/**
 * Whether the campaign is closed, and its report shows all its runs. The report may be older than the status: a campaign
 * that continues for a moment may close again before its report is drawn again.
 */
export function isFinal(
  status: Pick<CampaignStatus, 'phase' | 'asOf'>,
  seen: Pick<Seen, 'version' | 'changedAt' | 'next'>,
): boolean {
  return isClosed(status) && isDrawn(seen) && seen.next === 0 && seen.changedAt === status.asOf;
}

function isDrawn({ version }: Pick<Seen, 'version'>): boolean {
  return version !== '';
}

/** The buttons for a campaign in its current phase. A page asks for confirmation before Stop, Cancel and Delete. */
function steering(request: FastifyRequest, status: CampaignStatus, isChanging: boolean): Markup {
  const { id, phase, runs } = status;
  const to = (verb: string): string => pathOfCampaign(id, verb);
  const asks = (verb: string, name: string): Markup | undefined =>
    maySteer(request) ? html`<a class="button" href="${to(verb)}">${name} …</a>` : undefined;
  const buttons = isClosed(status)
    ? [
        isChanging ? asks('cancel', 'Give up the change') : undefined,
        runs.failed > 0 ? actionForm(request, to('retry'), 'Request failed runs again') : undefined,
        asks('delete', 'Delete'),
      ]
    : [
        phase === 'running' ? actionForm(request, to('pause'), 'Pause') : undefined,
        phase === 'paused' ? actionForm(request, to('resume'), 'Resume') : undefined,
        phase === 'stopping' ? undefined : asks('stop', 'Stop'),
        asks('cancel', 'Cancel'),
        phase === 'stopping' ? undefined : windowForm(request, to('window'), status.concurrency),
      ];
  const again = maySteer(request)
    ? html`<a class="button" href="/new?from=${encodeURIComponent(id)}">Start one like this</a>`
    : undefined;
  return html`<div id="steering">
    ${isChanging ? html`<p class="note">A change of this campaign is not made yet.</p>` : ''}
    <div class="buttons">${buttons} ${again}</div>
  </div>`;
}

/** The form for the number of runs that may be requested at once. */
function windowForm(
  request: FastifyRequest,
  action: string,
  now: CampaignStatus['concurrency'],
): Markup | undefined {
  if (!maySteer(request)) return undefined;
  return html`<form method="post" action="${action}" class="window">
    <label
      >Runs at once
      <input id="window" name="concurrency" required size="6" placeholder="auto" value="${now ?? ''}"
    /></label>
    <button>Set</button>
  </form>`;
}

/**
 * The form for the view: which output comes first, which inputs are on the axes, and which values of inputs are shown. The
 * address contains the view, so a link shows the same view to other users.
 */
function viewForm({ campaign }: CampaignRecord, view: URLSearchParams): Markup {
  return html`<details class="view" ${view.size > 0 ? html`open` : ''}>
    <summary>What is shown</summary>
    <form>
      <label
        >Output, as height or colour
        <select name="show">
          <option value="">as in the report</option>
          ${measuresOf(campaign).map(({ name }) => option(name, name, view.get('show') ?? ''))}
        </select></label
      >
      ${axisFields(campaign, view)} ${inputFields(campaign, view)}
      <button>Show</button>
      ${view.size > 0 ? html`<a href="${pathOfCampaign(campaign.id)}">Show all</a>` : ''}
    </form>
  </details>`;
}

/** The sections of the report, each in its own element. */
function sectionsOf({ sections }: Seen): Markup {
  return html`${sections.map(({ id, html: text }) => html`<div id="${anchorOf({ id })}">${new Markup(text)}</div>`)}`;
}
