import { isForayError } from '../../errors.ts';
import { html, type Markup } from '../../report/markup.ts';
import { problemOf } from '../problems.ts';

/**
 * What is wrong with what a form has sent, a line a mistake, to be shown above the form.
 * @throws what is no mistake of a person
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
