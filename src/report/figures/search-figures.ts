import { isNumeric } from '../../campaign/designs/input-types.ts';
import { type Measure, measureOf } from '../../campaign/measures.ts';
import { inputsOfSearch, type SearchedInput } from '../../campaign/search/search.ts';
import type { Campaign, CampaignBy, VariedInput } from '../../campaign/types.ts';
import { confidenceOfSearch, type SeekingCampaign } from '../../search/interval.ts';
import type { SelectStory } from '../../search/select-story.ts';
import type { AskedPoint, Finalist, SearchStory } from '../../search/story.ts';
import type { BestPoint } from '../../search/summary.ts';
import { EvenSample } from '../summary/even-sample.ts';
import { type Figure, sentences } from './figure.ts';
import { finalistRows } from '../pictures/finalists.ts';
import { parallelCoordinates, type PointLine, type UprightAxis } from '../pictures/parallel.ts';
import { type Progress, searchProgress } from '../pictures/search-progress.ts';
import { counted, numberText, percent, shortNumber, titleOf } from '../words/words.ts';

/** The maximum number of points that are drawn one by one. The best point may come in addition. */
const MOST_DRAWN = 800;
/** The maximum number of points of a selection that are drawn. */
const MOST_FINALISTS = 20;
/** The maximum number of values of an input with a label beside its axis. */
const MOST_LABELS = 12;

type Drawn<C extends Campaign> = Pick<C, 'strategy' | 'goal' | 'outputs' | 'varied'>;
type Searched = Drawn<CampaignBy<'search'>>;
type Seeking = Drawn<SeekingCampaign>;

/** Makes pictures of a search: its progress, its points, and the comparison at its end. */
export function searchFigures(campaign: Searched, story: SearchStory): Figure[] {
  const output = measureOf(campaign.outputs, campaign.goal!.output);
  if (!story.points.some(({ value }) => value !== null)) return [];
  return [
    progressFigure(campaign, story, output),
    ...finalistsFigure(campaign, story.finalists, story.summary.best),
    ...parallelFigure(campaign, story, output),
  ];
}

function progressFigure(
  { goal }: Searched,
  { summary: { best, stoppedBy, stage }, points, isNoisy, finalists }: SearchStory,
  output: Measure,
): Figure {
  const told = points.filter(({ state }) => state !== 'open');
  const [drawn, isPart] = evenly(told, best?.ordinal);
  const winner = finalists.length > 0 && stage === 'over' ? best : null;
  const has = (is: (point: AskedPoint) => boolean): boolean => drawn.some(is);
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
      {
        points: drawn,
        steps: stepsOf(told, goal!.wants),
        end: stoppedBy === null ? null : (points.at(-1)?.ask ?? null),
        winner: winner && { value: winner.value, interval: winner.interval },
      },
      output,
    ),
  };
}

function runsText({ choice, runs }: BestPoint): string {
  return choice === 'alone'
    ? counted(runs, 'run')
    : `${counted(runs, 'run')} that were not used to choose it`;
}

/**
 * The best value so far: one step at each ask where the value changes, and one at the last ask, if that is a later one.
 * An ask is a point that the search asked for.
 */
function stepsOf(points: readonly AskedPoint[], wants: 'lowest' | 'highest'): Progress['steps'] {
  const steps: Progress['steps'] = [];
  for (const { ask, value, isFeasible } of points) {
    const last = steps.at(-1)?.value;
    if (value === null || !isFeasible) continue;
    if (last === undefined || (wants === 'lowest' ? value < last : value > last)) steps.push({ ask, value });
  }
  const [last, end] = [steps.at(-1), points.at(-1)];
  if (last && end && end.ask > last.ask) steps.push({ ask: end.ask, value: last.value });
  return steps;
}

/** Makes the picture of a selection: its best points. */
export function selectFigures(
  campaign: Drawn<CampaignBy<'selection'>>,
  { points, summary }: SelectStory,
): Figure[] {
  return finalistsFigure(campaign, points.slice(0, MOST_FINALISTS), summary.best);
}

function finalistsFigure(
  campaign: Seeking,
  finalists: readonly Finalist[],
  best: BestPoint | null,
): Figure[] {
  const known = finalists.flatMap((one) => (one.mean === null ? [] : [{ ...one, mean: one.mean }]));
  if (known.length === 0) return [];
  const isOfDesign = campaign.strategy.by === 'selection';
  const output = measureOf(campaign.outputs, campaign.goal!.output);
  const names = namesOf(
    campaign,
    known.map(({ values }) => values),
  );
  const winner = known.find(({ isWinner }) => isWinner);
  const hasOwn = winner !== undefined && best!.choice !== 'alone';
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
      ),
      id: 'finalists',
      spec: finalistRows(
        known.map(({ mean, interval, seen, isWinner, isFeasible }, at) => ({
          name: names[at]!,
          mean,
          interval,
          seen: isOfDesign ? null : seen,
          kind: isWinner ? 'winner' : isFeasible ? 'finalist' : 'infeasible',
          own: isWinner && hasOwn ? best!.value : null,
        })),
        output,
      ),
    },
  ];
}

