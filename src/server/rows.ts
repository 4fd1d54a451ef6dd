import type { ResultPlace } from '../store/index.ts';
import { ServerError } from './problems.ts';

/** Pages of runs: where the next one begins, as an address has it. */

export function placeText({ position, ordinal, replication }: ResultPlace): string {
  return `${position}.${ordinal}.${replication}`;
}

/** @throws ServerError BAD_REQUEST */
export function placeIn(text: string | undefined): ResultPlace | undefined {
  if (text === undefined) return undefined;
  const [position, ordinal, replication] = text.split('.').map(Number) as [number, number, number];
  if (![position, ordinal, replication].every(Number.isSafeInteger))
    throw new ServerError('BAD_REQUEST', 'The parameter after is none that a page gave.');
  return { position, ordinal, replication };
}
