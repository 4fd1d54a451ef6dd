import { measureOf } from '../../campaign/measures.ts';
import { inputsOfSearch, type MethodName, nameOfMethod, type Search } from '../../campaign/search/search.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import type { SeekingCampaign } from '../../search/interval.ts';
import type { SelectStory, SelectSummary } from '../../search/select-story.ts';
import type { AskedPoint, Finalist, SearchStory } from '../../search/story.ts';
import type { BestPoint, SearchSummary } from '../../search/summary.ts';
import { inputCells, inputHeads, intervalColumns, measureCells, numberHead, table } from './cells.ts';
import { sentences } from '../pictures/figure.ts';
import { html, type Markup } from './markup.ts';
import {
  bestParts,
  noBestText,
  noOtherText,
  requiredValueText,
  requirementsText,
  searchText,
  selectText,
  TOO_GOOD,
} from '../words/search-words.ts';
import { capitalized } from '../../text/printable.ts';
import { counted, numberText, percent, titleOfMeasure } from '../words/words.ts';

/** The maximum number of points in the table of best points. */
const BEST_POINTS = 10;

const methods: Record<MethodName, string> = {
  gp: 'a Gaussian process',
  cma: 'CMA-ES',
  direct: 'DIRECT',
};

/** The best point with its value, as in `foray status`. */
export function searchAnswer(
  campaign: SeekingCampaign,
  summary: Pick<SearchSummary | SelectSummary, 'best' | 'stage'>,
  isNoisy: boolean,
): Markup {
  const { goal } = campaign;
  if (!summary.best) {
    return html`<div class="answer">${capitalized(noBestText(campaign, summary))}.</div>`;
  }
  const { place, value, how } = bestParts(campaign, summary.best);
  const isTooGood = isNoisy && summary.best.choice === 'alone';
  return html`<div class="answer">
    ${goal!.wants === 'lowest' ? 'Lowest' : 'Highest'} ${goal!.output}
    <strong>${value}</strong>
    at ${place}
    <p class="lead">${sentences(how.join('; '), isTooGood ? TOO_GOOD : undefined)}</p>
  </div>`;
}

function wordsOfMethod(method: Search['method']): string {
  return typeof method === 'string' ? methods[method] : `the optimiser ${nameOfMethod(method)}`;
}

/** The progress of the search in words. */
export function searchSection(
  { strategy: search, outputs }: CampaignBy<'search'>,
  { summary }: SearchStory,
): Markup {
  const { require, confirm } = search;
  return html`<section>
    <h2>The search</h2>
    <p class="soft">
      ${sentences(
        `By ${wordsOfMethod(search.method)}, ${counted(search.parallel, 'point')} at once: ${searchText(summary)}`,
        requirementsText(outputs, require),
        confirm === null
          ? undefined
          : `The best points are compared by new runs, with ${percent(confirm.confidence)} confidence`,
      )}
    </p>
  </section>`;
}

/** The points that were compared by new runs, the winner first; without a comparison, the best points of the search. */
export function searchPoints(campaign: CampaignBy<'search'>, story: SearchStory): Markup | undefined {
  const { finalists, summary } = story;
  return finalists.length > 0
    ? finalistsTable(campaign, finalists, summary.best, story.points)
    : seenTable(campaign, story);
}

/** The progress of a selection in words. */
export function selectSection(
  { strategy: select, outputs }: CampaignBy<'selection'>,
  { summary }: SelectStory,
): Markup {
  const how =
    select.method === 'kn'
      ? `By the procedure of Kim and Nelson, with ${percent(select.confidence)} confidence that ${noOtherText('point', select)} is better by more than ${numberText(select.indifference)}`
      : `With a budget of ${counted(select.runs, 'run')}, which go to the points where they help the comparison most (OCBA)`;
  return html`<section>
    <h2>The selection</h2>
    <p class="soft">
      ${sentences(`${how}: ${selectText(summary)}`, requirementsText(outputs, select.require))}
    </p>
  </section>`;
}

/** The best points of a selection, the chosen one first. */
export function selectPoints(
  campaign: CampaignBy<'selection'>,
  { points, summary }: SelectStory,
): Markup | undefined {
  const known = points.filter(({ mean }) => mean !== null).slice(0, BEST_POINTS);
  return known.length > 0 ? finalistsTable(campaign, known, summary.best, []) : undefined;
}

