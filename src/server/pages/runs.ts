import { Batched } from '../../batched.ts';
import type { FailureGroup } from '../../client/index.ts';
import type { FastifyRequest } from 'fastify';
import { OTHER_CAUSES } from '../../campaign/failures.ts';
import { measuresOf } from '../../campaign/measures.ts';
import type { Column } from '../../report/tables/column-types.ts';
import { logDetails } from '../../report/html/failures-section.ts';
import { shortText } from '../../report/html/cells.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { brief, titleOf } from '../../report/words/words.ts';
import { resultTable } from '../../report/tables/result-table.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { tabs } from './campaign.ts';
import { option } from './form-parts.ts';
import { act, type Cell, type Page, pathOfCampaign, tableOf } from './layout.ts';
import { filterFields, inputFields, otherFields } from './view.ts';

/**
 * The order of a table of runs. '' means the order of the design. 'last' shows only the few hundred finished runs that
 * come last in the order of requests. They are sorted by their end, the latest end first. An object means the order of
 * an output's values.
 */
export type RunOrder = '' | 'last' | { wants: 'lowest' | 'highest'; output: string };

/** The choice of runs in the address of the page. */
interface Shown {
  order: string;
  state: string;
  view: URLSearchParams;
}

/** Parses an order in an address: "", "last", "lowest:OUTPUT" or "highest:OUTPUT". */
export function orderIn(text: string): RunOrder {
  const [, wants, output] = /^(lowest|highest):(.+)$/s.exec(text) ?? [];
  if (wants) return { wants: wants as 'lowest' | 'highest', output: output! };
  return text === 'last' ? 'last' : '';
}

/**
 * The page of finished runs as a table.
 *
 * @param next - the query of the next page; null if there is none
 * @param shown - the choice of runs
 */
export async function runsPage(
  { campaign }: CampaignRecord,
  rows: readonly ResultRow[],
  next: string | null,
  shown: Shown,
): Promise<Page> {
  const { id } = campaign;
  const table = resultTable(campaign, Batched.of(rows), { all: false });
  const cells: Cell[][] = [];
  for await (const row of table.rows) {
    cells.push(
      row.map((cell, at) => {
        const column = table.columns[at]!;
        return column.name === 'point' && at === 0
          ? html`<a href="${pathOfCampaign(id, `points/${cell ?? ''}`)}"><code>${cell ?? ''}</code></a>`
          : column.kind === 'text'
            ? shortText(cell ?? '')
            : briefCell(column, cell);
      }),
    );
  }
  return {
    title: `Runs of ${id}`,
    body: html`<h1>${campaign.name}</h1>
      ${tabs(id, 'runs', shown.view)} ${orderForm(campaign, shown)}
      ${
        cells.length === 0
          ? html`<p class="lead">${next === null ? 'No run matches.' : 'No run on this page matches.'}</p>`
          : tableOf(table.columns.map(titleOf), cells)
      }
      ${
        next === null
          ? ''
          : html`<p>
              <a class="button" rel="next" href="${pathOfCampaign(id, 'runs')}?${next}">Next page</a>
            </p>`
      }`,
  };
}

/** The form for the choice of runs and their order. */
function orderForm(campaign: CampaignRecord['campaign'], shown: Shown): Markup {
  const outputs = measuresOf(campaign).map(({ name }) => name);
  const orders: [string, string][] = [
    ['', 'design'],
    ['last', 'finished last'],
    ...outputs.flatMap((name): [string, string][] => [
      [`lowest:${name}`, `lowest ${name}`],
      [`highest:${name}`, `highest ${name}`],
    ]),
  ];
  return html`<form class="filter">
    ${otherFields(shown.view).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <label
      >Order
      <select name="order">
        ${orders.map(([value, name]) => option(value, name, shown.order))}
      </select></label
    >
    <label
      >State (only in the order of the design)
      <select name="state">
        ${['', 'done', 'failed'].map((state) => option(state, state || 'all', shown.state))}
      </select></label
    >
    ${inputFields(campaign, shown.view)}
    <button>Show</button>
  </form>`;
}

/** A table cell with a shortened value. */
export function briefCell(column: Column, cell: string | null): Cell {
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
  return {
    title: `Failures of ${id}`,
    body: html`<h1>${campaign.name}</h1>
      ${tabs(id, 'failures')}
      ${
        failures.length === 0
          ? html`<p class="lead">No run has failed.</p>`
          : html`<div class="buttons">
                ${act(request, pathOfCampaign(id, 'retry'), 'Request failed runs again')}
              </div>
              ${tableOf(
                ['Runs', 'Cause', 'For example', ''],
                failures.map(({ count, cause, sample, log }) => [
                  count,
                  html`<div class="reason">${cause}</div>`,
                  html`${
                    sample
                      ? html`<a href="${pathOfCampaign(id, `points/${sample.point}`)}"
                            ><code>${sample.point}</code></a
                          >, replication ${sample.replication}`
                      : ''
                  }
                  ${log === null ? '' : logDetails(log)}`,
                  cause === OTHER_CAUSES
                    ? undefined
                    : act(request, pathOfCampaign(id, 'retry'), 'Request these runs again', { cause }),
                ]),
              )}`
      }`,
  };
}

/** The name of a downloaded file, such as `flu-results.csv`. The definition is YAML. */
function fileName(id: string, path: string): string {
  const name = path.split('?')[0]!.split('/').at(-1)!;
  return `${id}-${name.includes('.') ? name : `${name}.yaml`}`;
}

/** The page of downloads: the results of the points in the view, the report of all points, and the definition. */
export function downloadsPage({ campaign: { id, name } }: CampaignRecord, view: URLSearchParams): Page {
  const root = `/api/v1/campaigns/${encodeURIComponent(id)}`;
  const filters = filterFields(view);
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
        ${files.map(([path, what]) => html`<li><a href="${path}" download="${fileName(id, path)}">${what}</a></li>`)}
      </ul>
      <p class="soft">
        In Python: <code>foray.connect().campaign("${id}").results()</code> (<a href="/reference">API</a>).
      </p>`,
  };
}
