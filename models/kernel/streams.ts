import { createHash } from 'node:crypto';
import { Mrg32k3a } from './mrg32k3a.ts';

/**
 * The random numbers for one purpose in one replication. Streams are independent, so more draws for one purpose do not
 * change the numbers for another purpose. Two systems with the same seed get the same customers, even if they serve
 * them differently (common random numbers).
 *
 * The start of a stream comes from a SHA-512 of seed, replication and purpose. The period is 2^191, so the
 * probability that any two of a million streams overlap within 2^50 numbers is about 2^-100.
 */
export function randomStream(seed: bigint, replication: number, purpose: string): Mrg32k3a {
  const digest = createHash('sha512').update(`${seed}/${replication}/${purpose}`).digest();
  let at = 0;
  return Mrg32k3a.fromWords(() => digest.readBigUInt64BE(8 * at++));
}
