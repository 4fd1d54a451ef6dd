import type { Measure } from '../../campaign/measures.ts';
import type { Campaign, RunCounts } from '../../campaign/types.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { html, type Markup } from './markup.ts';
import { type PointResult, valueOf } from '../summary/points.ts';
import { kindOfInput } from '../tables/value-kinds.ts';
import type { Ranking, Summary } from '../summary/summary.ts';
import { inputCells, measureCells, placeOf, titled } from './cells.ts';
import { counted, fullText, measureText, statisticsOf, titleOf, titleOfMeasure } from '../words/words.ts';

export function headSection({ campaign, phase, createdAt, updatedAt }: CampaignRecord): Markup {
  const { name, id, model } = campaign;
  return html`<header>
    <span class="phase">${phase}</span>
    <h1>${name}</h1>
    <p class="lead">
      ${model.name}, version ${model.version}, at
      ${originOf(campaign.service)}${id === name ? '' : ` · campaign ${id}`}
    </p>
    <p class="lead">Submitted ${timeText(createdAt)}, last change ${timeText(updatedAt)}</p>
  </header>`;
}

/** The scheme, host and port of a service's address. Other parts, such as the password or the query, may be secret. */
function originOf(service: string): string {
  return URL.parse(service)?.origin ?? 'an unknown service';
}

export function factsSection(
  { campaign, points }: CampaignRecord,
  counts: RunCounts,
  { precise }: Summary['precision'],
): Markup {
  const { replications, precision, search } = campaign;
  const most = precision?.max ?? search?.most;
  const failed = html`<span class="${counts.failed > 0 ? 'bad' : ''}">${grouped(counts.failed)}</span>`;
  const facts: [string, string | Markup][] = [
    ['Points', grouped(points)],
    [
      'Replications',
      most ? `${grouped(precision?.min ?? replications)} to ${grouped(most)}` : grouped(replications),
    ],
    ...(precision
      ? [['Precise points', `${grouped(precise)} of ${grouped(points)}`] as [string, string]]
      : []),
    [
      'Runs done',
      counts.done === counts.total
        ? grouped(counts.done)
        : `${grouped(counts.done)} of ${grouped(counts.total)}`,
    ],
    ['New', grouped(counts.new)],
    ['Reused', grouped(counts.reused)],
    ['Failed', failed],
    ['Seed', campaign.seed === null ? 'default' : String(campaign.seed)],
  ];
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A note about points that are not precise and get no more replications. */
export function imprecisionText(
  { campaign: { precision }, points }: CampaignRecord,
  { imprecise }: Summary['precision'],
): Markup | undefined {
  if (!precision || imprecise === 0) return undefined;
  const are = imprecise === 1 ? 'is' : 'are';
  return html`<p class="lead">
    ${grouped(imprecise)} of ${counted(points, 'point')} ${are} less precise than wanted after all their
    replications (at most ${grouped(precision.max)}).
  </p>`;
}

export function answerSection(
  { varied }: Campaign,
  output: Measure,
  best: PointResult,
  { wants }: Ranking,
): Markup {
  const mean = valueOf(best, output)!;
  return html`<div class="answer">
    ${wants === 'lowest' ? 'Lowest' : 'Highest'} ${output.name}
    <strong>${titled(measureText(output, mean), fullText(output, mean))}</strong>
    ${varied.length > 0 ? html`at ${placeOf(varied, best.values)}` : ''}
  </div>`;
}

export function bestSection(
  campaign: Campaign,
  {
    output,
    measures,
    best,
    ranking: { wants, isGoal },
  }: Pick<Summary, 'output' | 'measures' | 'best' | 'ranking'>,
): Markup {
  const { varied } = campaign;
  const isReplicated = campaign.replications > 1 || campaign.precision !== null;
  const shown = output ? [output, ...measures.filter((one) => one !== output)] : [];
  const isNumber = varied.map(({ type }) => kindOfInput(type) === 'number');
  const columns = shown.map((one) =>
    measureCells(
      one,
      best.map((point) => valueOf(point, one)),
    ),
  );
  const rows = best.map(
    ({ key, values, runs }, i) =>
      html`<tr class="${output && i === 0 ? 'first' : ''}">
        ${inputCells(varied, values)} ${columns.map((column) => column[i])}
        ${isReplicated ? html`<td class="number">${runs}</td>` : ''}
        <td><code>${key}</code></td>
      </tr>`,
  );
  const what = statisticsOf(shown);
  const how = output
    ? `${wants} ${output.name}${isReplicated ? `, ${what.map((one) => `${one}s`).join(' and ')} over the replications` : ''}`
    : '';
  return html`<section>
    <h2>${output ? (isGoal ? 'Best points' : 'Lowest points') : 'First points'}</h2>
    <p class="soft">${counted(best.length, 'point')}${how && ` with the ${how}`}.</p>
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            ${varied.map((input, at) => html`<th class="${isNumber[at] ? 'number' : ''}">${titleOf(input)}</th>`)}
            ${shown.map((one) => html`<th class="number">${titleOfMeasure(one)}</th>`)}
            ${isReplicated ? html`<th class="number">Runs</th>` : ''}
            <th>Point</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </section>`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a time: "2026-01-31 08:30 UTC". */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
