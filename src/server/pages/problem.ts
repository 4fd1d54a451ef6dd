import { type ForayError, isForayError, type Place } from '../../errors.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { DEFINITION } from '../jobs/with-definition.ts';
import { problemOf } from '../problems.ts';
import { ServerError } from '../server-error.ts';

/**
 * The mistakes in a form as a list above the form.
 *
 * @throws any error that is neither a ForayError nor a ServerError
 */
export function mistakesIn(error: unknown): Markup {
  // `with([])` is the same error without the others
  if (isForayError(error)) return mistakeList([error.with([]), ...error.others])!;
  if (!(error instanceof ServerError)) throw error;
  const { detail, hint } = problemOf(error);
  return html`<ul class="mistakes" role="alert">
    <li>${detail} ${hint ?? ''}</li>
  </ul>`;
}

/**
 * A list of mistakes. Each has a link to its field, or to its line in the definition.
 *
 * @param fieldOf - the id of the field with a mistake; undefined if no field has it
 */
export function mistakeList(
  mistakes: readonly ForayError[],
  fieldOf: (mistake: ForayError) => string | undefined = () => undefined,
): Markup | undefined {
  if (mistakes.length === 0) return undefined;
  return html`<ul class="mistakes" role="alert">
    ${mistakes.map((mistake) => {
      const { message, hint, place } = mistake;
      const field = fieldOf(mistake);
      const line = place && placeOf(place);
      return html`<li>
        ${line} ${message} ${hint ?? ''}
        ${field === undefined ? '' : html`<a href="#${encodeURI(field)}">To its field</a>`}
      </li>`;
    })}
  </ul>`;
}

/** The place of a mistake. The page has only the lines of the definition, and not those of its files. */
function placeOf(place: Place): Markup {
  if (!('line' in place)) return html`<code>${place.path}</code>: `;
  const { file, line, column } = place;
  return file === DEFINITION
    ? html`<a href="#line-${line}">Line ${line}, column ${column}</a>: `
    : html`<code>${file}</code>, line ${line}, column ${column}: `;
}
