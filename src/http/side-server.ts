import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError, reachableHost } from './listen.ts';

/** The answer to a request for one path. */
export interface SideAnswer {
  status: number;
  type?: string;
  text?: string;
}

/** A server of a process for programs that watch it. */
export interface SideServer {
  /** The address, without a slash at its end. */
  url: string;
  close(): Promise<void>;
}

/**
 * Answers GET requests for a few paths at an address of its own, without keys. So a proxy before the process does not
 * forward these paths.
 *
 * @param option - the option with the address, for an error
 * @throws ForayError PORT_IN_USE
 */
export async function serveBeside(
  { host, port }: { host: string; port: number },
  option: string,
  paths: Record<string, () => Promise<SideAnswer>>,
): Promise<SideServer> {
  const server = createServer((request, answer) => {
    const path = request.url ?? '';
    if (!Object.hasOwn(paths, path)) return void answer.writeHead(404).end();
    if (request.method !== 'GET') return void answer.writeHead(405, { Allow: 'GET' }).end();
    paths[path]!().then(
      ({ status, type, text }) =>
        answer.writeHead(status, type === undefined ? {} : { 'Content-Type': type }).end(text),
      () => answer.writeHead(503).end(),
    );
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, { host, port }, `Name another address with ${option}.`);
  }
  return {
    url: `http://${reachableHost(host)}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
