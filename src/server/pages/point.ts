import type { FastifyRequest } from 'fastify';
import { measuresOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Explanation } from '../../client/index.ts';
import { placeOf } from '../../report/html/cells.ts';
import { logDetails } from '../../report/html/failures-section.ts';
import { html, Markup } from '../../report/html/markup.ts';
import { confidenceOf } from '../../report/summary/mean.ts';
import { estimateAt, sampleFor } from '../../report/summary/points.ts';
import { outputColumn } from '../../report/tables/column-types.ts';
import { precisionText } from '../../report/words/precision-words.ts';
import { counted, estimateTexts, measureText, percent, titleOf, unitText } from '../../report/words/words.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { maySteer } from '../keys.ts';
import { tabs } from './campaign.ts';
import { type Cell, tableOf, timeOf } from './grid.ts';
import { actionForm, type Page, pathOfCampaign } from './layout.ts';
import { briefCell } from './runs.ts';
import { queryText, viewQuery } from './view.ts';

interface OfPoint {
  /** The numbers of the model's versions whose runs can be animated. */
  animated: ReadonlySet<number>;
  /** HTML: the pictures of the point. */
  pictures: string;
}

/** The page of a point: its inputs, the values of its outputs, its runs with their logs, and their earlier attempts. */
export function pointPage(
  request: FastifyRequest,
  record: CampaignRecord,
  explanation: Explanation,
  { animated, pictures }: OfPoint,
): Page {
  const { campaign } = record;
  // `point` is the key of the point, and `place` its number in the design, from 1
  const { point, place, inputs, runs, asks, precision } = explanation;
  const { id } = campaign;
  const path = pathOfCampaign(id, `points/${point}`);
  const view = viewQuery(request.url);
  const columns = campaign.outputs
    .map(outputColumn)
    .filter(({ name }) => runs.some((run) => name in run.outputs));
  const isAnimated = maySteer(request) && runs.some((run) => animated.has(run.version));
  const heads = ['Replication', 'State', ...columns.map(titleOf), 'Origin'];
  heads.push(...(isAnimated ? ['Animation'] : []), 'Seed', 'Requested', 'Finished');
  const earlier = runs.flatMap((run) =>
    run.earlier.map(({ failed, reason }): Cell[] => [
      run.replication,
      failed ? timeOf(failed) : '',
      html`<div class="reason">${reason}</div>`,
    ]),
  );
  const varied = campaign.varied.map(({ name }) => inputs.find((input) => input.name === name));
  const values = varied.map((input) => input?.file ?? input?.value ?? '');
  const title = campaign.varied.length === 0 ? campaign.name : placeOf(campaign.varied, values);
  return {
    title: `Point ${place ?? point} of ${id}`,
    isWide: true,
    body: html`<h1 class="point">${title}</h1>
      ${tabs(id, 'point', view)} ${neighbours(record, explanation, view)}
      ${asks.map((one) => html`<p>${askText(one)}</p>`)}
      ${precision.map((one) => html`<p>${precisionText(one)}.</p>`)} ${replicationsTable(campaign, runs)}
      <div id="report">${new Markup(pictures)}</div>
      <h2>Runs</h2>
      ${tableOf(
        heads,
        runs.map(({ replication, state, outputs, version, seed, requested, finished, why, log }) => [
          replication,
          state,
          ...columns.map((column) => briefCell(column, outputs[column.name] ?? null)),
          html`<div class="reason">${why}</div>
            ${log === null ? '' : logDetails(log)}`,
          ...(isAnimated
            ? [
                animated.has(version)
                  ? actionForm(request, `${path}/animation/${replication}`, 'Animate')
                  : undefined,
              ]
            : []),
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
      }
      <h2>Inputs</h2>
      ${tableOf(
        ['Input', 'Value', 'Units', 'Varied'],
        inputs.map(({ name, value, units, file, isVaried }) => [
          name,
          file ?? value,
          units ? unitText(units) : '',
          isVaried ? 'yes' : '',
        ]),
      )}`,
  };
}

/** Who chose the point, how, and what came of it. */
function askText({ of, ask, by, told }: Explanation['asks'][number]): string {
  const chosen = `The ${of} chose this point as number ${(ask + 1).toLocaleString('en-US')}, by ${by}`;
  if (told === null) return `${chosen}.`;
  if (told.value !== null) return `${chosen}: ${of === 'calibration' ? 'distance ' : ''}${told.value}.`;
  return `${chosen}: the point failed${told.failure === null ? '' : `, because ${told.failure}`}.`;
}

/** The place of the point in the design, and links to the points before and after it. */
function neighbours(
  { campaign, points }: CampaignRecord,
  { point, place, asks, neighbours: { before, after } }: Explanation,
  view: URLSearchParams,
): Markup {
  const text = (number: number): string => number.toLocaleString('en-US');
  const among = asks.length > 0 ? ' that were asked for' : '';
  const link = (key: string | null, name: string, rel: string): Markup | '' =>
    key === null
      ? ''
      : html`<a
          class="button"
          rel="${rel}"
          href="${pathOfCampaign(campaign.id, `points/${key}`)}${queryText(view)}"
          >${name}</a
        >`;
  return html`<nav class="pages" aria-label="Points">
    <span
      >${place === null ? 'The design no longer has this point.' : `Point ${text(place)} of ${text(points)}${among}`}
      <code>${point}</code></span
    >
    ${link(before, 'Previous', 'prev')} ${link(after, 'Next', 'next')}
  </nav>`;
}

/** The mean, share or quantile of each output over the finished replications, with its interval. */
function replicationsTable(campaign: Campaign, runs: Explanation['runs']): Markup {
  const done = runs.filter(({ state }) => state === 'done');
  if (done.length < 2) return html``;
  const confidence = confidenceOf(campaign);
  const rows = measuresOf(campaign).flatMap((measure): Cell[][] => {
    const sample = sampleFor(measure);
    for (const { outputs } of done) {
      const value = measure.read(outputs);
      if (value !== undefined) sample.add(value);
    }
    const { mean, low, high } = estimateAt(campaign, measure, sample);
    if (mean === null) return [];
    const [value, ...ends] =
      low === null || high === null
        ? [measureText(measure, mean)]
        : estimateTexts(measure, mean, [low, high]);
    return [
      [
        measure.name,
        measure.statistic,
        { number: value },
        { number: ends.length === 0 ? 'none' : ends.join(' to ') },
        { number: counted(sample.count, 'value') },
      ],
    ];
  });
  if (rows.length === 0) return html``;
  return html`<h2>${counted(done.length, 'replication')}</h2>
    ${tableOf(['Output', 'Statistic', 'Value', `${percent(confidence)} interval`, 'From'], rows)}`;
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
