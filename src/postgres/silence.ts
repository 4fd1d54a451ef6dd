import { ForayError } from '../errors.ts';
import { type Place, unreachable } from './place.ts';

/** The shortest time from a question to the next one, if the server has answered, ms. */
const ASK_EVERY = 2_000;
/** The most questions without an answer. Each has a connection. */
const MOST_OPEN = 3;
/** A server that has not answered for this long is silent, ms. A frozen server keeps its connections. */
const PATIENCE = 8_000;

/**
 * Makes a function that tells why a server cannot be used now; undefined if it can. The function returns at once. It
 * knows the answer to the last question, and asks again if it is called at an interval.
 *
 * @param ask - a question to the server; rejects with STORE_UNREACHABLE if the server cannot be reached
 */
export function silenceOf(ask: () => Promise<unknown>, place: Place): () => ForayError | undefined {
  let why: ForayError | undefined;
  let askedAt = -Infinity;
  /** The numbers of the last question, and of the last one with an answer. */
  let [last, answered] = [0, 0];
  /** The questions without an answer. A connection may be dead, and then only a later question gets an answer. */
  let open = 0;
  const askNow = async (): Promise<void> => {
    const number = (last += 1);
    askedAt = performance.now();
    open += 1;
    const error = await ask().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    open -= 1;
    // the end of a dead connection says nothing after the answer to a later question
    if (number < answered) return;
    answered = number;
    // a server that refuses the question has answered
    why = error instanceof ForayError && error.code === 'STORE_UNREACHABLE' ? error : undefined;
  };
  return () => {
    const waited = performance.now() - askedAt;
    const isWaiting = answered < last;
    if (isWaiting && waited > PATIENCE) why ??= unreachable(place, 'it does not answer');
    if (open < MOST_OPEN && waited > (isWaiting ? PATIENCE : ASK_EVERY)) void askNow();
    return why;
  };
}
