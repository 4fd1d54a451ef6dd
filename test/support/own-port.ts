import { randomInt } from 'node:crypto';
import { freePort } from '../../src/dev/ports.ts';

/** Linux gives processes that wish no port a port from 32768, and other systems one from 49152. */
const [LOWEST, BELOW] = [20_000, 32_000];

/**
 * A free port on 127.0.0.1 for a server that starts more than once. The system gives this port to nobody else, so it is
 * still free after the server has ended.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BELOW);
    if ((await freePort(port)) === port) return port;
  }
}
