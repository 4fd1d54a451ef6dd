import { RANDOM_SEED, stepCount, stepValues } from '../api/index.ts';
import type { Range } from './definition.ts';
import { pointKey, replicationSeed } from './keys.ts';
import type { Campaign, Point } from './types.ts';

/** The seed that replications are derived from when a definition names none. */
const DEFAULT_SEED = 0;

/** The values of {from, to, step}. */
export function rangeValues({ from, to, step }: Range): number[] {
  return stepValues(from, to, step);
}

/** How many values {from, to, step} has, without making them. */
export function rangeCount({ from, to, step }: Range): number {
  return stepCount(from, to, step);
}

/** What of a campaign its points depend on. */
export type DesignOf = Pick<Campaign, 'base' | 'varied'> & Partial<Pick<Campaign, 'fresh'>>;

/** The points of a campaign's grid in design order: the last input varies fastest. */
export function* expand(campaign: DesignOf): Generator<Point> {
  const { varied, fresh } = campaign;
  const salt = fresh?.by === 'salt' ? fresh.input : undefined;
  // what tells repeats of a point apart is no part of what the point is
  const fixed = campaign.base.filter(
    ({ name }) => name !== RANDOM_SEED && name !== salt && !varied.some((input) => input.name === name),
  );
  const total = pointCount(campaign);
  for (let ordinal = 0; ordinal < total; ordinal += 1) {
    let rest = ordinal;
    const values = new Array<string>(varied.length);
    for (let at = varied.length - 1; at >= 0; at -= 1) {
      const input = varied[at]!;
      values[at] = input.values[rest % input.values.length]!;
      rest = Math.floor(rest / input.values.length);
    }
    const inputs = varied.map(({ name }, at) => ({ name, value: values[at]! }));
    yield { ordinal, key: pointKey([...fixed, ...inputs]), values };
  }
}

/** How many points the campaign's grid has. */
export function pointCount(campaign: Pick<Campaign, 'varied'>): number {
  return campaign.varied.reduce((product, { values }) => product * values.length, 1);
}

/**
 * The full inputs of one run: what is sent to the service for replication n (from 1) of a point.
 *
 * @param reseeded how many attempts with another seed came before this one
 */
export function runInputs(
  campaign: Pick<Campaign, 'base' | 'varied' | 'seed'>,
  point: Pick<Point, 'key' | 'values'>,
  replication: number,
  reseeded = 0,
): Campaign['base'] {
  const varied = new Map(campaign.varied.map(({ name }, at) => [name, point.values[at]!]));
  const derivesSeed = campaign.seed !== null || replication > 1 || reseeded > 0;
  return campaign.base.map((input) => {
    const own = varied.get(input.name);
    if (own !== undefined) return { ...input, value: own };
    if (input.name === RANDOM_SEED && derivesSeed) {
      const seed = campaign.seed ?? DEFAULT_SEED;
      return { ...input, value: replicationSeed(seed, point.key, replication, reseeded) };
    }
    return input;
  });
}
