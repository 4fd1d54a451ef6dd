import { allowedText, RANDOM_SEED } from '../../api/index.ts';
import type { ModelAtService } from '../../client/index.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { titleOf } from '../../report/words/words.ts';
import { drawn, POINTS } from './written.ts';

/**
 * A form with a field for each input of a model, except files and the seed of the model. The server writes a definition
 * from these fields. With scripts, this happens while the user types. Without scripts, it happens when the user sends
 * the form.
 */
export function inputsForm({ name, version }: ModelAtService, fields: URLSearchParams): Markup {
  const { inputs, outputs } = version.experimentTemplate;
  const shown = inputs.filter((input) => input.name !== RANDOM_SEED && input.type !== 'INPUT_FILE');
  const field = (label: string, key: string, placeholder: string, note = ''): Markup =>
    html`<label
      >${label} ${note && html`<small class="soft">${note}</small>`}
      <input name="${key}" value="${fields.get(key) ?? ''}" placeholder="${placeholder}"
    /></label>`;
  const kind = fields.get('kind');
  const kept = fields.getAll('output');
  return html`<details class="inputs" open>
    <summary>Inputs of ${name}</summary>
    <form method="get" action="/new" class="inputs" data-plan="/new/written" data-into="#written">
      <input type="hidden" name="model" value="${name}" />
      ${shown.map((input) => field(titleOf(input), `in:${input.name}`, defaultOf(input), allowedText(input) || input.type))}
      <p class="soft">
        One value fixes an input. A list such as 1, 2, 3, or a range with a step such as 1..2/0.25, makes a
        grid. A range without a step such as 1..2, log(1..100) or normal(5, 2) is a distribution to draw from.
        Only a number can have a range. In a list, put a text that contains a comma in quotes: "A, B", C. If
        you choose Morris or Saltelli, a list and a range with a step are the values of that design. Morris
        uses at most four values of an input. The fields write the definition below, until you edit the
        definition yourself.
      </p>
      <label
        >How points are drawn
        <select name="kind">
          ${Object.entries(drawn).map(
            ([key, { name: title }]) =>
              html`<option value="${key}" ${key === kind ? html`selected` : ''}>${title}</option>`,
          )}
        </select></label
      >
      ${field('Number of points', 'points', `${POINTS}`)} ${field('Replications', 'replications', '1')}
      ${field('Until precise', 'relative', '0.05', 'largest half-width of the interval, as a share of the mean of the first output')}
      ${field('Seed', 'seed', 'as in the model')}
      <fieldset>
        <legend>Outputs that are kept <small class="soft">all, if none is chosen</small></legend>
        ${outputs.map(
          (output) =>
            html`<label
              ><input
                type="checkbox"
                name="output"
                value="${output.name}"
                ${kept.includes(output.name) ? html`checked` : ''}
              />
              ${titleOf(output)}</label
            >`,
        )}
      </fieldset>
      <p class="buttons">
        <button>Write the definition</button>
        <noscript>Press this before you start a campaign with these values.</noscript>
      </p>
    </form>
  </details>`;
}

function defaultOf({ value }: { value: unknown }): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