/** @param asked - the points of a search; empty for a selection */
function finalistsTable(
  campaign: SeekingCampaign,
  finalists: readonly Finalist[],
  best: BestPoint | null,
  asked: readonly AskedPoint[],
): Markup {
  const isOfDesign = campaign.strategy.by === 'selection';
  const measure = measureOf(campaign.outputs, campaign.goal!.output);
  const seen = finalists.map((one) => one.seen);
  const runs = finalists.map(({ ordinal }) => asked.find((one) => one.ordinal === ordinal)?.runs ?? 0);
  const estimates = intervalColumns(measure, finalists);
  const columns = [
    ...[titleOfMeasure(measure), 'Low', 'High'].map((title, at) => ({ title, cells: estimates[at]! })),
    ...(isOfDesign ? [] : [{ title: 'During the search', cells: measureCells(measure, seen, runs) }]),
  ];
  const texts = campaign.strategy.require.map(({ output }, at) => ({
    title: output,
    values: finalists.map(({ required }) => requiredValueText(campaign.outputs, required[at]!)),
  }));
  const standOf = ({ isWinner, isFeasible, isRejected, mean }: Finalist): string => {
    if (isWinner) return 'winner';
    // its runs have not finished
    if (mean === null) return 'runs';
    if (isRejected) return 'further runs did not meet the requirements';
    return isFeasible ? '' : 'requirements not met';
  };
  const stands = finalists.map(standOf);
  const winner = finalists.find(({ isWinner }) => isWinner);
  const how = sentences(
    isOfDesign
      ? `${counted(finalists.length, 'point')} with the best means; points that are clearly worse got fewer runs`
      : `${counted(finalists.length, 'point')} that were compared by new runs`,
    winner && best!.choice !== 'alone'
      ? `The winner was chosen by these values; ${counted(best!.runs, 'further run')} give its own value: ${bestParts(campaign, best!).value}`
      : undefined,
    isOfDesign
      ? undefined
      : 'Values during the search tend to be too good, because the search chose these points by them',
  );
  return pointsTable(campaign, {
    title: isOfDesign ? 'Best points' : 'Finalists',
    how,
    points: finalists,
    columns,
    texts,
    stands,
    isFirstMarked: winner !== undefined,
  });
}

function seenTable(campaign: CampaignBy<'search'>, { points, isNoisy }: SearchStory): Markup | undefined {
  const { goal, outputs } = campaign;
  const measure = measureOf(outputs, goal!.output);
  const sign = goal!.wants === 'lowest' ? 1 : -1;
  const shown = points
    .filter(({ isFeasible }) => isFeasible)
    .toSorted((a, b) => sign * (a.value! - b.value!))
    .slice(0, BEST_POINTS);
  if (shown.length === 0) return undefined;
  const how = sentences(
    `${counted(shown.length, 'point')} with the ${goal!.wants} ${goal!.output}${campaign.strategy.require.length > 0 ? ' of those that meet the requirements' : ''}`,
    isNoisy
      ? 'If chance affects them, these values tend to be too good, because the search chose the points by them; "confirm" compares points by new runs'
      : undefined,
  );
  const values = shown.map(({ value }) => value);
  const runs = shown.map((point) => point.runs);
  const columns = [{ title: titleOfMeasure(measure), cells: measureCells(measure, values, runs) }];
  return pointsTable(campaign, { title: 'Best points', how, points: shown, columns, isFirstMarked: true });
}

interface PointsTable {
  title: string;
  how: string;
  points: readonly (Pick<AskedPoint, 'key' | 'values'> & { runs: number })[];
  /** The columns with numbers of the output that is minimized or maximized. */
  columns: { title: string; cells: readonly Markup[] }[];
  /** The columns with the values of required outputs. */
  texts?: { title: string; values: readonly string[] }[];
  /** The state of each point, such as `winner`. */
  stands?: readonly string[];
  isFirstMarked: boolean;
}

function pointsTable(
  { strategy, base, varied }: SeekingCampaign,
  { title, how, points, columns, texts = [], stands, isFirstMarked }: PointsTable,
): Markup {
  const units = new Map(base.map((input) => [input.name, input.units]));
  const inputs = (strategy.by === 'search' ? inputsOfSearch(strategy) : varied).map(({ name, type }) => ({
    name,
    type,
    units: units.get(name) ?? null,
  }));
  const heads = [...[...columns, ...texts].map((column) => column.title), 'Runs'].map(numberHead);
  const rows = points.map(
    ({ key, values, runs }, at) =>
      html`<tr class="${isFirstMarked && at === 0 ? 'first' : ''}">
        ${inputCells(inputs, values)} ${columns.map(({ cells }) => cells[at])}
        ${texts.map((column) => html`<td class="number">${column.values[at]}</td>`)}
        <td class="number">${runs}</td>
        ${stands ? html`<td>${stands[at]}</td>` : ''}
        <td><code>${key}</code></td>
      </tr>`,
  );
  return html`<section>
    <h2>${title}</h2>
    <p class="soft">${how}</p>
    ${table([...inputHeads(inputs), ...heads, ...(stands ? ['State'] : []), 'Point'], rows)}
  </section>`;
}
