import type { Found, InputIndices } from './analysis.ts';
import { type Certainty, certaintyOf, certaintyOfMeans, shareChange } from './contrast.ts';
import type { PointValues } from './point-values.ts';
import { errorVariance } from './replicates.ts';

/** The points that differ from the base point in at most one input. */
export interface InputLine {
  input: string;
  /** The points with all values of the input, numbers in ascending order. One of them may be the base point. */
  places: readonly Place[];
  /** The input's numbers at these points and at the base point; absent for an input without numbers. */
  numbers?: { low: number; high: number; base: number } | undefined;
}

/** A sum of means: the weight of each point. */
type Weights = readonly [weight: number, point: number][];

/** A value of an input, and the point with this value; −1 for a missing point. */
interface Place {
  value: string;
  point: number;
}

/**
 * The effect of each input alone. The swing is the output at both ends of the input's values. If the values are not
 * numbers, or if the output does not always rise or always fall with them, the swing is from the lowest to the highest
 * output. The elasticity is the relative change of the output divided by the relative change of the input, between the
 * ends of its numbers. Intervals and tests come from the replications. With common random numbers, replications are
 * compared in pairs. The p-value of an input belongs to the two values of its swing, and is multiplied by the number of
 * pairs of its values (Bonferroni). Intervals of elasticities use the delta method. The change of a share has Newcombe's
 * interval, as in a comparison of campaigns, and its elasticity has no interval.
 *
 * @param base - the point in which no input is changed; −1 if there is none
 */
export function swings(
  lines: readonly InputLine[],
  base: number,
  values: PointValues,
  confidence: number,
): Found {
  const { means, replicates, isPaired, isShare, error } = values;
  const mean = (point: number): number => (point < 0 ? NaN : means[point]!);
  // equal results of a few runs at a point do not show that there is no chance at it: it then gets that of all points
  const pooled = replicates && errorVariance(pointsOf(lines, base).map(replicates), false);
  /** The uncertainty of a sum of weighted means. The weights of a point that occurs twice are added up. */
  const certain = (value: number, terms: Weights, level = confidence): Certainty | undefined => {
    const points = [...Map.groupBy(terms, ([, point]) => point)].map(
      ([point, own]) => [own.reduce((sum, [weight]) => sum + weight, 0), point] as const,
    );
    if (!replicates) {
      const weights = points.map(([weight]) => weight);
      return certaintyOfMeans(value, weights, error, level);
    }
    const once = points.map(([weight, point]) => ({ weight, replicates: replicates(point) }));
    return certaintyOf(value, once, level, { isPaired, least: pooled });
  };
  const change = (low: Place, high: Place, level: number): Certainty | undefined => {
    const effect = mean(high.point) - mean(low.point);
    const ends: Weights = [
      [1, high.point],
      [-1, low.point],
    ];
    return isShare && replicates
      ? shareChange(replicates(low.point), replicates(high.point), level, isPaired)
      : certain(effect, ends, level);
  };
  const elasticityOf = (
    { numbers }: InputLine,
    [first, last]: [number, number],
  ): Pick<InputIndices, 'elasticity' | 'elasticityInterval'> => {
    const middle = mean(base);
    const inputChange = numbers ? (numbers.high - numbers.low) / numbers.base : NaN;
    // the change is 0 or nearly 0, or the base is 0
    if (!Number.isFinite(inputChange) || !Number.isFinite(1 / inputChange)) return {};
    const elasticity = (mean(last) - mean(first)) / middle / inputChange;
    if (!Number.isFinite(elasticity)) return {};
    if (isShare) return { elasticity };
    // the delta method: the derivatives of the elasticity with respect to the three means
    const unit = 1 / (middle * inputChange);
    const elasticityInterval = certain(elasticity, [
      [unit, last],
      [-unit, first],
      [-elasticity / middle, base],
    ])?.interval;
    return { elasticity, ...(elasticityInterval && { elasticityInterval }) };
  };
  const lacking: string[] = [];
  const indices = lines.map((line): InputIndices => {
    const { input, places: all, numbers } = line;
    // numbers need only their ends
    const places = all.filter(
      ({ point }, at) => !numbers || at === 0 || at === all.length - 1 || !Number.isNaN(mean(point)),
    );
    if (places.some(({ point }) => Number.isNaN(mean(point)))) {
      lacking.push(input);
      return { input };
    }
    const sorted = places.toSorted((a, b) => mean(a.point) - mean(b.point));
    const rises = (ordered: readonly Place[]): boolean =>
      ordered.slice(1).every(({ point }, at) => mean(ordered[at]!.point) <= mean(point));
    const isChosen = !numbers || !(rises(places) || rises(places.toReversed()));
    const [low, high] = isChosen ? [sorted[0]!, sorted.at(-1)!] : [places[0]!, places.at(-1)!];
    const effect = mean(high.point) - mean(low.point);
    // the outputs choose two of these values, so the interval and the p-value hold for each pair of values
    const pairs = (places.length * (places.length - 1)) / 2;
    const level = isChosen ? 1 - (1 - confidence) / Math.max(1, pairs) : confidence;
    const { interval: effectInterval, p } = change(low, high, level) ?? {};
    return {
      input,
      low: mean(low.point),
      high: mean(high.point),
      ...(isChosen && { lowAt: low.value, highAt: high.value }),
      effect,
      ...(effectInterval && { effectInterval }),
      ...(pairs > 0 && p !== undefined && { p: Math.min(1, pairs * p) }),
      ...elasticityOf(line, [places[0]!.point, places.at(-1)!.point]),
    };
  });
  return {
    indices,
    warnings:
      lacking.length > 0
        ? [`A needed point has no value, so the effects of ${lacking.join(', ')} are unknown.`]
        : [],
  };
}

/** The known points of all lines, each once. */
function pointsOf(lines: readonly InputLine[], base: number): number[] {
  const all = lines.flatMap(({ places }) => places.map(({ point }) => point));
  return [...new Set([base, ...all])].filter((point) => point >= 0);
}
