import { isNumericType } from '../../api/index.ts';
import { type Measure, measureOf } from '../../campaign/measures.ts';
import { inputsOfSearch } from '../../campaign/search/search.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import type { Drawn, Seeking } from './search-progress.ts';
import { type Figure, sentences } from './figure.ts';
import { colourKey } from './key.ts';
import {
  estimateCells,
  estimateColumns,
  inputCell,
  inputColumn,
  measureColumnOf,
  PictureNumbers,
} from './numbers.ts';
import { colours, type Spec, WIDTH } from './vega.ts';
import { counted, percent, shortNumber, titleOfMeasure } from '../words/words.ts';
import { confidenceOfSearch } from '../../search/interval.ts';
import type { SelectStory } from '../../search/select-story.ts';
import type { Finalist } from '../../search/story.ts';
import type { BestPoint } from '../../search/summary.ts';

/** The maximum number of points of a selection that are drawn. */
const MOST_FINALISTS = 20;

/** Makes the picture of a selection: its best points. */
export function selectFigures(
  campaign: Drawn<CampaignBy<'selection'>>,
  { points, summary }: SelectStory,
): Figure[] {
  return finalistsFigure(campaign, points.slice(0, MOST_FINALISTS), summary.best);
}

export function finalistsFigure(
  campaign: Seeking,
  finalists: readonly Finalist[],
  best: BestPoint | null,
): Figure[] {
  const known = finalists.flatMap((one) => (one.mean === null ? [] : [{ ...one, mean: one.mean }]));
  if (known.length === 0) return [];
  const isOfDesign = campaign.strategy.by === 'selection';
  const output = measureOf(campaign.outputs, campaign.goal!.output);
  const { names, text } = namesOf(
    campaign,
    known.map(({ values }) => values),
  );
  const hasOwn = known.some(({ isWinner }) => isWinner) && best!.choice !== 'alone';
  const inputs = inputsOf(campaign);
  const numbers = new PictureNumbers([
    ...inputs.map(inputColumn),
    ...estimateColumns(output),
    { title: 'Runs' },
    ...(hasOwn ? [{ ...measureColumnOf(output), title: 'Value of further runs' }] : []),
    ...(isOfDesign ? [] : [{ ...measureColumnOf(output), title: 'During the search' }]),
    { title: 'State' },
  ]);
  return [
    {
      title: isOfDesign ? 'The best points' : 'The finalists',
      caption: sentences(
        `The ${output.statistic} of ${isOfDesign ? 'the runs in which each point was compared' : 'the new runs of each finalist'}, with its ${percent(confidenceOfSearch(campaign))} confidence interval`,
        hasOwn
          ? `The winner was chosen by these values; ${counted(best!.runs, 'further run')} give its own value, the diamond`
          : undefined,
        isOfDesign
          ? undefined
          : 'The circles are the values during the search; they tend to be too good, because the search chose the finalists by them',
        text,
      ),
      id: 'finalists',
      spec: finalistRows(
        known.map(({ key, values, runs, mean, interval, seen, isWinner, isFeasible }, at) => {
          const kind = isWinner ? 'winner' : isFeasible ? 'finalist' : 'infeasible';
          const own = isWinner && hasOwn ? best!.value : null;
          const cells = [
            ...inputs.map((input, place) => inputCell(input, values[place]!)),
            ...estimateCells(output, mean, interval?.[0], interval?.[1]),
            runs,
            ...(hasOwn ? [own] : []),
            ...(isOfDesign ? [] : [seen]),
            stateNames[kind],
          ];
          return {
            name: names[at]!,
            mean,
            interval,
            seen: isOfDesign ? null : seen,
            kind,
            own,
            ...numbers.add(cells, key),
          };
        }),
        output,
      ),
      numbers,
    },
  ];
}

function inputsOf({ strategy, varied }: Seeking) {
  return strategy.by === 'search' ? inputsOfSearch(strategy) : varied;
}

/** The most characters of a name. Vega would cut the end of a longer one, where names differ. */
const LONGEST_NAME = 43;

/**
 * The names of points by the inputs in which they differ: "Contact rate 1.67, Recovery rate 0.44", or "1.67, 0.44" if
 * these are too long. Numbers have all digits if two points would otherwise have the same name.
 *
 * @returns the names, and what the caption says of them
 */
