import { normalCdf, normalQuantile } from '../../../statistics/normal.ts';
import { coordinateOf, levelAt } from '../../../campaign/search/dimension.ts';
import type { OrderedDimension } from '../levels.ts';
import type { Evolution } from './evolution.ts';

/**
 * Near each bound, {@link inBox} replaces the straight line of a coordinate with a parabola. This is the width of that
 * part, as a share of the range of the coordinate. A coordinate is reflected when it is farther than this outside a bound.
 */
const BEND = 0.05;

/** The largest standard deviation of a coordinate. A wider distribution would give nearly the same points in [0, 1]. */
const WIDEST = 1 / 3;

/**
 * Converts a point of the distribution, which has no bounds, to a point of the box. In the middle, a coordinate that is
 * not an integer stays the same. Towards a bound it follows a parabola that touches the bound, and farther outside it
 * is reflected. This is the transformation of pycma (N. Hansen et al., `BoundTransform`). So an optimum on a bound is
 * inside the space of the distribution, no sample is lost, and the distribution stays normal. Resampling and repair do
 * not have these properties.
 */
export function inBox(x: readonly number[], dimensions: readonly OrderedDimension[]): number[] {
  return x.map((value, i) => {
    const dimension = dimensions[i]!;
    return dimension.kind === 'real'
      ? bent(value)
      : coordinateOf(levelAt(value, dimension.levels), dimension.levels);
  });
}

function bent(x: number): number {
  const period = 2 + 4 * BEND;
  const from = (((x + BEND) % period) + period) % period;
  // 0 at the lower bound, 1 + 2·BEND at the upper
  const rising = Math.min(from, period - from);
  if (rising < 2 * BEND) return rising ** 2 / (4 * BEND);
  const left = 1 + 2 * BEND - rising;
  return left < 2 * BEND ? 1 - left ** 2 / (4 * BEND) : rising - BEND;
}

/** Converts a point of the box to a point of the distribution. */
export function fromBox(x: readonly number[], dimensions: readonly OrderedDimension[]): number[] {
  return x.map((value, i) => {
    if (dimensions[i]!.kind === 'integer') return value;
    if (value < BEND) return Math.sqrt(4 * BEND * value) - BEND;
    return value > 1 - BEND ? 1 + BEND - Math.sqrt(4 * BEND * (1 - value)) : value;
  });
}

/** Limits the standard deviation of each coordinate to a third of the box. */
export function narrow(evolution: Evolution): void {
  const widest = Math.max(...evolution.deviations());
  if (widest > WIDEST) evolution.sigma *= WIDEST / widest;
}

/**
 * For each integer coordinate, ensures that a sample leaves the level of the mean at least with a certain probability.
 * Otherwise a search that narrows could stay on one level. This is the margin of R. Hamano, S. Saito, M. Nomura and S.
 * Shirakawa, "CMA-ES with margin: lower-bounding marginal probability for mixed-integer black-box optimization", GECCO
 * (2022), section 4. This probability is 1/(N·λ), as in the paper.
 *
 * @returns for each coordinate whether the mean or the scale was changed
 */
export function holdMargin(evolution: Evolution, dimensions: readonly OrderedDimension[]): boolean[] {
  const least = 1 / (dimensions.length * evolution.population);
  const deviations = evolution.deviations();
  return dimensions.map((dimension, i) => {
    if (dimension.kind === 'real' || dimension.levels < 2) return false;
    const { levels } = dimension;
    const mean = evolution.mean[i]!;
    const level = levelAt(mean, levels);
    const [low, high] = [level / levels, (level + 1) / levels];
    const below = level === 0 ? 0 : normalCdf((low - mean) / deviations[i]!);
    const above = level === levels - 1 ? 0 : normalCdf((mean - high) / deviations[i]!);
    if (level === 0 || level === levels - 1) {
      if (below + above >= least) return false;
      // an outermost level has one threshold, and the mean moves towards it
      const reach = deviations[i]! * normalQuantile(1 - least);
      evolution.mean[i] = level === 0 ? high - reach : low + reach;
      return true;
    }
    if (Math.min(below, above) >= least / 2) return false;
    const [raisedBelow, raisedAbove] = raised(below, above, least / 2);
    const reachBelow = normalQuantile(1 - raisedBelow);
    const reachAbove = normalQuantile(1 - raisedAbove);
    evolution.mean[i] = (low * reachAbove + high * reachBelow) / (reachBelow + reachAbove);
    evolution.scale[i]! *= (high - low) / (deviations[i]! * (reachBelow + reachAbove));
    return true;
  });
}

/**
 * Raises the chances of the levels below and above to at least `least`. The increase is taken from the chances that are
 * above `least`, also from the chance of the level between them.
 */
function raised(below: number, above: number, least: number): [number, number] {
  const [atLeastBelow, atLeastAbove] = [Math.max(least, below), Math.max(least, above)];
  const between = 1 - below - above;
  const excess = 1 - atLeastBelow - atLeastAbove - between;
  const share = excess / (atLeastBelow + atLeastAbove + between - 3 * least);
  return [atLeastBelow + share * (atLeastBelow - least), atLeastAbove + share * (atLeastAbove - least)];
}
