import { Batched } from '../../batched.ts';
import type { FailureGroup } from '../../client/index.ts';
import type { FastifyRequest } from 'fastify';
import { OTHER_CAUSES } from '../../campaign/failures.ts';
import type { Column as ResultColumn } from '../../report/tables/column-types.ts';
import { logDetails } from '../../report/html/failures-section.ts';
import { shortText } from '../../report/html/cells.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { brief, counted, titleOf } from '../../report/words/words.ts';
import { resultTable } from '../../report/tables/result-table.ts';
import { REASON } from '../../report/tables/result-columns.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { capitalized } from '../../text/printable.ts';
import type { ChosenRuns, RowOrder, RunChoice } from '../live/look.ts';
import { API_ROOT } from '../api/endpoints.ts';
import { maySteer } from '../keys.ts';
import { tabs } from './campaign.ts';
import { option } from './form-parts.ts';
import { type Cell, type Column, grid, orderText, type Row, tableOf, timeOf } from './grid.ts';
import { actionForm, type Page, pathOfCampaign } from './layout.ts';
import { filtersIn, inputFields, otherParameters, queryText, viewQuery } from './view.ts';

/** The choice of runs in the address of the page. */
interface Shown extends Omit<RunChoice, 'inputs'> {
  view: URLSearchParams;
}

/** Columns of the results that the page leaves out. The page of a point has them. */
const HIDDEN = ['run', 'origin', 'requested'];

/** The page of finished runs as a grid. */
export async function runsPage(
  { campaign }: CampaignRecord,
  { rows, total, without }: ChosenRuns,
  shown: Shown,
): Promise<Page> {
  const { id } = campaign;
  const table = resultTable(campaign, Batched.of(rows), { all: true });
  const at = placesOf(table.columns, rows);
  const columns = at.map((place) => columnOf(table.columns[place]!));
  const cells: Row[] = [];
  for await (const row of table.rows)
    cells.push({ cells: at.map((place) => cellOf(id, table.columns[place]!, row[place]!, shown.view)) });
  const hrefOf = (order: RowOrder): string => addressOf(id, { ...shown, order, from: 0 });
  const pagesOf = (label: string): Markup =>
    pageLinks(label, shown, rows.length, total, (from) => addressOf(id, { ...shown, from }));
  return {
    title: `Runs of ${id}`,
    isWide: true,
    body: html`<h1>${campaign.name}</h1>
      ${tabs(id, 'runs', shown.view)} ${orderForm(campaign, columns, shown)}
      ${pagesOf('Pages above the runs')}
      ${
        without === 0
          ? ''
          : html`<p class="soft">
              This order leaves out ${counted(without, 'run')} without a value of ${shown.order!.by}.
            </p>`
      }
      ${rows.length === 0 ? '' : grid(columns, cells, `Runs of ${id}`, { now: shown.order, hrefOf })}
      ${rows.length < total ? pagesOf('Pages below the runs') : ''}`,
  };
}

/** The places of the columns that are shown. If a run has failed, the reasons come after the status. */
function placesOf(columns: readonly ResultColumn[], rows: readonly ResultRow[]): number[] {
  // a model may have an input or output of the same name
  const own = new Map(columns.flatMap(({ name, of }, place) => (of === undefined ? [[name, place]] : [])));
  const reason = own.get(REASON.name)!;
  const left = new Set([reason, ...HIDDEN.map((name) => own.get(name))]);
  const shown = columns.flatMap((_, place) => (left.has(place) ? [] : [place]));
  const hasReason = rows.some((row) => row.reason !== null);
  return hasReason ? shown.toSpliced(shown.indexOf(own.get('status')!) + 1, 0, reason) : shown;
}

/** A column of the grid. Texts and values of several numbers do not sort it. */
function columnOf(column: ResultColumn): Column {
  const isSorted = column.kind === 'number' || column.kind === 'boolean' || column.name === 'finished';
  return {
    title: column.of === undefined ? capitalized(column.name) : titleOf(column),
    by: isSorted ? column.name : undefined,
    isNumber: column.kind === 'number',
  };
}

function cellOf(id: string, column: ResultColumn, cell: string | null, view: URLSearchParams): Cell {
  if (cell === null) return '';
  if (column.name === 'point' && column.of === undefined)
    return html`<a href="${pathOfCampaign(id, `points/${cell}`)}${queryText(view)}"><code>${cell}</code></a>`;
  if (column.type === 'INSTANT') return timeOf(cell);
  return column.kind === 'text' ? shortText(cell) : briefCell(column, cell);
}

/** The address of the grid, without parameters that have no effect. */
function addressOf(id: string, { order, state, from, view }: Shown): string {
  const own = { order: orderText(order), state: state ?? '', from: from === 0 ? '' : String(from) };
  const query = new URLSearchParams([...Object.entries(own).filter(([, text]) => text !== ''), ...view]);
  return `${pathOfCampaign(id, 'runs')}${queryText(query)}`;
}

