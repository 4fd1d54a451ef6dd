import { questions } from '../../campaign/question.ts';
import { kinds } from '../../campaign/designs/index.ts';
import type { Fields } from '../../campaign/form/fields.ts';
import { wayOf, ways } from '../../campaign/form/form.ts';
import { html, type Markup } from '../../report/html/markup.ts';

/** The kinds of designs that no field shows. */
const WRITTEN_ONLY = kinds.filter((kind) => !ways.some(({ name }) => name === kind));

/**
 * The choice of the question and of the way to its answer.
 *
 * @param notShown - the settings of the definition that no field shows
 * @param chosen - the way that a person has chosen, and that the fields do not have yet
 */
export function wayChoice(fields: Fields, notShown: readonly string[], chosen?: string): Markup {
  const written = WRITTEN_ONLY.map((kind) => `design.${kind}`).find((one) => notShown.includes(one));
  const wayOfFields = wayOf(fields);
  // without a way, the fields have one point, but not if the definition has a design that they do not show
  const isOther = wayOfFields === '' && written !== undefined;
  const way = chosen ?? (isOther ? undefined : wayOfFields);
  return html`<fieldset class="ways">
    <legend>What do you want to know?</legend>
    ${written === undefined ? '' : html`<p>As in the definition: <code>${written}</code>. Remove it there to choose another way.</p>`}
    ${Object.entries(questions).map(
      ([question, title]) =>
        html`<fieldset>
          <legend>${title}</legend>
          ${ways
            .filter((one) => one.question === question)
            .map(
              ({ name, title: own }) =>
                html`<label
                  ><input
                    type="radio"
                    name="way"
                    value="${name}"
                    ${name === way ? html`checked` : ''}
                    ${written === undefined ? '' : html`disabled`}
                  />
                  ${own}</label
                >`,
            )}
        </fieldset>`,
    )}
    <div>
      <span class="question">Compare</span>
      <a href="/compare">Two campaigns</a>
    </div>
  </fieldset>`;
}
