import type { Measure } from '../../campaign/measures.ts';
import type { SearchedInput } from '../../campaign/search/search.ts';
import type { Campaign, CampaignBy } from '../../campaign/types.ts';
import { type Figure, sentences } from './figure.ts';
import { colourKey } from './key.ts';
import {
  estimateCells,
  estimateColumns,
  inputCell,
  inputColumn,
  measureCell,
  type NumberCell,
  PictureNumbers,
} from './numbers.ts';
import { meanAxis, shareAxis } from './scales.ts';
import { colours, layerIf, type Spec, WIDTH } from './vega.ts';
import { counted, titleOfMeasure } from '../words/words.ts';
import type { SeekingCampaign } from '../../search/interval.ts';
import { EvenSample } from '../summary/even-sample.ts';
import type { AskedPoint, SearchStory } from '../../search/story.ts';
import type { BestPoint } from '../../search/summary.ts';

/** The maximum number of points that are drawn one by one. The best point may come in addition. */
const MOST_DRAWN = 800;

/** The part of a campaign that pictures of its search or selection need. */
export type Drawn<C extends Campaign> = Pick<C, 'strategy' | 'goal' | 'outputs' | 'varied'>;

export type Searched = Drawn<CampaignBy<'search'>>;

export type Seeking = Drawn<SeekingCampaign>;

/** The columns of the numbers of a search: the ask, the inputs, the value, and what the point is. */
export function searchNumbers(inputs: readonly SearchedInput[], output: Measure): PictureNumbers {
  return new PictureNumbers([
    { title: 'Point number' },
    ...inputs.map(inputColumn),
    ...estimateColumns(output),
    { title: 'State' },
  ]);
}

/** The cells and the key of a point of a search. */
export function searchCells(
  point: AskedPoint,
  inputs: readonly SearchedInput[],
  output: Measure,
): [NumberCell[], string] {
  const { ask, values, value, runs, key } = point;
  const own = inputs.map((input, at) => inputCell(input, values[at]!));
  return [[ask, ...own, measureCell(output, value, runs), null, null, stateText(point)], key];
}

function stateText({ state, isOutside, isFeasible }: AskedPoint): string | null {
  if (state === 'failed') return names.failed;
  if (isOutside) return 'outside the bounds';
  return isFeasible ? null : names.infeasible;
}

export function progressFigure(
  { goal, strategy }: Searched,
  { summary: { best, stoppedBy, stage }, points, isNoisy, finalists }: SearchStory,
  output: Measure,
): Figure {
  const told = points.filter(({ state }) => state !== 'open');
  const [drawn, isPart] = evenly(told, best?.ordinal);
  const winner = finalists.length > 0 && stage === 'over' ? best : null;
  const has = (is: (point: AskedPoint) => boolean): boolean => drawn.some(is);
  const numbers = searchNumbers(strategy.inputs, output);
  const rowed = drawn.map((point) => ({
    ...point,
    ...numbers.add(...searchCells(point, strategy.inputs, output)),
  }));
  return {
    title: 'Progress of the search',
    caption: sentences(
      `${isPart ? `${counted(drawn.length, 'point')} spread evenly over all` : `All ${counted(drawn.length, 'point')}`}, in the order in which the search asked for them; the line is the best value so far`,
      isNoisy ? 'If chance affects the values, the best value tends to be too good' : undefined,
      has(({ state, isFeasible, isOutside }) => state === 'known' && !isFeasible && !isOutside)
        ? 'Hollow points do not meet the requirements'
        : undefined,
      has(({ isOutside }) => isOutside)
        ? 'Hollow points before a change of bounds lie outside the new bounds'
        : undefined,
      has(({ state }) => state === 'failed') ? 'Points that failed are marked below' : undefined,
      winner ? `The band is the value of the winner, from ${runsText(winner)}` : undefined,
      stoppedBy === null ? undefined : 'The search ended at the dotted line',
    ),
    id: 'search-progress',
    spec: searchProgress(
      rowed,
      stepsOf(told, goal!.wants),
      stoppedBy === null ? null : (points.at(-1)?.ask ?? null),
      winner && { ...winner, ...numbers.add(winnerCells(winner, strategy.inputs, output), winner.key) },
      output,
    ),
    numbers,
  };
}

function winnerCells(
  { inputs: values, value, interval }: BestPoint,
  inputs: readonly SearchedInput[],
  output: Measure,
): NumberCell[] {
  return [
    null,
    ...inputs.map((input) => inputCell(input, String(values[input.name]))),
    ...estimateCells(output, value, interval?.[0], interval?.[1]),
    names.winner,
  ];
}

function runsText({ choice, runs }: BestPoint): string {
  return choice === 'alone'
    ? counted(runs, 'run')
    : `${counted(runs, 'run')} that were not used to choose it`;
}