/** "Runs 201 to 400 of 5,151, page 2 of 26", with links to other pages. @param shown - the number of runs on the page */
function pageLinks(
  label: string,
  { from, count }: Shown,
  shown: number,
  total: number,
  hrefOf: (from: number) => string,
): Markup {
  if (shown === 0)
    return html`<p class="lead">${from === 0 ? 'No run matches.' : 'There is no such page.'}</p>`;
  const text = (number: number): string => number.toLocaleString('en-US');
  const pages = Math.ceil(total / count);
  const runs = shown === 1 ? `Run ${text(from + 1)}` : `Runs ${text(from + 1)} to ${text(from + shown)}`;
  // a page with large outputs may have fewer runs than others
  const isRegular = from % count === 0 && (shown === count || from + shown >= total);
  const page = pages > 1 && isRegular ? `, page ${text(from / count + 1)} of ${text(pages)}` : '';
  const link = (at: number, name: string, rel: string): Markup =>
    html`<a class="button" rel="${rel}" href="${hrefOf(at)}">${name}</a>`;
  return html`<nav class="pages" aria-label="${label}">
    <span>${runs} of ${text(total)}${page}</span>
    ${from > 0 ? link(0, 'First', 'first') : ''}
    ${from > 0 ? link(Math.max(0, from - count), 'Previous', 'prev') : ''}
    ${from + shown < total ? link(from + shown, 'Next', 'next') : ''}
    ${from + shown < total && isRegular ? link((pages - 1) * count, 'Last', 'last') : ''}
  </nav>`;
}

/** The form for the choice of runs and their order. */
function orderForm(campaign: CampaignRecord['campaign'], columns: readonly Column[], shown: Shown): Markup {
  const sorting = [...columns, ...(campaign.derived ?? []).map((by): Column => ({ title: by, by }))];
  const orders: [string, string][] = [
    ['', 'design'],
    ...sorting.flatMap(({ title, by }): [string, string][] =>
      by === undefined
        ? []
        : [
            [orderText({ by, wants: 'lowest' }), `${title}, lowest first`],
            [orderText({ by, wants: 'highest' }), `${title}, highest first`],
          ],
    ),
  ];
  return html`<form class="filter">
    ${otherParameters(shown.view).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <label
      >Order
      <select name="order">
        ${orders.map(([value, name]) => option(value, name, orderText(shown.order)))}
      </select></label
    >
    <label
      >State
      <select name="state">
        ${['', 'done', 'failed'].map((state) => option(state, state || 'all', shown.state ?? ''))}
      </select></label
    >
    ${inputFields(campaign, shown.view)}
    <button>Show</button>
  </form>`;
}

/** A value of a run or of a point, shortened if it is long. */
export function briefCell(column: ResultColumn, cell: string | null): Cell {
  const text = brief(column, cell);
  return column.kind === 'number' ? { number: text } : text;
}

/** Failed runs by cause. */
export function failuresPage(
  request: FastifyRequest,
  { campaign }: CampaignRecord,
  failures: readonly FailureGroup[],
): Page {
  const { id } = campaign;
  const canRetry = maySteer(request);
  const retryPath = pathOfCampaign(id, 'retry');
  const view = viewQuery(request.url);
  return {
    title: `Failures of ${id}`,
    body: html`<h1>${campaign.name}</h1>
      ${tabs(id, 'failures', view)}
      ${filtersIn(view).length > 0 ? html`<p class="lead">Failures of all points.</p>` : ''}
      ${
        failures.length === 0
          ? html`<p class="lead">No run has failed.</p>`
          : html`${
              canRetry
                ? html`<div class="buttons">
                    ${actionForm(request, retryPath, 'Request failed runs again')}
                  </div>`
                : ''
            }
            ${tableOf(
              ['Runs', 'Cause', 'For example', ...(canRetry ? ['Again'] : [])],
              failures.map(({ count, cause, sample, log }) => [
                count,
                html`<div class="reason">${cause}</div>`,
                html`${
                  sample
                    ? html`<a href="${pathOfCampaign(id, `points/${sample.point}`)}${queryText(view)}"
                          ><code>${sample.point}</code></a
                        >, replication ${sample.replication}`
                    : ''
                }
                ${log === null ? '' : logDetails(log)}`,
                ...(canRetry
                  ? [
                      cause === OTHER_CAUSES
                        ? undefined
                        : actionForm(request, retryPath, 'Request these runs again', { cause }),
                    ]
                  : []),
              ]),
            )}`
      }`,
  };
}

/** The page of downloads: the results of the points in the view, the report of all points, and the definition. */
export function downloadsPage({ campaign: { id, name } }: CampaignRecord, view: URLSearchParams): Page {
  const root = API_ROOT + pathOfCampaign(id);
  const filters = filtersIn(view);
  const results = (format: string, shape = ''): string => {
    const inputs = new URLSearchParams(
      filters.map(({ name: input, text }): [string, string] => [`inputs[${input}]`, text]),
    );
    const query = [shape, inputs.toString()].filter(Boolean).join('&');
    return `${root}/results.${format}${query && `?${query}`}`;
  };
  const files: [string, string][] = [
    [results('csv'), 'Results as CSV, one row per run'],
    [results('csv', 'points'), 'Results as CSV, one row per point'],
    [results('parquet'), 'Results as Parquet'],
    [results('jsonl'), 'Results as JSON Lines'],
    [
      `${root}/report.html`,
      filters.length === 0 ? 'The report, one file' : 'The report of all points, one file',
    ],
    [`${root}/definition`, 'The definition'],
  ];
  return {
    title: `Downloads of ${id}`,
    body: html`<h1>${name}</h1>
      ${tabs(id, 'downloads', view)}
      ${
        filters.length === 0
          ? ''
          : html`<p class="lead">
              Results of the points with
              ${filters.map(({ name: input, text }) => `${input}: ${text}`).join('; ')}.
              <a href="${pathOfCampaign(id, 'downloads')}">All points</a>
            </p>`
      }
      <ul>
        ${files.map(([path, what]) => html`<li><a href="${path}" download>${what}</a></li>`)}
      </ul>
      <p class="soft">
        In Python: <code>foray.connect().campaign("${id}").results()</code> (<a href="/reference">API</a>).
      </p>`,
  };
}
