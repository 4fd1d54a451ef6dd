import { createServer } from 'node:net';
import { ForayError } from '../errors.ts';

/** The first of the given ports that is free on 127.0.0.1, otherwise another free port. */
export async function freePort(...wished: number[]): Promise<number> {
  for (const port of [...wished, 0]) {
    const free = await portIfFree(port);
    if (free !== undefined) return free;
  }
  throw new Error('no port is free');
}

/** Checks the port that a user asked for. 0 means any free port. @throws ForayError PORT_IN_USE */
export async function wantedPort(port: number): Promise<number> {
  const found = await portIfFree(port);
  if (found !== undefined) return found;
  throw new ForayError('PORT_IN_USE', `Something else listens on 127.0.0.1:${port} already.`, {
    hint: 'Choose another port, or 0 for a free one.',
  });
}

/** The number of a port that is free; for 0, that of any free port. Undefined if the port is in use. */
function portIfFree(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
