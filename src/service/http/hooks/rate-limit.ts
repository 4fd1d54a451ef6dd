import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';

interface Bucket {
  tokens: number;
  /** The time when `tokens` was computed, in milliseconds. */
  at: number;
}

/**
 * Makes a hook that accepts `rate` requests per second for each key. After a pause, it accepts the same number at once,
 * but at least one. The hook runs after the check of the key, so unknown keys get no buckets.
 *
 * @param now - the current time in milliseconds, which never decreases
 */
export function limitRate(rate: number, now: () => number = () => performance.now()) {
  const buckets = new Map<string, Bucket>();
  const most = Math.max(1, rate);
  return ({ caller }: Pick<FastifyRequest, 'caller'>, _reply: unknown, done: () => void): void => {
    const at = now();
    const last = buckets.get(caller!.keyHash);
    const tokens = last ? Math.min(most, last.tokens + ((at - last.at) / 1_000) * rate) : most;
    const isAccepted = tokens >= 1;
    buckets.set(caller!.keyHash, { tokens: isAccepted ? tokens - 1 : tokens, at });
    if (!isAccepted) {
      const seconds = Math.ceil((1 - tokens) / rate);
      throw new ServiceError('RATE_LIMITED', `At most ${rate} requests a second are taken with one key.`, {
        'retry-after': String(seconds),
      });
    }
    done();
  };
}
