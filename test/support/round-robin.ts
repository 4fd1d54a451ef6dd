import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy for several services. It sends each request to the next service that can be reached. */
export interface RoundRobin {
  url: string;
  /** The number of requests that each service has answered. */
  answered: number[];
  close(): Promise<void>;
}

export async function startRoundRobin(targets: readonly string[]): Promise<RoundRobin> {
  const answered = targets.map(() => 0);
  let turn = 0;
  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    at: number,
    left: number,
  ) => {
    const { hostname, port } = new URL(targets[at]!);
    const { method, url: path, headers } = incoming;
    const request = send({ hostname, port, method, path, headers }, (answer) => {
      answered[at]! += 1;
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    request.on('error', (error) => {
      // the proxy repeats only requests that cannot have arrived
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && left > 0)
        forward(incoming, body, outgoing, (at + 1) % targets.length, left - 1);
      else outgoing.destroy();
    });
    request.end(body);
  };
  const server = createServer((incoming, outgoing) => {
    void incoming.toArray().then((parts) => {
      turn = (turn + 1) % targets.length;
      forward(incoming, Buffer.concat(parts as Buffer[]), outgoing, turn, targets.length - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { pathname } = new URL(targets[0]!);
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    answered,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
