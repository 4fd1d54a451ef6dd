import { createHash } from 'node:crypto';
import { Mrg32k3a } from './mrg32k3a.ts';

/**
 * The random numbers for one purpose in one replication. Purposes are independent, so drawing more for one changes no other:
 * two systems with the same seed meet the same customers, though they serve them differently (common random numbers).
 *
 * Where a stream begins is cut from a SHA-512 of seed, replication and purpose. In a period of 2^191, that any two of a
 * million streams overlap within 2^50 numbers has a chance of about 2^-100.
 */
export function randomStream(seed: bigint, replication: number, purpose: string): Mrg32k3a {
  const digest = createHash('sha512').update(`${seed}/${replication}/${purpose}`).digest();
  let at = 0;
  return Mrg32k3a.fromWords(() => digest.readBigUInt64BE(8 * at++));
}
