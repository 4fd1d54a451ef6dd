import { isNumericType } from '../../api/index.ts';
import type { SpreadInput } from '../../campaign/designs/spread-input.ts';
import { quantile } from '../../campaign/sampling/distributions.ts';
import type { CampaignBy, VariedInput } from '../../campaign/types.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { colourKey } from './key.ts';
import { inputColumn, PictureNumbers } from './numbers.ts';
import { wholeTicks } from './scales.ts';
import { panels } from './panels.ts';
import { colours, type Spec } from './vega.ts';
import { titleOf } from '../words/words.ts';
import { rangeOf } from '../../statistics/sample.ts';
import { weightedCorrelation } from '../../search/abc/population.ts';
import type { CalibrationStory } from '../../search/abc/story.ts';

/** The maximum number of inputs that are drawn, each in its own panel. */
const MOST_INPUTS = 9;

/** The maximum number of inputs that are drawn in pairs. */
const MOST_IN_PAIRS = 4;

/** The number of bars of an input. */
const BARS = 20;

/** The number of places at which the density of a prior is drawn. */
const PLACES = 100;

/** The share of a prior that is not drawn at each end. A normal distribution has no ends, so it must be cut. */
const END = 0.002;

/**
 * If the posterior covers less than this part of the prior's drawn range, the axis shows only the posterior and a
 * margin.
 */
const LEAST_OF_RANGE = 0.1;

/** Makes pictures of the posterior of a calibration: each input with its prior, and pairs of inputs. */
export function posteriorFigures(
  { varied, strategy }: Pick<CampaignBy<'calibration'>, 'varied' | 'strategy'>,
  { particles }: CalibrationStory,
): Figure[] {
  if (particles.length === 0) return [];
  const drawn = strategy.priors.flatMap((prior, at) => {
    const input = varied.find(({ name }) => name === prior.name)!;
    if (!isNumericType(input.type)) return [];
    return { prior, input, values: particles.map(({ values }) => Number(values[at])) };
  });
  const texts = strategy.priors.filter((prior) => drawn.every((one) => one.prior !== prior));
  return [
    ...(drawn.length > 0 ? [densitiesFigure(drawn, texts, particles)] : []),
    ...(drawn.length > 1 ? [pairsFigure(drawn, particles)] : []),
  ];
}

/** A numeric input with its prior, and its value at each particle. */
interface DrawnInput {
  prior: SpreadInput;
  input: VariedInput;
  values: readonly number[];
}

/** @param texts - the inputs that are not drawn, because they have no numbers */
function densitiesFigure(
  all: readonly DrawnInput[],
  texts: readonly SpreadInput[],
  particles: CalibrationStory['particles'],
): Figure {
  const titles = ['Input', 'From', 'To', 'Density of the posterior', 'Value', 'Density of the prior'];
  const numbers = new PictureNumbers(titles.map((title) => ({ title })));
  const shown = all.slice(0, MOST_INPUTS);
  const priors = shown.map(({ prior }) => prior);
  const withoutLine = priors.filter(({ distribution }) => distribution.kind === 'choice');
  const namesOf = (some: readonly SpreadInput[]): string => some.map(({ name }) => name).join(', ');
  const weights = particles.map(({ weight }) => weight);
  return {
    title: 'Posterior and prior',
    caption: sentences(
      'The distribution of each input after the calibration (bars) and before it (line)',
      withoutLine.length > 0
        ? `There is no line for ${namesOf(withoutLine)}, because the prior is a list of values`
        : undefined,
      texts.length > 0
        ? `There is no picture of ${namesOf(texts)}, because only inputs with numbers are drawn`
        : undefined,
      partText(all.length, shown.length, 'inputs'),
    ),
    id: 'posterior',
    spec: densities(
      shown.map(({ prior, input, values }) => densityPanel(prior, input, values, weights)),
      numbers,
    ),
    numbers,
  };
}

function pairsFigure(all: readonly DrawnInput[], particles: CalibrationStory['particles']): Figure {
  const paired = all.slice(0, MOST_IN_PAIRS);
  const numbers = new PictureNumbers([
    ...all.map(({ input }) => inputColumn(input)),
    { title: 'Weight' },
    { title: 'Distance' },
  ]);
  const points = particles.map(({ key, weight, distance }, i) => ({
    weight,
    ...numbers.add([...all.map(({ values }) => values[i]), weight, distance], key),
  }));
  const panels = paired.flatMap((x, at) =>
    paired.slice(at + 1).map((y): PairPanel => ({
      x: x.input,
      y: y.input,
      points: points.map((point, i) => ({ x: x.values[i]!, y: y.values[i]!, ...point })),
    })),
  );
  return {
    title: 'Posterior of pairs of inputs',
    caption: sentences(
      'The accepted points; a larger point has a larger weight',
      ...panels.map((panel) => correlationText(panel)),
      partText(all.length, paired.length, 'inputs'),
    ),
    id: 'posterior-pairs',
    spec: pairs(panels),
    numbers,
    inputs: panels.map(({ x, y }) => ({ x: x.name, y: y.name })),
  };
}

