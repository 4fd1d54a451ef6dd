import type { Campaign } from '../../campaign/types.ts';
import type { FailureGroup } from '../summary/failures.ts';
import { html, type Markup } from './markup.ts';
import type { StoredLog } from '../../store/index.ts';
import { numberHead, placeOf, table } from './cells.ts';
import { counted } from '../words/words.ts';

/** The maximum number of lines of a run's log that are shown. */
const MOST_LINES = 40;

/**
 * Failed runs by cause. A cause has one run as an example, and the last output of a run if `logs` has a log of this
 * cause. The group of all other causes (`FailureGroup`) has no example.
 */
export function failuresSection(
  { varied }: Campaign,
  failures: readonly FailureGroup[],
  logs: readonly StoredLog[],
): Markup {
  const rows = failures.map(
    ({ cause, count, sample }) =>
      html`<tr>
        <td class="number">${count.toLocaleString('en-US')}</td>
        <td class="reason">${cause}</td>
        <td>
          ${sample ? exampleOf(varied, sample, cause) : ''} ${logOf(logs.find((log) => log.cause === cause))}
        </td>
      </tr>`,
  );
  return html`<section>
    <h2>Failures</h2>
    <p class="soft">
      Failed runs by cause. A cause is the common part of the service's reasons, without numbers and ids.
    </p>
    ${table([numberHead('Runs'), 'Cause', 'For example'], rows)}
  </section>`;
}

/**
 * The last output of a run, in an element that the reader can open.
 *
 * @param of - the name of the run, if the text around this element does not have it
 */
export function logDetails({ lines, omitted }: Pick<StoredLog, 'lines' | 'omitted'>, of?: Markup): Markup {
  const shown = lines.slice(-MOST_LINES);
  const before = omitted + lines.length - shown.length;
  const head = before > 0 ? `… ${counted(before, 'line')} before\n` : '';
  // a model may print control characters, which a page must not have
  const text = shown.map((line) => line.replaceAll(/[^\P{Cc}\t]/gu, '\ufffd').toWellFormed()).join('\n');
  return html`<details>
    <summary>The last output of the run</summary>
    ${of}
    <pre tabindex="0">${head + text}</pre>
  </details>`;
}

function logOf(log: StoredLog | undefined): Markup | undefined {
  if (!log) return undefined;
  const { point, replication } = log;
  return logDetails(log, html`<p class="soft"><code>${point}</code>, replication ${replication}</p>`);
}

/** A failed run: its point, and its reason if the reason says more than the cause. */
function exampleOf(
  varied: Campaign['varied'],
  { point, values, reason }: NonNullable<FailureGroup['sample']>,
  cause: string,
): Markup {
  const said = reason === null || reason === cause ? '' : html`<div class="reason soft">${reason}</div>`;
  return html`${placeOf(varied, values)} <code>${point}</code>${said}`;
}
