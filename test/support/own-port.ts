import { randomInt } from 'node:crypto';
import { freePort } from '../../src/dev/ports.ts';

/** A process that names no port gets one from 32768 on Linux, and one from 49152 on other systems. */
const [LOWEST, BELOW] = [20_000, 32_000];
/**
 * The number of ports of each worker of Jest. A port is free while its server starts or is down, and a test file that
 * runs at the same time in another worker must not take it then.
 */
const SHARE = 500;
const first = LOWEST + SHARE * (Number(process.env.JEST_WORKER_ID ?? 0) % ((BELOW - LOWEST) / SHARE));
/** The ports of a worker come in turn, so that one is given again only after all others. */
let turn = randomInt(SHARE);

/**
 * A free port on 127.0.0.1 for a server that starts later, or more than once. The system gives this port to no process
 * that names no port, so it is still free when the server starts.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    turn = (turn + 1) % SHARE;
    const port = first + turn;
    if ((await freePort(port)) === port) return port;
  }
}
