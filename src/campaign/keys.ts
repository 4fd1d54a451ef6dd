import { createHash } from 'node:crypto';

/**
 * The key of a point: 16 hexadecimal digits of the SHA-256 of its canonical inputs, sorted by name. It does not depend
 * on the design that made the point, so it stays when the design changes. The seed is not part of it, unless the
 * design itself varies the seed.
 */
export function pointKey(inputs: readonly { name: string; value: string }[]): string {
  const canonical = inputs
    .map(({ name, value }) => [name, value] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 16);
}

/**
 * The seed of a replication: a positive integer below 2^48, a pure function of (campaign seed, point key, n), so adding
 * points never changes another point's seeds. A further attempt with a seed of its own adds its number to them.
 */
export function replicationSeed(
  campaignSeed: number,
  key: string,
  replication: number,
  reseeded = 0,
): string {
  const attempt = reseeded > 0 ? `/${reseeded}` : '';
  const digest = createHash('sha256').update(`${campaignSeed}/${key}/${replication}${attempt}`).digest();
  return String(digest.readUIntBE(0, 6) || 1);
}