function namesOf(
  campaign: Seeking,
  points: readonly (readonly string[])[],
): { names: string[]; text: string | undefined } {
  const inputs = inputsOf(campaign).map(({ name, type }, at) => ({ name, type, at }));
  const differing = inputs.filter(({ at }) => new Set(points.map((values) => values[at])).size > 1);
  const shown = differing.length > 0 ? differing : inputs;
  const joined = (ofNumber: (text: string) => string, isBare: boolean): string[] =>
    points.map((values) =>
      shown
        .map(({ name, type, at }) => {
          const text = isNumericType(type) ? ofNumber(values[at]!) : values[at]!;
          return isBare ? text : `${name} ${text}`;
        })
        .join(', '),
    );
  const unique = (isBare: boolean): string[] => {
    const short = joined(shortNumber, isBare);
    return new Set(short).size === points.length ? short : joined((text) => text, isBare);
  };
  const names = unique(false);
  if (names.every((name) => name.length <= LONGEST_NAME)) return { names, text: undefined };
  const text = `Each row has the values of ${shown.map(({ name }) => name).join(', ')}`;
  return { names: unique(true), text };
}

/** A point of the comparison, which is drawn as a row. */
interface FinalistRow {
  row: number;
  name: string;
  mean: number;
  interval: [number, number] | null;
  /** The value of the point during the search; null if it had none, and in a selection. */
  seen: number | null;
  /** The value of the winner from runs that were not used to choose it; null without such runs and for other points. */
  own: number | null;
  kind: 'winner' | 'finalist' | 'infeasible';
}

/** The names of the marks in the key. Those of kinds of points are also their states. */
const stateNames = {
  winner: 'winner',
  finalist: 'finalist',
  infeasible: 'requirements not met',
  own: 'its value',
  seen: 'during the search',
};

/** Draws the finalists, one row each: the mean of the new runs with its interval, and the value during the search. */
function finalistRows(rows: readonly FinalistRow[], output: Measure): Spec {
  const has = (kind: FinalistRow['kind']): boolean => rows.some((row) => row.kind === kind);
  const hasSeen = rows.some(({ seen }) => seen !== null);
  const colourOf = colourKey([
    { name: stateNames.winner, colour: colours.best, opacity: 1, isShown: has('winner') },
    { name: stateNames.finalist, colour: colours.line, opacity: 1, isShown: has('finalist') },
    { name: stateNames.own, colour: '#a06cd5', opacity: 1, isShown: rows.some(({ own }) => own !== null) },
    { name: stateNames.infeasible, colour: colours.bad, opacity: 1, isShown: has('infeasible') },
    { name: stateNames.seen, colour: colours.muted, opacity: 0.8, isShown: hasSeen },
  ]);
  const axis = { tickCount: 8, ...(output.statistic === 'share' && { format: '~%' }) };
  const x = (field: string) => ({
    field,
    type: 'quantitative',
    title: titleOfMeasure(output),
    scale: { zero: false, padding: 14 },
    axis,
  });
  const y = {
    field: 'name',
    type: 'nominal',
    sort: rows.map(({ name }) => name),
    title: null,
    axis: { labelLimit: 420, domain: false, ticks: false, grid: true },
  };
  const values = rows.map(({ interval, ...row }) => ({ ...row, low: interval?.[0], high: interval?.[1] }));
  const layersOf = (kind: FinalistRow['kind']) => {
    const own = values.filter((row) => row.kind === kind);
    const color = colourOf(stateNames[kind]);
    return own.length === 0
      ? []
      : [
          {
            data: { values: own.filter(({ low }) => low !== undefined) },
            mark: { type: 'rule', strokeWidth: 3, strokeCap: 'round', opacity: 0.6 },
            encoding: { y, x: x('low'), x2: { field: 'high' }, color },
          },
          {
            data: { values: own },
            mark: { type: 'point', filled: true, size: kind === 'winner' ? 120 : 80, opacity: 1 },
            encoding: { y, x: x('mean'), color },
          },
        ];
  };
  return {
    width: WIDTH - 380,
    height: { step: 32 },
    layer: [
      {
        data: { values: values.filter(({ seen }) => seen !== null) },
        mark: { type: 'point', filled: false, size: 70, strokeWidth: 1.6, opacity: 0.9 },
        encoding: { y, x: x('seen'), color: colourOf(stateNames.seen) },
      },
      ...layersOf('infeasible'),
      ...layersOf('finalist'),
      ...layersOf('winner'),
      {
        data: { values: values.filter(({ own }) => own !== null) },
        mark: { type: 'point', shape: 'diamond', filled: true, size: 130, opacity: 1 },
        encoding: { y, x: x('own'), color: colourOf(stateNames.own) },
      },
    ],
  } as Spec;
}
