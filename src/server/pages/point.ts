import type { FastifyRequest } from 'fastify';
import type { Explanation } from '../../client/index.ts';
import { logDetails } from '../../report/html/failures-section.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { outputColumn } from '../../report/tables/column-types.ts';
import { precisionText } from '../../report/words/precision-words.ts';
import { titleOf, unitText } from '../../report/words/words.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { tabs } from './campaign.ts';
import { act, type Cell, type Page, pathOfCampaign, tableOf } from './layout.ts';
import { briefCell } from './runs.ts';

/**
 * The page of a point: its inputs, its runs with their outputs and logs, and their earlier attempts.
 *
 * @param animated - the numbers of the model's versions whose runs can be animated
 */
export function pointPage(
  request: FastifyRequest,
  { campaign: { outputs } }: CampaignRecord,
  { campaign, point, place, inputs, runs, asks, precision }: Explanation,
  animated: ReadonlySet<number>,
): Page {
  const columns = outputs.map(outputColumn).filter(({ name }) => runs.some((run) => name in run.outputs));
  const earlier = runs.flatMap((run) =>
    run.earlier.map(({ failed, reason }): Cell[] => [
      run.replication,
      failed ? timeOf(failed) : '',
      html`<div class="reason">${reason}</div>`,
    ]),
  );
  return {
    title: `Point ${point} of ${campaign}`,
    body: html`<h1>Point <code>${point}</code></h1>
      ${tabs(campaign, 'point')}
      <p class="lead">
        ${place === null ? 'The design no longer has this point.' : `Number ${place.toLocaleString('en-US')} of the ${asks.length > 0 ? 'points that were asked for' : 'design'}.`}
      </p>
      ${asks.map(
        ({ of, ask, by, told }) =>
          html`<p>
            Ask ${ask} of the ${of}, by
            ${by}${told === null ? '' : told.value === null ? `: the point failed${told.failure === null ? '' : `, because ${told.failure}`}` : `: ${of === 'calibration' ? 'distance ' : ''}${told.value}`}.
          </p>`,
      )}
      ${precision.map((one) => html`<p>${precisionText(one)}.</p>`)}
      <h2>Inputs</h2>
      ${tableOf(
        ['Input', 'Value', 'Units', 'Varied'],
        inputs.map(({ name, value, units, file, isVaried }) => [
          name,
          file ?? value,
          units ? unitText(units) : '',
          isVaried ? 'yes' : '',
        ]),
      )}
      <h2>Runs</h2>
      ${tableOf(
        [
          ...['Replication', 'State', ...columns.map(titleOf)],
          ...['Why', 'Animation', 'Seed', 'Requested', 'Finished'],
        ],
        runs.map(({ replication, state, outputs, version, seed, requested, finished, why, log }) => [
          replication,
          state,
          ...columns.map((column) => briefCell(column, outputs[column.name] ?? null)),
          html`<div class="reason">${why}</div>
            ${log === null ? '' : logDetails(log)}`,
          animated.has(version)
            ? act(request, pathOfCampaign(campaign, `points/${point}/animation/${replication}`), 'Animate')
            : undefined,
          seed ?? '',
          requested ? timeOf(requested) : '',
          finished ? timeOf(finished) : '',
        ]),
      )}
      ${
        earlier.length === 0
          ? ''
          : html`<h2>Earlier attempts that failed</h2>
              ${tableOf(['Replication', 'Failed', 'Reason'], earlier)}`
      }`,
  };
}

/** A time to the second. @param at - ISO 8601 */
function timeOf(at: string): Markup {
  return html`<time datetime="${at}">${at.slice(0, 10)}<br />${at.slice(11, 19)} UTC</time>`;
}

/** The page of an animated run. This run has the inputs of a replication of a point. */
export function animationPage(
  { id, key, replication }: { id: string; key: string; replication: string },
  address: string | undefined,
): Page {
  return {
    title: `Animation of ${key}`,
    body: html`<h1>Animation</h1>
      <p class="lead">
        The service animates a run with the inputs of replication ${replication} of the point
        <code>${key}</code>. The animation ends when nobody has watched it for some minutes.
      </p>
      <p class="buttons">
        ${
          address === undefined
            ? 'The service gave no address for this animation.'
            : html`<a class="button" href="${address}" target="_blank" rel="noopener">Open the animation</a>`
        }
        <a class="button" href="${pathOfCampaign(id, `points/${key}`)}">Back to the point</a>
      </p>`,
  };
}
