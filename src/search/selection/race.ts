import { pairedDifference, welchDifference } from '../../statistics/difference.ts';
import { Sample } from '../../statistics/sample.ts';

/** A point and the best point that it is compared with. Lower values are better; null for a failed replication. */
export interface RaceInput {
  values: readonly (number | null)[];
  /** The values of the best point by replication; null if there is no best point yet. */
  rival: readonly (number | null)[] | null;
  /** Whether replication n of both points has the same seed. */
  isPaired: boolean;
  /** Whether the values are zeros and ones, or zeros and minus ones. */
  isShare: boolean;
  /** The minimum number of replications of a point, at least 2. */
  min: number;
  /** The maximum number of replications of a point. */
  max: number;
  /** The confidence with which a point counts as worse or better. */
  confidence: number;
}

/** A round adds this share of the existing replications, rounded up. */
const GROWTH = 0.5;

/**
 * The number of replications for a point. The point gets more, up to `max`, while it cannot be distinguished from the
 * best point. A clearly worse point gets no more. A clearly better point gets as many replications as the best point
 * has, so that it does not become the best one by luck.
 */
export function nextOfRace({ values, rival, isPaired, isShare, min, max, confidence }: RaceInput): number {
  const made = values.length;
  if (made < min) return min;
  if (made >= max || !rival) return made;
  // All replications have the same value, so more replications would tell nothing. Equal zeros or ones do not show this:
  // a rare result may be missing by chance.
  if (made > 1 && !isShare && new Set(values).size === 1) return made;
  const difference = differenceOf(values, rival, isPaired, confidence);
  const more = Math.min(max, made + Math.max(1, Math.ceil(GROWTH * made)));
  if (!difference) return more;
  if (difference.low > 0) return made;
  if (difference.high < 0) return Math.min(max, Math.max(made, rival.length));
  return more;
}

/** The interval of the difference of two means, the point minus the best point; undefined with too few values. */
function differenceOf(
  values: RaceInput['values'],
  rival: RaceInput['values'],
  isPaired: boolean,
  confidence: number,
): { low: number; high: number } | undefined {
  // a one-sided decision at this confidence uses an end of this two-sided interval
  const twoSided = 2 * confidence - 1;
  if (isPaired) {
    const differences = sampleOf(
      values.flatMap((value, at) => {
        const other = rival[at];
        return value === null || other === null || other === undefined ? [] : [value - other];
      }),
    );
    return differences.count < 2 ? undefined : pairedDifference(differences, twoSided);
  }
  const [own, other] = [values, rival].map((each) => sampleOf(each.filter((value) => value !== null)));
  return own!.count < 2 || other!.count < 2 ? undefined : welchDifference(other!, own!, twoSided);
}

function sampleOf(values: readonly number[]): Sample {
  const sample = new Sample();
  for (const value of values) sample.add(value);
  return sample;
}
