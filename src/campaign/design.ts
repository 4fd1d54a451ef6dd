import { RANDOM_SEED } from '../api/index.ts';
import type { Range } from './definition.ts';
import { pointKey, replicationSeed } from './keys.ts';
import type { Campaign, Point } from './types.ts';

/** The seed that replications are derived from when a definition names none. */
const DEFAULT_SEED = 0;

/**
 * The values of {from, to, step}: `to` is included when a whole number of steps reaches it. Each value is rounded to
 * the decimals that were written, so that 1.2 + 2 × 0.1 is 1.4 and not 1.4000000000000001.
 */
export function rangeValues({ from, to, step }: Range): number[] {
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  const decimals = Math.max(decimalsOf(from), decimalsOf(step));
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    Number((from + index * step).toFixed(decimals)),
  );
}

/** How many values {from, to, step} has, without making them. */
export function rangeCount({ from, to, step }: Range): number {
  return Math.max(0, Math.floor((to - from) / step + 1e-9) + 1);
}

function decimalsOf(number: number): number {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const digits = mantissa.split('.')[1]?.length ?? 0;
  return Math.min(100, Math.max(0, digits - Number(exponent)));
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
