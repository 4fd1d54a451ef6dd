import { questionOf, questions } from '../../campaign/question.ts';
import type { Measure } from '../../campaign/measures.ts';
import type { Campaign, RunCounts } from '../../campaign/types.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { html, type Markup } from './markup.ts';
import { chosenInterval } from '../summary/chosen.ts';
import { type OutputSample, type PointResult, valueOf } from '../summary/points.ts';
import type { Summary } from '../summary/summary.ts';
import { inputCells, inputHeads, measureCells, numberHead, placeOf, table, titled } from './cells.ts';
import { choiceText, tiedText, TOO_GOOD } from '../words/search-words.ts';
import {
  counted,
  fullText,
  intervalText,
  measureText,
  statisticsOf,
  titleOfMeasure,
} from '../words/words.ts';
import { isNoisy } from '../../search/noise.ts';
import { areEqual } from '../../statistics/chance.ts';
import { sentences } from '../pictures/figure.ts';

export function headSection({ campaign, phase, createdAt, updatedAt, owner }: CampaignRecord): Markup {
  const { name, id, model } = campaign;
  return html`<header>
    <span class="phase">${phase}</span>
    <h1>${name}</h1>
    <p class="lead">
      ${questions[questionOf(campaign)]} · ${model.name}, version
      ${model.version}${id === name ? '' : ` · campaign ${id}`}
    </p>
    <p class="lead">
      Submitted ${timeText(createdAt)}${owner === null ? '' : ` by ${owner}`}, last change
      ${timeText(updatedAt)}
    </p>
  </header>`;
}

/**
 * The tiles with the numbers of points and runs.
 *
 * @param isFiltered - whether the tiles have only the points that a reader has chosen. Then points without a run that is
 * done are not known, and the tile of the points says how many of all there are
 */
export function factsSection(
  { campaign, points }: CampaignRecord,
  counts: RunCounts,
  { points: shown, precision: { precise } }: Pick<Summary, 'points' | 'precision'>,
  isFiltered: boolean,
): Markup {
  const { replications, precision, strategy } = campaign;
  const most = strategy.by === 'search' ? strategy.most : precision?.max;
  const failed = html`<span class="${counts.failed > 0 ? 'bad' : ''}">${grouped(counts.failed)}</span>`;
  const facts: [string, string | Markup][] = [
    isFiltered ? ['Points shown', `${grouped(shown)} of ${grouped(points)}`] : ['Points', grouped(points)],
    [
      'Replications',
      most ? `${grouped(precision?.min ?? replications)} to ${grouped(most)}` : grouped(replications),
    ],
    ...(precision
      ? [
          ['Precise points', `${grouped(precise)} of ${grouped(isFiltered ? shown : points)}`] satisfies [
            string,
            string,
          ],
        ]
      : []),
    [
      'Runs done',
      isFiltered || counts.done === counts.total
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
  { imprecise, withoutValue }: Summary['precision'],
): Markup | undefined {
  if (!precision || imprecise === 0) return undefined;
  const are = imprecise === 1 ? 'is' : 'are';
  const without =
    withoutValue > 0
      ? ` ${grouped(withoutValue)} of them ${withoutValue === 1 ? 'has' : 'have'} no value.`
      : '';
  return html`<p class="lead">
    ${grouped(imprecise)} of ${counted(points, 'point')} ${are} less precise than wanted after all their
    replications (at most ${grouped(precision.max)}).${without}
  </p>`;
}

/**
 * The best point by the goal. Without a goal, no value is better than another, so the section has the range of the
 * values.
 */
export function answerSection(
  campaign: Campaign,
  output: Measure,
  best: PointResult,
  { best: points, ranking: { wants, isGoal }, choice }: Pick<Summary, 'best' | 'ranking' | 'choice'>,
): Markup {
  const { varied } = campaign;
  const { among, tied, range } = choice!;
  if (!isGoal && among > 1) return rangeSection(output, among, range);
  const sample = best.samples[output.name]!;
  const mean = valueOf(best, output)!;
  const interval = chosenInterval(campaign, output, points, among);
  const value = interval ? intervalText(output, mean, interval) : measureText(output, mean);
  const how = [
    ...(sample.count > 1 ? [runsText(output, sample, interval !== null)] : []),
    ...(tied > 0 ? [tiedText(tied)] : []),
    ...(interval && among > 1 ? [choiceText(among)] : []),
  ];
  const isTooGood = among > 1 && isNoisy(campaign);
  const extreme = wants === 'lowest' ? 'Lowest ' : 'Highest ';
  const text = sentences(how.join('; ') || undefined, isTooGood ? TOO_GOOD : undefined);
  return html`<div class="answer">
    ${isGoal && varied.length > 0 ? extreme : ''}${output.name}
    <strong>${titled(value, fullText(output, mean))}</strong>
    ${varied.length > 0 ? html`at ${placeOf(varied, best.values)}` : ''}
    ${text === '' ? '' : html`<p class="lead">${text}</p>`}
  </div>`;
}

/** "Mean wait 0.2 to 12.3 minutes at 48 points". */
function rangeSection(output: Measure, points: number, [low, high]: [number, number]): Markup {
  const to = measureText(output, high);
  const range = low === high ? to : `${measureText({ ...output, units: null }, low)} to ${to}`;
  return html`<div class="answer">
    ${output.name}
    <strong>${titled(range, `${fullText(output, low)} to ${fullText(output, high)}`)}</strong>
    at ${counted(points, 'point')}
    <p class="lead">${output.name} has no goal, so no point is chosen.</p>
  </div>`;
}

/** "10 runs", or why they have no interval. */
function runsText({ statistic }: Measure, sample: OutputSample, hasInterval: boolean): string {
  const runs = counted(sample.count, 'run');
  if (statistic !== 'mean' || hasInterval) return runs;
  return areEqual(sample)
    ? `${runs} with equal values`
    : `${runs} with too few different values for an interval`;
}

export function bestSection(
  campaign: Campaign,
  {
    output,
    measures,
    best,
    ranking: { wants, isGoal },
    choice,
  }: Pick<Summary, 'output' | 'measures' | 'best' | 'ranking' | 'choice'>,
): Markup {
  const { varied } = campaign;
  const isReplicated = campaign.replications > 1 || campaign.precision !== null;
  const shown = output ? [output, ...measures.filter((one) => one !== output)] : [];
  const columns = shown.map((one) =>
    measureCells(
      one,
      best.map((point) => valueOf(point, one)),
      best.map(({ samples }) => samples[one.name]?.count ?? 0),
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
  const heads = [...shown.map(titleOfMeasure), ...(isReplicated ? ['Runs'] : [])];
  const statistics = statisticsOf(shown).map((one) => `${one}s`);
  const over = isReplicated ? `, ${statistics.join(' and ')} over the replications` : '';
  const how = output ? ` with the ${wants} ${output.name}${over}` : '';
  return html`<section>
    <h2>${output ? (isGoal ? 'Best points' : 'Lowest points') : 'First points'}</h2>
    <p class="soft">
      ${sentences(
        `${counted(best.length, 'point')}${how}`,
        choice && choice.tied > 0
          ? `${counted(choice.tied + 1, 'point')} have exactly the value of the first one`
          : undefined,
        choice && choice.among > 1 && isGoal && isNoisy(campaign) ? TOO_GOOD : undefined,
      )}
    </p>
    ${table([...inputHeads(varied), ...heads.map(numberHead), 'Point'], rows)}
  </section>`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a time: "2026-01-31 08:30 UTC". */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
