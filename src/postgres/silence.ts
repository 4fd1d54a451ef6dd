import { ForayError } from '../errors.ts';
import { type Place, unreachable } from './place.ts';

/** The shortest time between two questions, ms. */
const ASK_EVERY = 2_000;
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
  let asked = -Infinity;
  let isAsking = false;
  const begin = async (): Promise<void> => {
    asked = performance.now();
    isAsking = true;
    try {
      await ask();
      why = undefined;
    } catch (error) {
      // a server that refuses the question has answered
      why = error instanceof ForayError && error.code === 'STORE_UNREACHABLE' ? error : undefined;
    } finally {
      isAsking = false;
    }
  };
  return () => {
    const waited = performance.now() - asked;
    if (!isAsking && waited > ASK_EVERY) void begin();
    else if (isAsking && waited > PATIENCE) why ??= unreachable(place, 'it does not answer');
    return why;
  };
}
