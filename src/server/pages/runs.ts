import { Batched } from '../../batched.ts';
import type { Explanation, FailureGroup } from '../../client/index.ts';
import type { FastifyRequest } from 'fastify';
import type { Unit } from '../../api/index.ts';
import { OTHER_CAUSES } from '../../campaign/failures.ts';
import { measuresOf } from '../../campaign/measures.ts';
import { type Column, outputColumn } from '../../report/tables/column-types.ts';
import { precisionText } from '../../report/words/precision-words.ts';
import { logDetails } from '../../report/html/failures-section.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { brief, titleOf, unitText } from '../../report/words/words.ts';
import { resultTable } from '../../report/tables/result-table.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { tabs } from './campaign.ts';
import { act, type Cell, type Page, pathOfCampaign, tableOf } from './layout.ts';
import { filterFields, inputFields } from './view.ts';

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
  const option = (value: string, name: string, chosen: string): Markup =>
    html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${name}</option>`;
  const show = shown.view.getAll('show');
  return html`<form class="filter">
    ${show.map((name) => html`<input type="hidden" name="show" value="${name}" />`)}
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

/**
 * The page of a point: its inputs, and its runs with their outputs and logs.
 *
 * @param animated - the numbers of the model's versions whose runs can be animated
 */
export function pointPage(
  request: FastifyRequest,
  { campaign: { outputs } }: CampaignRecord,
  { campaign, point, place, inputs, runs, asks, precision }: Explanation,
  animated: ReadonlySet<number>,
): Page {
  const columns = outputs.map(outputColumn).filter(({ name }) => runs.some((run) => name in run.outputs));
  return {
    title: `Point ${point} of ${campaign}`,
    body: html`<h1>Point <code>${point}</code></h1>
      ${tabs(campaign, 'point')}
      <p class="lead">
        ${place === null ? 'The design no longer has this point.' : `Number ${place.toLocaleString('en-US')} of the ${asks.length > 0 ? 'points that were asked for' : 'design'}.`}
      </p>
      ${asks.map(
        ({ of, ask, by, told }) =>
          html`<p>
            Ask ${ask} of the ${of}, by
            ${by}${told === null ? '' : told.value === null ? `: the point failed${told.failure === null ? '' : `, because ${told.failure}`}` : `: ${of === 'calibration' ? 'distance ' : ''}${told.value}`}.
          </p>`,
      )}
      ${precision.map((one) => html`<p>${precisionText(one)}.</p>`)}
      <h2>Inputs</h2>
      ${tableOf(
        ['Input', 'Value', 'Units', 'Varied'],
        inputs.map(({ name, value, units, file, isVaried }) => [
          name,
          file ?? value,
          units ? unitText(units as Unit) : '',
          isVaried ? 'yes' : '',
        ]),
      )}
      <h2>Runs</h2>
      ${tableOf(
        [
          ...['Replication', 'State', ...columns.map(titleOf)],
          ...['Why', 'Animation', 'Seed', 'Requested', 'Finished'],
        ],
        runs.map(({ replication, state, outputs, version, seed, requested, finished, why, log }) => [
          replication,
          state,
          ...columns.map((column) => briefCell(column, outputs[column.name] ?? null)),
          html`<div class="reason">${why}</div>
            ${log === null ? '' : logDetails(log)}`,
          animated.has(version)
            ? act(request, pathOfCampaign(campaign, `points/${point}/animation/${replication}`), 'Animate')
            : undefined,
          seed ?? '',
          requested ? timeOf(requested) : '',
          finished ? timeOf(finished) : '',
        ]),
      )}`,
  };
}

/** A table cell with a shortened value. */
function briefCell(column: Column, cell: string | null): Cell {
  const text = brief(column, cell);
  return column.kind === 'number' ? { number: text } : text;
}

/** A time to the second. @param at - ISO 8601 */
function timeOf(at: string): Markup {
  return html`<time datetime="${at}">${at.slice(0, 10)}<br />${at.slice(11, 19)} UTC</time>`;
}

/** The page of an animated run. This run has the inputs of a replication of a point. */
export function animationPage(
  { id, key, replication }: { id: string; key: string; replication: string },
  address: string | undefined,
): Page {
  return {
    title: `Animation of ${key}`,
    body: html`<h1>Animation</h1>
      <p class="lead">
        The service animates a run with the inputs of replication ${replication} of the point
        <code>${key}</code>. The animation ends when nobody has watched it for some minutes.
      </p>
      <p class="buttons">
        ${
          address === undefined
            ? 'The service gave no address for this animation.'
            : html`<a class="button" href="${address}" target="_blank" rel="noopener">Open the animation</a>`
        }
        <a class="button" href="${pathOfCampaign(id, `points/${key}`)}">Back to the point</a>
      </p>`,
  };
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
        ${files.map(([path, what]) => html`<li><a href="${path}" download>${what}</a></li>`)}
      </ul>
      <p class="soft">
        In Python: <code>foray.connect().campaign("${id}").results()</code> (<a href="/reference">API</a>).
      </p>`,
  };
}
