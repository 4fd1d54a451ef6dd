import type { FastifyRequest } from 'fastify';
import type { Form } from '../../campaign/form/form.ts';
import { type FormModel, formShape } from '../../campaign/form/shape.ts';
import { isMeasured } from '../../campaign/measures.ts';
import type { Difference, ModelAtService, Plan } from '../../client/index.ts';
import type { ForayError } from '../../errors.ts';
import { durationText } from '../../report/html/campaign-section.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { maySteer } from '../keys.ts';
import { searchPlanText } from '../../report/words/search-words.ts';
import { counted } from '../../report/words/words.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { etagOf } from '../api/etag.ts';
import { tabs } from './campaign.ts';
import { CONTROL, FormFields, MODEL } from './form.ts';
import { MOST_ON_PAGE, option } from './form-parts.ts';
import { wayChoice } from './way-choice.ts';
import { tableOf } from './grid.ts';
import { formScript, type Page, pathOfCampaign } from './layout.ts';
import { mistakeList } from './problem.ts';
import { viewQuery } from './view.ts';

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
  draft?: Draft,
): Page {
  const { text, etag, message }: Draft = draft ?? { text: definition, etag: etagOf(definition) };
  const { id } = campaign;
  const path = pathOfCampaign(id, 'definition');
  return {
    title: `Definition of ${id}`,
    body: html`<h1>${campaign.name}</h1>
      ${tabs(id, 'definition', viewQuery(request.url))} ${message}
      ${
        text.length > MOST_ON_PAGE
          ? html`<p class="soft">
              The definition has ${text.length.toLocaleString('en-US')} characters, and these are the first
              ${MOST_ON_PAGE.toLocaleString('en-US')}.
              <a href="${pathOfCampaign(id, 'downloads')}">Downloads</a> has all of it, and "foray apply"
              changes it.
            </p>`
          : ''
      }
      ${
        maySteer(request) && text.length <= MOST_ON_PAGE
          ? html`<form method="post" action="${path}" data-keep ${draft && html`data-posted`}>
                ${editor(text)}
                <input type="hidden" name="etag" value="${etag}" />
                <p class="buttons"><button name="do" value="compare">Show the difference</button></p>
              </form>
              ${formScript}`
          : html`<pre tabindex="0">${text.slice(0, MOST_ON_PAGE)}</pre>`
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

/** What the form of a new campaign shows. */
export interface NewCampaign {
  form: Form;
  /** The way that a person has chosen while the definition cannot be read; otherwise undefined. */
  way?: string | undefined;
  /** The model of the form; undefined if the service does not have it, or does not answer. */
  model: ModelAtService | undefined;
  models: readonly { name: string }[];
  id: string;
  /** Made with the page, so that the server knows a form that comes twice. */
  token: string;
  /** The files that a person has uploaded, each as a text: its name, a colon, and its content in Base64. */
  contents: readonly string[];
  /** The plan, or what is wrong. */
  message: Markup | undefined;
  mistakes: readonly ForayError[];
  /** Whether the message or the mistakes say that something is wrong. */
  isWrong: boolean;
}

export function newPage(shown: NewCampaign, isPosted = false): Page {
  return {
    title: 'New campaign',
    body: html`<h1>New campaign</h1>
      ${campaignForm(shown, isPosted)} ${formScript}`,
  };
}

/**
 * The form of a new campaign: the question, the fields, the same as a definition, and the plan or the mistakes. The
 * server brings fields and definition together. With scripts, this happens while a person types.
 */
export function campaignForm(
  { form, way, model, models, id, token, contents, message, mistakes }: NewCampaign,
  isPosted = false,
): Markup {
  const { text, was, fields, notShown } = form;
  const name = fields.get(MODEL) ?? '';
  const known = models.some((one) => one.name === name) || name === '' ? models : [...models, { name }];
  const drawn = new FormFields(formShape(formModelOf(model)), fields, {
    mistakes,
    experiments: model?.experiments.map((one) => one.name) ?? [],
  });
  const markup = drawn.markup();
  return html`<form
    id="form"
    method="post"
    action="/new"
    enctype="multipart/form-data"
    data-form="/new/form"
    data-keep
    ${isPosted ? html`data-posted` : ''}
  >
    <div class="fields">
      <label
        >Model
        <select name="${CONTROL}${MODEL}">
          ${name === '' ? option('', 'not chosen', name) : ''}
          ${known.map((one) => option(one.name, one.name, name))}
        </select></label
      >
    </div>
    ${wayChoice(fields, notShown, way)}
    <noscript
      ><p class="buttons"><button name="do" value="show">Show the fields</button></p></noscript
    >
    <div id="fields">
      ${markup}
      <datalist id="outputs">
        ${model?.version.experimentTemplate.outputs.filter(isMeasured).map(({ name: output }) => html`<option value="${output}"></option>`)}
      </datalist>
    </div>
    <details id="written" open>
      <summary>The same as a definition</summary>
      ${
        notShown.length === 0
          ? ''
          : html`<p class="soft">
              The fields do not show: ${notShown.map((one) => html`<code>${one}</code> `)}
            </p>`
      }
      ${editor(text)}
      <input type="hidden" name="was" value="${was}" />
      ${contents.map((content) => html`<input type="hidden" name="content" value="${content}" />`)}
    </details>
    <div class="fields">
      <label
        >Id of this campaign <small class="soft">by default its name with a suffix</small>
        <input name="id" value="${id}"
      /></label>
      <input type="hidden" name="token" value="${token}" />
    </div>
    <div id="plan" role="status">${message} ${mistakeList(mistakes, (one) => drawn.placeOf(one))}</div>
    <p class="buttons">
      <button name="do" value="plan">Plan</button>
      <button name="do" value="start" class="main">Start</button>
    </p>
  </form>`;
}

/** What the form needs to know of a model. */
export function formModelOf(model: ModelAtService | undefined): FormModel {
  const { inputs = [], outputs = [] } = model?.version.experimentTemplate ?? {};
  return {
    name: model?.name ?? '',
    inputs,
    outputs: outputs.map(({ name, type }) => ({ name, type })),
  };
}

/** The plan as a short text. */
export function planAnswer(plan: Plan): Markup {
  const { points, repeats, mostPoints, runs, mostRuns, there, expectedSeconds, mostSeconds } = plan;
  const { warnings, design, strategy } = plan;
  const upTo = (least: number, most: number): string =>
    least === most
      ? least.toLocaleString('en-US')
      : `${least.toLocaleString('en-US')} to ${most.toLocaleString('en-US')}`;
  const hasMost = mostSeconds !== null && mostSeconds !== expectedSeconds;
  const time =
    expectedSeconds === null
      ? 'the time is not known yet'
      : `about ${durationText(expectedSeconds * 1_000)}${hasMost ? `, at most ${durationText(mostSeconds * 1_000)}` : ''}`;
  const pointsText = `${upTo(points, mostPoints)} ${repeats > 0 ? 'different ' : ''}${mostPoints === 1 ? 'point' : 'points'}`;
  const runsText = `${upTo(runs, mostRuns)} ${mostRuns === 1 ? 'run' : 'runs'}`;
  const size =
    strategy.by === 'search'
      ? searchPlanText(points, mostRuns, strategy.confirm)
      : `${pointsText}, ${runsText}, ${counted(there, 'of them exists', 'of them exist')} already`;
  return html`<div class="answer">
    ${size}; ${time}. ${design.map((line) => html`<br />${line}`)}
    ${warnings.map((line) => html`<br /><span class="bad">${line}</span>`)}
  </div>`;
}
