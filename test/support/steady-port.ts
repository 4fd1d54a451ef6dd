import { randomInt } from 'node:crypto';
import { freePort } from '../../src/dev/ports.ts';

/**
 * A free port on 127.0.0.1 that no other process gets by chance, for a server that starts later or starts again. The
 * system gives ports from 32768 on to all processes that ask for any port; these ports are below.
 */
export function steadyPort(): Promise<number> {
  return freePort(...Array.from({ length: 20 }, () => randomInt(20_000, 32_000)));
}
