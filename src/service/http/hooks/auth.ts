import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyChecks } from '../../../http/key-checks.ts';
import { hashOf } from '../../../keys/hash.ts';
import type { Access, Caller } from '../../access.ts';
import { ServiceError } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of the request; null until the key has been checked. */
    caller: Caller | null;
  }
}

/** The last key header of each connection, with the hash of its key: clients send the same key with each request. */
const lastOf = new WeakMap<Socket, { header: string; hash: string }>();

/**
 * The SHA-256 of the key in a request; undefined without a key. The header is `Authorization: <key>`, as existing
 * clients send it, or `Authorization: Bearer <key>`.
 */
export function keyHashIn({ headers, raw }: FastifyRequest): string | undefined {
  const header = headers.authorization;
  if (header === undefined) return undefined;
  const last = lastOf.get(raw.socket);
  if (last?.header === header) return last.hash;
  const key = header.replace(/^Bearer\s+/i, '').trim();
  if (key === '') return undefined;
  const hash = hashOf(key);
  lastOf.set(raw.socket, { header, hash });
  return hash;
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
