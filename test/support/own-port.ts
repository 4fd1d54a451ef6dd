import { randomInt } from 'node:crypto';
import { freePort } from '../../src/dev/ports.ts';

/** A process that names no port gets one from 32768 on Linux, and one from 49152 on other systems. */
const [LOWEST, BELOW] = [20_000, 32_000];

/**
 * A free port on 127.0.0.1 for a server that starts later, or more than once. The system gives this port to no process
 * that names no port, so it is still free when the server starts.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BELOW);
    if ((await freePort(port)) === port) return port;
  }
}
