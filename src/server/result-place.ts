import type { ResultPlace } from '../store/index.ts';
import { ServerError } from './problems.ts';

/** The start of the next page of runs, as a parameter of an address. */

export function placeText({ position, ordinal, replication }: ResultPlace): string {
  return `${position}.${ordinal}.${replication}`;
}

/** @throws ServerError BAD_REQUEST */
export function placeIn(text: string | undefined): ResultPlace | undefined {
  if (text === undefined) return undefined;
  const [position, ordinal, replication] = text.split('.').map(Number) as [number, number, number];
  if (![position, ordinal, replication].every(Number.isSafeInteger))
    throw new ServerError('BAD_REQUEST', 'The parameter after does not come from a page of this list.');
  return { position, ordinal, replication };
}
