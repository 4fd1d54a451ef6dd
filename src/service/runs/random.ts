import { createHash } from 'node:crypto';
import type { Allowed } from '../../api/allowed-values.ts';
import type { InputType } from '../../api/constants.ts';

/**
 * Values drawn from a seed. Each value is computed by SHA-256 from the seed and the purpose of the value. So it does
 * not depend on other draws.
 */

/**
 * Draws the value of a RANDOM_* input, as canonical text. `bounds` is the value in the request: JSON with `min` and
 * `max`.
 */
export function drawValue(seed: string, name: string, type: InputType, bounds: string): string {
  const u = uniform(seed, name);
  if (type === 'RANDOM_BOOLEAN') return String(u < 0.5);
  const { min, max } = JSON.parse(bounds) as { min: number; max: number };
  if (type === 'RANDOM_INTEGER') return String(min + Math.floor(u * (max - min + 1)));
  // a weighted sum, because max - min may overflow; rounding must not leave the bounds
  return String(Math.min(max, Math.max(min, min * (1 - u) + max * u)));
}

const MOST_SEED = 2n ** 63n - 1n;

/**
 * The seed of a replication of a Monte Carlo experiment: a whole number from 0 to 2^63 - 1, or between the limits that
 * the model declares. The first replication has the number n = 1.
 */
export function replicationSeed(
  seed: string,
  n: number,
  { min, max }: Pick<Allowed, 'min' | 'max'> = {},
): string {
  const drawn = digest('replication', seed, n).readBigUInt64BE() >> 1n;
  if (min === undefined && max === undefined) return String(drawn);
  const most = max === undefined ? MOST_SEED : BigInt(Math.floor(max));
  const lowest = most < 0n ? -MOST_SEED : 0n;
  const least = min === undefined ? lowest : BigInt(Math.ceil(min));
  return String(least + (drawn % (most - least + 1n)));
}

/** A number from 0 (included) to 1 (excluded) that depends only on the seed and the name. */
function uniform(seed: string, name: string): number {
  return digest('input', seed, name).readUIntBE(0, 6) / 2 ** 48;
}

function digest(...parts: (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
