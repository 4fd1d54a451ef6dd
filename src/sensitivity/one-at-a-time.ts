import type { Found, InputIndices } from './analysis.ts';
import { certaintyOf, shareChange, type Term } from './contrast.ts';
import type { PointValues } from './point-values.ts';
import type { Replicate } from './replicates.ts';

/** The points in which only one input differs from the base point. */
export interface InputLine {
  input: string;
  /**
   * The points with the input's lowest and highest number. If its values are not numbers: the points with all its
   * values. One of them may be the base point.
   */
  places: readonly Place[];
  /** The input's numbers at these points and at the base point; absent for an input without numbers. */
  numbers?: { low: number; high: number; base: number } | undefined;
}

/** A value of an input, and the point with this value; −1 for a missing point. */
interface Place {
  value: string;
  point: number;
}

/**
 * The effect of each input alone. The swing is the output at both ends of the input's values. Values that are not
 * numbers have no order: their swing is from the lowest to the highest output. The elasticity is the relative change of
 * the output divided by the relative change of the input. Intervals come from the replications. With common random
 * numbers, replications are compared in pairs. Intervals of elasticities use the delta method. The change of a share has
 * Newcombe's interval, as in a comparison of campaigns, and its elasticity has no interval.
 *
 * @param base - the point in which no input is changed; −1 if there is none
 */
export function swings(
  lines: readonly InputLine[],
  base: number,
  { means, replicates, isPaired, isShare }: PointValues,
  confidence: number,
): Found {
  const mean = (point: number): number => (point < 0 ? NaN : means[point]!);
  const term = (weight: number, point: number): Term => ({
    weight,
    replicates: replicates?.(point) ?? ([] as Replicate[]),
  });
  /** The interval of a sum of weighted means. The weights of a point that occurs twice are added up. */
  const certain = (value: number, terms: readonly [weight: number, point: number][], level = confidence) => {
    const points = Map.groupBy(terms, ([, point]) => point);
    const once = [...points].map(([point, own]) =>
      term(
        own.reduce((sum, [weight]) => sum + weight, 0),
        point,
      ),
    );
    return replicates && certaintyOf(value, once, level, { isPaired })?.interval;
  };
  const lacking: string[] = [];
  const indices = lines.map(({ input, places, numbers }): InputIndices => {
    if (places.some(({ point }) => Number.isNaN(mean(point)))) {
      lacking.push(input);
      return { input };
    }
    const ordered = numbers ? places : places.toSorted((a, b) => mean(a.point) - mean(b.point));
    const [{ value: lowAt, point: low }, { value: highAt, point: high }] = [ordered[0]!, ordered.at(-1)!];
    const effect = mean(high) - mean(low);
    // the outputs choose two of these values, so the interval holds for each pair of values (Bonferroni)
    const pairs = Math.max(1, (places.length * (places.length - 1)) / 2);
    const level = 1 - (1 - confidence) / pairs;
    const ends: [number, number][] = [
      [1, high],
      [-1, low],
    ];
    const effectInterval =
      isShare && replicates
        ? shareChange(replicates(low), replicates(high), level, isPaired)
        : certain(effect, ends, level);
    const found = {
      input,
      low: mean(low),
      high: mean(high),
      ...(!numbers && { lowAt, highAt }),
      effect,
      ...(effectInterval && { effectInterval }),
    };
    const middle = mean(base);
    const step = numbers && (numbers.high - numbers.low) / numbers.base;
    if (step === undefined || !Number.isFinite(1 / step) || !Number.isFinite(step)) return found;
    const elasticity = effect / middle / step;
    if (!Number.isFinite(elasticity)) return found;
    const unit = 1 / (middle * step);
    if (isShare) return { ...found, elasticity };
    const elasticityInterval = certain(elasticity, [
      [unit, high],
      [-unit, low],
      [-elasticity / middle, base],
    ]);
    return { ...found, elasticity, ...(elasticityInterval && { elasticityInterval }) };
  });
  return {
    indices,
    warnings:
      lacking.length > 0
        ? [`A needed point has no value, so the effects of ${lacking.join(', ')} are unknown.`]
        : [],
  };
}
