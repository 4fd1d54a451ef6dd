import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyChecks } from '../../../http/key-checks.ts';
import { ServiceError } from '../../errors.ts';
import type { Access, Caller } from '../../access.ts';
import { hashOf } from '../../../keys/hash.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of the request; null until the key has been checked. */
    caller: Caller | null;
  }
}

/**
 * The SHA-256 of the key in a request; undefined without a key. The header is `Authorization: <key>`, as existing clients
 * send it, or `Authorization: Bearer <key>`.
 */
export function keyHashIn({ headers }: FastifyRequest): string | undefined {
  const key = headers.authorization?.replace(/^Bearer\s+/i, '').trim();
  return key ? hashOf(key) : undefined;
}

/** Makes a hook that accepts only requests with the key of a client. */
export function requireKey(access: Access, keyChecks: KeyChecks) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const keyHash = keyHashIn(request);
    if (keyHash === undefined) throw refused('An API key is needed, in the header Authorization.');
    const client = access.clientOf(keyHash);
    if (!client) {
      const mayRead = access.holderOf(keyHash)?.role === 'read';
      throw refused(
        mayRead
          ? "The API key may only read campaigns at foray's own server."
          : 'The API key is not known here.',
      );
    }
    request.caller = { user: client.name, keyHash };
    keyChecks.watch(reply.raw, () => access.clientOf(keyHash) !== undefined);
    done();
  };
}

function refused(message: string): ServiceError {
  return new ServiceError('KEY_REFUSED', message);
}