/** One step at each ask where the best value changes, and one at the last ask, if that is a later one. */
function stepsOf(points: readonly AskedPoint[], wants: 'lowest' | 'highest'): Step[] {
  const steps: Step[] = [];
  for (const { ask, value, isFeasible } of points) {
    const last = steps.at(-1)?.value;
    if (value === null || !isFeasible) continue;
    if (last === undefined || (wants === 'lowest' ? value < last : value > last)) steps.push({ ask, value });
  }
  const [last, end] = [steps.at(-1), points.at(-1)];
  if (last && end && end.ask > last.ask) steps.push({ ask: end.ask, value: last.value });
  return steps;
}

/** The best value so far, at an ask where it changes or at the last ask. An ask is a point that the search asked for. */
interface Step {
  ask: number;
  value: number;
}

const HEIGHT = 340;

const names = {
  point: 'point',
  infeasible: 'requirements not met',
  failed: 'failed',
  best: 'best value so far',
  winner: 'winner',
};

/**
 * Draws the values of the points and the best value so far by ask. The value of the winner is a line, and its interval
 * is a band.
 *
 * @param end - the last ask of a search that has ended; null while the search goes on
 */
function searchProgress(
  points: readonly (AskedPoint & { row: number })[],
  steps: readonly Step[],
  end: number | null,
  winner: (BestPoint & { row: number }) | null,
  output: Measure,
): Spec {
  const known = points.filter(({ value }) => value !== null);
  const feasible = known.filter(({ isFeasible }) => isFeasible);
  const infeasible = known.filter(({ isFeasible }) => !isFeasible);
  const failed = points.filter(({ value }) => value === null);
  const values = [
    ...known.map(({ value }) => value!),
    ...(winner ? [winner.value, ...(winner.interval ?? [])] : []),
  ];
  const axis = output.statistic === 'share' ? shareAxis(values) : meanAxis(values);
  const y = (field: string) => ({ field, type: 'quantitative', title: titleOfMeasure(output), ...axis });
  const asks = points.map(({ ask }) => ask);
  const x = {
    field: 'ask',
    type: 'quantitative',
    title: 'Point number, in the order of the search',
    scale: {
      domain: [0, 1.02 * Math.max(1, end ?? 0, ...asks.slice(-1))],
      nice: false,
      padding: 8,
    },
    axis: { grid: false, tickMinStep: 1, format: ',d' },
  };
  const colourOf = colourKey([
    { name: names.point, colour: colours.muted, opacity: 0.8, isShown: feasible.length > 0 },
    { name: names.infeasible, colour: colours.muted, opacity: 0.4, isShown: infeasible.length > 0 },
    { name: names.failed, colour: colours.bad, opacity: 1, isShown: failed.length > 0 },
    { name: names.best, colour: colours.line, opacity: 1, kind: 'line', isShown: steps.length > 0 },
    { name: names.winner, colour: colours.best, opacity: 0.8, kind: 'line', isShown: winner !== null },
  ]);
  const size = Math.max(16, Math.min(50, 6_000 / points.length));
  const dots = (data: readonly AskedPoint[], name: string, mark: object, height: object) =>
    layerIf(data.length > 0, () => ({
      data: { values: data },
      mark: { type: 'point', size, ...mark },
      encoding: { x, y: height, color: colourOf(name) },
    }));
  const [low, high] = winner?.interval ?? [];
  return {
    width: WIDTH - 90,
    height: HEIGHT,
    layer: [
      ...layerIf(low !== undefined, () => ({
        data: { values: [{ low, high, row: winner?.row }] },
        mark: { type: 'rect', opacity: 0.25 },
        encoding: { y: y('low'), y2: { field: 'high' }, color: colourOf(names.winner) },
      })),
      ...layerIf(winner !== null, () => ({
        data: { values: [{ value: winner?.value }] },
        mark: { type: 'rule', strokeWidth: 1.5, strokeDash: [6, 4] },
        encoding: { y: y('value'), color: colourOf(names.winner) },
      })),
      ...layerIf(end !== null, () => ({
        data: { values: [{ ask: end }] },
        mark: { type: 'rule', color: colours.ink, opacity: 0.5, strokeDash: [2, 3] },
        encoding: { x },
      })),
      ...dots(infeasible, names.infeasible, { filled: false, strokeWidth: 1.2, opacity: 0.8 }, y('value')),
      ...dots(feasible, names.point, { filled: true, opacity: 0.8 }, y('value')),
      ...dots(
        failed,
        names.failed,
        { shape: 'cross', angle: 45, filled: true, opacity: 1, size: 60 },
        { value: HEIGHT - 6 },
      ),
      ...layerIf(steps.length > 0, () => ({
        data: { values: steps },
        mark: { type: 'line', interpolate: 'step-after', strokeWidth: 2.5 },
        encoding: { x, y: y('value'), color: colourOf(names.best) },
      })),
    ],
  } as Spec;
}

/** Chooses points spread evenly over all points, and also the best point. */
export function evenly(
  points: readonly AskedPoint[],
  best: number | undefined,
): [AskedPoint[], isPart: boolean] {
  const sample = new EvenSample<AskedPoint>(MOST_DRAWN);
  for (const point of points) sample.add(() => point);
  if (!sample.isPart) return [[...points], false];
  const kept = new Set(sample.items);
  return [points.filter((point) => kept.has(point) || point.ordinal === best), true];
}
