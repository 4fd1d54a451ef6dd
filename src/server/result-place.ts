import type { ResultPlace } from '../store/index.ts';
import { ServerError } from './problems.ts';

/** A place in the results as the parameter `after` of an address: where the next page of runs starts. */
export function placeText({ position, ordinal, replication }: ResultPlace): string {
  return `${position}.${ordinal}.${replication}`;
}

/** @throws ServerError BAD_REQUEST */
export function placeIn(text: string | undefined): ResultPlace | undefined {
  if (text === undefined) return undefined;
  const [position, ordinal, replication] = text.split('.').map(Number) as [number, number, number];
  if (![position, ordinal, replication].every(Number.isSafeInteger))
    throw new ServerError('BAD_REQUEST', 'The parameter "after" must come from the link to the next page.');
  return { position, ordinal, replication };
}
