import type { FastifyRequest } from 'fastify';
import { allowedText } from '../../api/index.ts';
import type { ModelAtService, SingleRun } from '../../client/index.ts';
import { outputColumn } from '../../report/tables/column-types.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { maySteer } from '../keys.ts';
import { brief, titleOf, typeText, unitText } from '../../report/words/words.ts';
import { tableOf } from './grid.ts';
import { formScript, type Page } from './layout.ts';
import { type Part, partOf } from './page-parts.ts';
import { INPUT } from './view.ts';

/** The interval between requests for the state of an unfinished run, ms. */
const SOON = 1_000;
/** Maximum number of characters of an output on a page. A curve may have thousands. */
const MOST_TEXT = 2_000;

/** The models of the service, each with the inputs and outputs of its newest version. */
export function modelsPage(request: FastifyRequest, models: readonly ModelAtService[]): Page {
  return {
    title: 'Models',
    body: html`<h1>Models</h1>
      ${models.map(
        (model) =>
          html`<section>
            <h2><a href="${pathOfModel(model)}">${model.name}</a></h2>
            ${head(request, model)}
            <details>
              <summary>Inputs and outputs</summary>
              ${inputsTable(model)} ${outputsTable(model)}
            </details>
          </section>`,
      )}`,
  };
}

/** The page of a model, with a form for a single run. @param run - a single run, which the page shows too */
export function modelPage(
  request: FastifyRequest,
  model: ModelAtService,
  run: { id: string; found: SingleRun } | undefined,
  {
    values = new URLSearchParams(),
    message,
  }: { values?: URLSearchParams; message?: Markup | undefined } = {},
): Page {
  const part = run && runPart(run.found);
  return {
    title: model.name,
    ...(run && {
      live: {
        path: `${pathOfModel(model)}/runs/${encodeURIComponent(run.id)}/live`,
        parts: [part!],
        next: nextLookAt(run.found),
      },
      isIncomplete: nextLookAt(run.found) > 0,
    }),
    body: html`<h1>${model.name}</h1>
      ${head(request, model)} ${inputsTable(model)} ${outputsTable(model)}
      ${
        maySteer(request)
          ? html`<h2 id="try">Try one run</h2>
              ${message} ${tryForm(model, values)}`
          : ''
      }
      ${part?.markup}`,
  };
}

/** The state of a single run, with its outputs. */
export function runPart({ status, reason, outputs }: SingleRun): Part {
  const words = {
    FRESH: 'queued',
    RUNNING: 'running',
    COMPLETED: 'done',
    FAILED: 'failed',
    STOPPED: 'stopped',
  };
  return partOf(
    'run',
    html`<div id="run">
      <h2>The run</h2>
      <p>
        <span class="phase">${words[status]}</span>
        ${reason === null ? '' : html`<span class="reason bad">${reason}</span>`}
      </p>
      ${
        outputs.length === 0
          ? ''
          : tableOf(
              ['Output', 'Value'],
              outputs.map((output) => [titleOf(output), textOf(output)]),
            )
      }
    </div>`,
  );
}

/** The time until the page requests the state of a run again, ms; 0 if the run has finished. */
export function nextLookAt({ status }: SingleRun): number {
  return status === 'FRESH' || status === 'RUNNING' ? SOON : 0;
}

export function pathOfModel({ name }: Pick<ModelAtService, 'name'>): string {
  return `/models/${encodeURIComponent(name)}`;
}

function head(
  request: FastifyRequest,
  { name, description, modelVersions, version, experiments }: ModelAtService,
): Markup {
  return html`<p class="soft">
      Version ${version.version}, of ${modelVersions.length} in all.
      ${experiments.length === 0 ? '' : `Experiments: ${experiments.map((one) => one.name).join(', ')}.`}
    </p>
    ${description ? html`<p>${description}</p>` : ''}
    ${
      maySteer(request)
        ? html`<p class="buttons">
            <a class="button" href="/new?model=${encodeURIComponent(name)}">New campaign</a>
            <a class="button" href="${pathOfModel({ name })}#try">Try one run</a>
          </p>`
        : ''
    }`;
}

function inputsTable({ name, version }: ModelAtService): Markup {
  return tableOf(
    ['Input', 'Type', 'Units', 'Allowed', 'Default'],
    version.experimentTemplate.inputs.map((input) => [
      input.name,
      typeText(input.type),
      input.units ? unitText(input.units) : '',
      allowedText(input),
      input.value,
    ]),
    `Inputs of ${name}`,
  );
}

function outputsTable({ name, version }: ModelAtService): Markup {
  return tableOf(
    ['Output', 'Type', 'Units'],
    version.experimentTemplate.outputs.map(({ name: output, type, units }) => [
      output,
      typeText(type),
      units ? unitText(units) : '',
    ]),
    `Outputs of ${name}`,
  );
}

/** The form for a single run. The fields have the given values, and otherwise the defaults of the inputs. */
function tryForm(model: ModelAtService, values: URLSearchParams): Markup {
  const files = model.version.experimentTemplate.inputs.filter(({ type }) => type === 'INPUT_FILE');
  return html`${
      files.length === 0
        ? ''
        : html`<p class="soft">
            A run from this page has no file for ${files.map(({ name }) => name).join(', ')}. A campaign can
            give files.
          </p>`
    }
    <form method="post" action="${pathOfModel(model)}/runs" class="inputs" data-keep>
      ${model.version.experimentTemplate.inputs
        .filter(({ type }) => type !== 'INPUT_FILE')
        .map(
          (input) =>
            html`<label
              >${titleOf(input)} <small class="soft">${allowedText(input) || typeText(input.type)}</small>
              <input name="${INPUT}${input.name}" value="${values.get(INPUT + input.name) ?? input.value}"
            /></label>`,
        )}
      <button class="main">Run it</button>
    </form>
    ${formScript}`;
}

function textOf(output: SingleRun['outputs'][number]): Markup | string {
  // the model has given no value
  if (output.value === 'null') return '';
  const column = outputColumn(output);
  if (column.kind !== 'json') return brief(column, output.value);
  return html`<details>
    <summary>${output.value.length.toLocaleString('en-US')} characters</summary>
    <pre tabindex="0">${output.value.slice(0, MOST_TEXT)}</pre>
  </details>`;
}
