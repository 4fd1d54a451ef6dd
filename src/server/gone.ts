import type { FastifyReply } from 'fastify';

/** Calls a function when the connection of an answer has closed: now, if it closed before this call. */
export function whenGone({ raw }: FastifyReply, act: () => void): void {
  if (raw.closed) act();
  else raw.once('close', act);
}

/** A signal that aborts when the connection of an answer has closed. Nothing more needs to be computed for it then. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  whenGone(reply, () => gone.abort());
  return gone.signal;
}
