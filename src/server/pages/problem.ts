import { isForayError } from '../../errors.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { problemOf } from '../problems.ts';

/**
 * A list of the mistakes in a form. It stands above the form.
 *
 * @throws any error that is not a ForayError
 */
export function mistakesIn(error: unknown): Markup {
  if (!isForayError(error)) throw error;
  const { others = [], ...first } = problemOf(error);
  return html`<ul class="mistakes" role="alert">
    ${[first, ...others].map(
      ({ line, column, path, detail, hint }) =>
        html`<li>
          ${line === undefined ? (path ? html`<code>${path}</code>: ` : '') : html`<a href="#line-${line}">Line ${line}, column ${column ?? 1}</a>: `}
          ${detail} ${hint ?? ''}
        </li>`,
    )}
  </ul>`;
}
