import { createHash, hash } from 'node:crypto';

/** The seed of a campaign that derives seeds, if its definition has none. */
export const DEFAULT_SEED = 0;

/** The seeds that a model takes: whole numbers from `least` to `most`. */
export interface SeedRange {
  least: number;
  most: number;
}

/**
 * Returns a function that makes the key of a point from its values, which are in the order of `names`. The key is 16
 * hexadecimal digits of the SHA-256 of the point's canonical inputs, sorted by name. It does not depend on the design,
 * so it stays the same when the design changes. The seed is part of it only if the design varies the seed.
 */
export function pointKeys(names: readonly string[]): (values: readonly string[]) => string {
  const sorted = names
    .map((name, at) => ({ name, at }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, at }) => ({ start: `[${JSON.stringify(name)},`, at }));
  return (values) => {
    const pairs = sorted.map(({ start, at }) => `${start}${JSON.stringify(values[at])}]`);
    const digits = hash('sha256', `[${pairs.join(',')}]`).slice(0, 16);
    // a copy, because a substring would keep the whole string in memory, for each of millions of points
    return Buffer.from(digits, 'latin1').toString('latin1');
  };
}

/**
 * The seed of a replication: a positive integer below 2^48, or a number in the range of a model that takes only some
 * seeds. It depends only on the campaign's seed, the key of the point, the number of the replication and the range, so
 * added points never change the seeds of other points. After attempts with other seeds (`failures.seed: new`), the seed
 * also depends on the number of these attempts, `reseeded`.
 *
 * @param key null for common random numbers: replication n then has the same seed at every point
 * @param range the seeds that the model takes; the seeds of a point repeat only when it has used all of them
 */
export function replicationSeed(
  campaignSeed: number,
  key: string | null,
  replication: number,
  reseeded = 0,
  range?: SeedRange,
): string {
  const attempt = reseeded > 0 ? `/${reseeded}` : '';
  if (range) return seedWithin(range, `${campaignSeed}/${key ?? ''}${attempt}`, replication - 1);
  const digest = createHash('sha256')
    .update(`${campaignSeed}/${key ?? ''}/${replication}${attempt}`)
    .digest();
  return String(digest.readUIntBE(0, 6) || 1);
}

const ROUNDS = 4;

/**
 * The number at an index of a random order of the numbers in a range: a Feistel network over the next power of four,
 * applied until the result lies in the range (J. Black and P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA
 * 2002).
 */
function seedWithin({ least, most }: SeedRange, stream: string, index: number): string {
  const size = BigInt(most) - BigInt(least) + 1n;
  let halfBits = 1n;
  while (1n << (2n * halfBits) < size) halfBits += 1n;
  const mask = (1n << halfBits) - 1n;
  let at = BigInt(index) % size;
  do {
    let [left, right] = [at >> halfBits, at & mask];
    for (let round = 0; round < ROUNDS; round += 1) {
      const digest = createHash('sha256').update(`${stream}/${round}/${right}`).digest();
      [left, right] = [right, left ^ (digest.readBigUInt64BE() & mask)];
    }
    at = (left << halfBits) | right;
  } while (at >= size);
  return String(BigInt(least) + at);
}
