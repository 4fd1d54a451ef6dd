import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyChecks } from '../../../http/key-checks.ts';
import { ServiceError } from '../../errors.ts';
import type { Access, Caller } from '../../access.ts';
import { hashOf } from '../../../keys/hash.ts';
import { mayDo } from '../../../keys/roles.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of the request; null until the key has been checked. */
    caller: Caller | null;
  }
}

/**
 * Makes a hook that accepts only requests with a known key: `Authorization: <key>`, as existing clients send it, or
 * `Authorization: Bearer <key>`.
 */
export function requireKey(access: Access, keyChecks: KeyChecks) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const key = request.headers.authorization?.replace(/^Bearer\s+/i, '').trim();
    if (!key) throw new ServiceError('KEY_REFUSED', 'An API key is needed, in the header Authorization.');
    const keyHash = hashOf(key);
    const holder = access.holderOf(keyHash);
    if (holder?.role === 'read')
      throw new ServiceError('KEY_REFUSED', "The API key may only read campaigns at foray's own server.");
    if (!holder || !mayDo(holder.role, 'steer'))
      throw new ServiceError('KEY_REFUSED', 'The API key is not known here.');
    request.caller = { user: holder.name, keyHash };
    keyChecks.watch(reply.raw, () => mayDo(access.holderOf(keyHash)?.role, 'steer'));
    done();
  };
}