function correlationText({ x, y, points }: PairPanel): string | undefined {
  const found = weightedCorrelation(
    points.map((point) => point.x),
    points.map((point) => point.y),
    points.map(({ weight }) => weight),
  );
  return found === undefined
    ? undefined
    : `The correlation of ${x.name} and ${y.name} is ${found.toFixed(2)}`;
}

function densityPanel(
  { distribution }: SpreadInput,
  input: VariedInput,
  values: readonly number[],
  weights: readonly number[],
): DensityPanel {
  const [least, most] = rangeOf(values);
  const width = (most - least) / BARS || 1;
  const bars = Array.from({ length: BARS }, (_, at) => ({
    from: least + at * width,
    to: least + (at + 1) * width,
    density: 0,
  }));
  for (const [at, value] of values.entries())
    bars[Math.min(BARS - 1, Math.floor((value - least) / width))]!.density += weights[at]! / width;
  const line = distribution.kind === 'choice' ? [] : densityOf((share) => quantile(distribution, share));
  const [low, high] = [line[0]?.x ?? least, line.at(-1)?.x ?? most];
  const isNarrow = most - least < LEAST_OF_RANGE * (high - low);
  const margin = (most - least) / 2;
  const range: [number, number] = isNarrow
    ? [least - margin, most + margin]
    : [Math.min(low, least), Math.max(high, most)];
  return { input, bars: bars.filter(({ density }) => density > 0), line, range };
}

/** The density of a distribution, computed from its quantiles. */
function densityOf(quantileAt: (share: number) => number): { x: number; density: number }[] {
  const shares = Array.from({ length: PLACES + 1 }, (_, i) => END + ((1 - 2 * END) * i) / PLACES);
  return shares.slice(1).flatMap((share, i) => {
    const before = shares[i]!;
    const [from, to] = [quantileAt(before), quantileAt(share)];
    return to > from ? [{ x: (from + to) / 2, density: (share - before) / (to - from) }] : [];
  });
}

/**
 * The distribution of an input: bars show it after the calibration, and a line shows it before the calibration. The
 * line is empty if the prior has no density.
 */
interface DensityPanel {
  input: VariedInput;
  bars: { from: number; to: number; density: number }[];
  line: { x: number; density: number }[];
  /** The ends of the axis. */
  range: [number, number];
}

/** The accepted points of a calibration, by the values of two inputs. */
interface PairPanel {
  x: VariedInput;
  y: VariedInput;
  points: { x: number; y: number; weight: number; row: number }[];
}

const POSTERIOR = 'posterior';

const PRIOR = 'prior';

function densities(all: readonly DensityPanel[], numbers: PictureNumbers): Spec {
  const colourOf = colourKey([
    { name: POSTERIOR, colour: colours.line, opacity: 0.7, kind: 'area' },
    { name: PRIOR, colour: colours.muted, opacity: 1, kind: 'line' },
  ]);
  const drawn = all.map(({ input, bars, line, range }) => {
    const title = titleOf(input);
    const x = {
      type: 'quantitative',
      title,
      scale: { domain: range, nice: false, zero: false },
      axis: { grid: false, tickCount: 5, labelOverlap: true, ...wholeTicks(input) },
    };
    const y = { type: 'quantitative', title: 'Density', axis: { tickCount: 4, labels: false } };
    return {
      layer: [
        {
          data: {
            values: bars.map((bar) => ({
              ...bar,
              none: 0,
              ...numbers.add([title, bar.from, bar.to, bar.density]),
            })),
          },
          mark: { type: 'rect', opacity: 0.7, clip: true },
          encoding: {
            x: { field: 'from', ...x },
            x2: { field: 'to' },
            y: { field: 'none', ...y },
            y2: { field: 'density' },
            color: colourOf(POSTERIOR),
          },
        },
        {
          data: {
            values: line
              .filter(({ x }) => x >= range[0] && x <= range[1])
              .map((place) => ({
                ...place,
                ...numbers.add([title, null, null, null, place.x, place.density]),
              })),
          },
          mark: { type: 'line', strokeWidth: 2.5, clip: true },
          encoding: {
            x: { field: 'x', ...x },
            y: { field: 'density', ...y },
            color: colourOf(PRIOR),
          },
        },
      ],
    };
  });
  return panels(drawn, 260, 170);
}

function pairs(all: readonly PairPanel[]): Spec {
  const axis = (field: string, input: VariedInput) => ({
    field,
    type: 'quantitative',
    title: titleOf(input),
    scale: { zero: false, padding: 8 },
    axis: { grid: false, tickCount: 5, labelOverlap: true, ...wholeTicks(input) },
  });
  const drawn = all.map(({ x, y, points }) => ({
    data: { values: points },
    mark: { type: 'point', filled: true, color: colours.line, opacity: 0.45 },
    encoding: {
      x: axis('x', x),
      y: axis('y', y),
      size: { field: 'weight', type: 'quantitative', scale: { range: [4, 90] }, legend: null },
    },
  }));
  return panels(drawn, 360, 220);
}
