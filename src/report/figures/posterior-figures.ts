import { isNumeric } from '../../campaign/designs/input-types.ts';
import type { SpreadInput } from '../../campaign/designs/spread.ts';
import { quantile } from '../../campaign/sampling/distributions.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import type { CalibrationStory } from '../../search/abc/story.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { type DensityPanel, densities, type PairPanel, pairs } from '../pictures/posterior.ts';
import { titleOf } from '../words/words.ts';

/** The maximum number of inputs that are drawn, each in its own panel. */
const MOST_INPUTS = 9;
/** The maximum number of inputs that are drawn in pairs. */
const MOST_IN_PAIRS = 4;
const BARS = 20;
/** The number of places at which the density of a prior is drawn. */
const PLACES = 200;
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
  const weights = particles.map(({ weight }) => weight);
  const all = strategy.priors.flatMap((prior, at) => {
    const input = varied.find(({ name }) => name === prior.name)!;
    if (!isNumeric(input.type)) return [];
    return { prior, title: titleOf(input), values: particles.map(({ values }) => Number(values[at])) };
  });
  const shown = all.slice(0, MOST_INPUTS);
  const listed = shown.filter(({ prior }) => prior.distribution.kind === 'choice');
  const texts = strategy.priors.filter((prior) => all.every((one) => one.prior !== prior));
  const namesOf = (priors: readonly SpreadInput[]): string => priors.map(({ name }) => name).join(', ');
  const paired = all.slice(0, MOST_IN_PAIRS);
  const panels = paired.flatMap((x, at) =>
    paired.slice(at + 1).map((y): PairPanel => ({
      x: x.title,
      y: y.title,
      points: weights.map((weight, i) => ({ x: x.values[i]!, y: y.values[i]!, weight })),
    })),
  );
  return [
    ...(shown.length === 0
      ? []
      : [
          {
            title: 'Posterior and prior',
            caption: sentences(
              'The distribution of each input after the calibration (bars) and before it (line)',
              listed.length > 0
                ? `There is no line for ${namesOf(listed.map(({ prior }) => prior))}, because the prior is a list of values`
                : undefined,
              texts.length > 0
                ? `There is no picture of ${namesOf(texts)}, because only inputs with numbers are drawn`
                : undefined,
              partText(all.length, shown.length, 'inputs'),
            ),
            id: 'posterior',
            spec: densities(
              shown.map(({ prior, title, values }) => densityPanel(prior, title, values, weights)),
            ),
          },
        ]),
    ...(panels.length === 0
      ? []
      : [
          {
            title: 'Posterior of pairs of inputs',
            caption: sentences(
              'The accepted points; a larger point has a larger weight',
              partText(all.length, paired.length, 'inputs'),
            ),
            id: 'posterior-pairs',
            spec: pairs(panels),
          },
        ]),
  ];
}

function densityPanel(
  { distribution }: SpreadInput,
  title: string,
  values: readonly number[],
  weights: readonly number[],
): DensityPanel {
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
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
  return { title, bars: bars.filter(({ density }) => density > 0), line, range };
}

/** The density of a distribution, computed from its quantiles. */
function densityOf(at: (share: number) => number): { x: number; density: number }[] {
  const shares = Array.from({ length: PLACES + 1 }, (_, i) => END + ((1 - 2 * END) * i) / PLACES);
  return shares.slice(1).flatMap((share, i) => {
    const [from, to] = [at(shares[i]!), at(share)];
    return to > from ? [{ x: (from + to) / 2, density: (share - shares[i]!) / (to - from) }] : [];
  });
}
