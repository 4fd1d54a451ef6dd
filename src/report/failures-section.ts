import type { Campaign } from '../campaign/types.ts';
import type { FailureGroup } from './failures.ts';
import { html, type Markup } from './markup.ts';
import { placeOf } from './sections.ts';

/** Failed runs by cause, each with one of them. */
export function failuresSection({ varied }: Campaign, failures: readonly FailureGroup[]): Markup {
  return html`<section>
    <h2>Failures</h2>
    <p class="soft">
      Runs that failed, by cause: what the reasons that the service gave have in common, apart from numbers
      and ids.
    </p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th class="number">Runs</th>
            <th>Cause</th>
            <th>For example</th>
          </tr>
        </thead>
        <tbody>
          ${failures.map(
            ({ cause, count, sample }) =>
              html`<tr>
                <td class="number">${count.toLocaleString('en-US')}</td>
                <td class="reason">${cause}</td>
                <td>${sample ? exampleOf(varied, sample, cause) : ''}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** A failed run: its point, and what it gave as the reason where the cause is not all of it. */
function exampleOf(
  varied: Campaign['varied'],
  { point, values, reason }: NonNullable<FailureGroup['sample']>,
  cause: string,
): Markup {
  const said = reason === null || reason === cause ? '' : html`<div class="reason soft">${reason}</div>`;
  return html`${placeOf(varied, values)} <code>${point}</code>${said}`;
}