/**
 * The names of points: "Contact rate 1.67, Recovery rate 0.44". Numbers have all digits if two points would otherwise
 * have the same name.
 */
function namesOf({ strategy, varied }: Seeking, points: readonly (readonly string[])[]): string[] {
  const named = (short: (text: string) => string): string[] =>
    points.map((values) =>
      (strategy.by === 'search' ? inputsOfSearch(strategy) : varied)
        .map(({ name, type }, at) => `${name} ${isNumeric(type) ? short(values[at]!) : values[at]!}`)
        .join(', '),
    );
  const brief = named(shortNumber);
  return new Set(brief).size === points.length ? brief : named((text) => text);
}

/**
 * Draws each point as a line over its inputs. Returns no picture if the search has only one input, or if fewer than two
 * points within the bounds have a value.
 */
function parallelFigure(
  { strategy, goal, varied }: Searched,
  { points, summary: { best }, isNoisy }: SearchStory,
  output: Measure,
): Figure[] {
  const known = points.filter(({ value, isOutside }) => value !== null && !isOutside);
  if (strategy.inputs.length < 2 || known.length < 2) return [];
  const [drawn, isPart] = evenly(known, best?.ordinal);
  const scales = strategy.inputs.map((input) =>
    scaleOf(
      input,
      varied.find(({ name }) => name === input.name),
    ),
  );
  const lineOf = ({ values, value, isFeasible }: AskedPoint): PointLine => ({
    isFeasible,
    places: values.map((text, at) => scales[at]!.placeOf(text)),
    value: value!,
  });
  const front = drawn.find(({ ordinal }) => ordinal === best?.ordinal);
  return [
    {
      title: 'All points of the search',
      caption: sentences(
        `${isPart ? `${counted(drawn.length, 'point')} spread evenly over all` : `All ${counted(drawn.length, 'point')} that have a value`}, each a line over its inputs; better points have warmer colours`,
        front ? 'The best point is the thick line' : undefined,
        drawn.some(({ isFeasible }) => !isFeasible)
          ? 'Dashed grey lines do not meet the requirements'
          : undefined,
        isNoisy ? 'Colours show the values during the search' : undefined,
      ),
      id: 'search-points',
      spec: parallelCoordinates(
        scales.map(({ axis }) => axis),
        drawn.map(lineOf),
        { output, wants: goal!.wants, best: front && lineOf(front) },
      ),
    },
  ];
}

/** Chooses points spread evenly over all points, and also the best point. */
function evenly(points: readonly AskedPoint[], best: number | undefined): [AskedPoint[], isPart: boolean] {
  const sample = new EvenSample<AskedPoint>(MOST_DRAWN);
  for (const point of points) sample.add(() => point);
  if (!sample.isPart) return [[...points], false];
  const kept = new Set(sample.items);
  return [points.filter((point) => kept.has(point) || point.ordinal === best), true];
}

/** Makes the axis of an input, and a function that gives the position of a value along the axis, from 0 to 1. */
function scaleOf(
  input: SearchedInput,
  varied: VariedInput | undefined,
): { axis: UprightAxis; placeOf: (value: string) => number } {
  const title = titleOf(varied ?? input);
  if (input.kind === 'choice') {
    const { values } = input;
    const places = new Map(
      values.map((value, at) => [value, values.length === 1 ? 0.5 : at / (values.length - 1)]),
    );
    const every = Math.ceil(values.length / MOST_LABELS);
    const labels = values.flatMap((text, at) => (at % every === 0 ? [{ at: places.get(text)!, text }] : []));
    return { axis: { title, labels }, placeOf: (value) => places.get(value)! };
  }
  const { min, max, scale } = input;
  const along = scale === 'log' ? Math.log : (value: number) => value;
  const back = scale === 'log' ? Math.exp : (value: number) => value;
  const [low, high] = [along(min), along(max)];
  const labels = [0, 0.25, 0.5, 0.75, 1].map((at) => ({
    at,
    text: numberText(back(low + at * (high - low))),
  }));
  return {
    axis: { title, labels },
    placeOf: (value) => (along(Number(value)) - low) / (high - low),
  };
}
