import { randomInt } from 'node:crypto';
import { freePort } from '../../src/dev/ports.ts';

/**
 * A free port for a server that stops and starts again. Linux gives the ports from 32768 on to connections and to
 * servers that ask for any port, so another process could get such a port while the server is stopped.
 */
export function lastingPort(): Promise<number> {
  return freePort(randomInt(20_000, 32_000));
}
