import { createServer } from 'node:net';

/** The usual port when it is free on 127.0.0.1, else one that is. */
export async function freePort(usual: number): Promise<number> {
  return (await listens(usual)) ?? (await listens(0))!;
}

function listens(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
