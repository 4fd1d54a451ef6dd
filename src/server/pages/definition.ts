import type { FastifyRequest } from 'fastify';
import type { Difference, ModelAtService, Plan } from '../../client/index.ts';
import { durationText } from '../../report/html/campaign-section.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { searchPlanText } from '../../report/words/search-words.ts';
import { counted } from '../../report/words/words.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { etagOf } from '../api/etag.ts';
import { tabs } from './campaign.ts';
import { inputsForm } from './inputs-form.ts';
import { type Page, pathOfCampaign, tableOf } from './layout.ts';

/** A text field for a definition. Each mistake has a link that selects its line in the field. */
function editor(text: string): Markup {
  return html`<label class="editor"
    >Definition
    <textarea
      name="definition"
      rows="${Math.min(40, text.split('\n').length + 3)}"
      spellcheck="false"
      data-lines
    >
${text}</textarea>
  </label>`;
}

/** A text that a user writes to change a definition. */
interface Draft {
  text: string;
  /** The entity tag of the definition that the user knows. */
  etag: string;
  message?: Markup | undefined;
}

/** The page with the definition of a campaign. Users who may steer can change the definition in a form. */
export function definitionPage(
  request: FastifyRequest,
  { campaign, definition }: CampaignRecord,
  { text, etag, message }: Draft = { text: definition, etag: etagOf(definition) },
): Page {
  const { id } = campaign;
  const path = pathOfCampaign(id, 'definition');
  return {
    title: `Definition of ${id}`,
    body: html`<h1>${campaign.name}</h1>
      ${tabs(id, 'definition')} ${message}
      ${
        request.access?.role === 'steer'
          ? html`<form method="post" action="${path}">
              ${editor(text)}
              <input type="hidden" name="etag" value="${etag}" />
              <p class="buttons"><button name="do" value="compare">Show the difference</button></p>
            </form>`
          : html`<pre tabindex="0">${text}</pre>`
      }`,
  };
}

/**
 * The page that shows what a changed definition would change, with a button that applies it.
 *
 * @param isOvertaken - whether somebody has changed the definition since the user opened it
 */
export function differencePage(
  request: FastifyRequest,
  record: CampaignRecord,
  text: string,
  difference: Difference,
  isOvertaken: boolean,
): Page {
  const etag = etagOf(record.definition);
  const { points, replications, outputs, settings, version } = difference;
  const rows: [string, string][] = [
    ['Points', `${points.added} added, ${points.dropped} dropped, ${points.kept} kept`],
    [
      'Replications',
      replications.from === replications.to
        ? `${replications.to}`
        : `${replications.from} to ${replications.to}`,
    ],
    [
      'Outputs',
      [...outputs.added.map((name) => `+ ${name}`), ...outputs.dropped.map((name) => `− ${name}`)].join(', '),
    ],
    ['Settings', settings.join(', ')],
    ['Version', version ? `${version.from} to ${version.to}` : ''],
  ];
  const path = pathOfCampaign(record.campaign.id, 'definition');
  const warning = html`<p class="bad" role="alert">
    Somebody has changed the definition since you opened this page. Nothing is applied yet. Below is the
    difference from the <a href="${path}" target="_blank">current definition</a>. If you apply your text, it
    replaces the other change.
  </p>`;
  const message = html`<div class="difference">
    ${isOvertaken ? warning : ''}
    <h2>What would change</h2>
    ${tableOf(
      ['', ''],
      rows.map(([name, value]) => [name, value || 'no change']),
    )}
    <form method="post" action="${path}">
      <input type="hidden" name="definition" value="${text}" />
      <input type="hidden" name="etag" value="${etag}" />
      <p class="buttons"><button name="do" value="apply">Apply</button></p>
    </form>
  </div>`;
  return definitionPage(request, record, { text, etag, message });
}

interface Written {
  text?: string | undefined;
  message?: Markup | undefined;
  id?: string;
}

/** The page of a new campaign: choose a model, then write the definition and see the plan. */
export function newPage(
  request: FastifyRequest,
  models: readonly { name: string }[],
  {
    text,
    message,
    id = '',
    model,
  }: Written & {
    /** The model whose inputs the form shows. */
    model?: ModelAtService;
  },
): Page {
  return {
    title: 'New campaign',
    body: html`<h1>New campaign</h1>
      ${text === '' ? html`<p class="lead">Begin with the inputs of a model, or write the definition yourself.</p>` : ''}
      <form class="filter">
        <label
          >Model
          <select name="model">
            ${models.map(({ name }) => html`<option ${name === model?.name ? html`selected` : ''}>${name}</option>`)}
          </select></label
        >
        <button>Begin with its inputs</button>
      </form>
      ${model === undefined || request.access?.role !== 'steer' ? '' : inputsForm(model, new URL(request.url, 'http://any').searchParams)}
      <div id="written">
        ${
          request.access?.role === 'steer'
            ? writtenForm({ text, message, id })
            : html`<p class="lead">Your key may read, but not start campaigns.</p>`
        }
      </div>`,
  };
}

/**
 * The form for a definition, with buttons that plan or start the campaign. Above the form is the plan, or the mistakes.
 */
export function writtenForm({ text, message, id = '' }: Written): Markup {
  return html`<div id="plan" role="status">${message}</div>
    ${
      text === undefined
        ? ''
        : html`<form method="post" action="/new" data-plan="/new/plan" data-into="#plan">
            ${editor(text)}
            <label
              >Id of this campaign (default: the name in the definition, with a suffix)
              <input name="id" value="${id}"
            /></label>
            <p class="buttons">
              <button name="do" value="plan">Plan</button>
              <button name="do" value="start" class="main">Start</button>
            </p>
          </form>`
    }`;
}

/** The plan as a short text. */
export function planAnswer(plan: Plan): Markup {
  const { points, repeats, mostPoints, runs, mostRuns, there, expectedSeconds, mostSeconds } = plan;
  const { warnings, design, strategy } = plan;
  const upTo = (least: number, most: number): string =>
    least === most
      ? least.toLocaleString('en-US')
      : `${least.toLocaleString('en-US')} to ${most.toLocaleString('en-US')}`;
  const time =
    expectedSeconds === null
      ? 'the time is not known yet'
      : `about ${durationText(expectedSeconds * 1_000)}${mostSeconds === null || mostSeconds === expectedSeconds ? '' : `, at most ${durationText(mostSeconds * 1_000)}`}`;
  const size =
    strategy.by === 'search'
      ? searchPlanText(points, mostRuns, strategy.confirm)
      : `${upTo(points, mostPoints)} ${repeats > 0 ? 'different ' : ''}${mostPoints === 1 ? 'point' : 'points'}, ${upTo(runs, mostRuns)} ${mostRuns === 1 ? 'run' : 'runs'}, ${counted(there, 'of them exists', 'of them exist')} already`;
  return html`<div class="answer">
    ${size}; ${time}. ${design.map((line) => html`<br />${line}`)}
    ${warnings.map((line) => html`<br /><span class="bad">${line}</span>`)}
  </div>`;
}
