import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { NoticeMessage } from '../../src/campaign/notice.ts';
import { ownPort } from './own-port.ts';

/** A request that the receiver got. */
export interface Delivery {
  id: string;
  message: NoticeMessage;
  /** Whether its signature and its time are those of the secret. */
  isGenuine: boolean;
  /** The status of the answer; 0 if the receiver broke the connection after it had read the request. */
  status: number;
}

/** A receiver of webhooks, always at the same address. It can be killed, and it can answer with failures. */
export interface Receiver {
  url: string;
  deliveries: Delivery[];
  /** The answers with a success. */
  taken(): Delivery[];
  start(): Promise<void>;
  /** Breaks all connections. From then on nobody listens at the address. */
  kill(): Promise<void>;
}

/**
 * @param secret - `whsec_` and the key in base64
 * @param answer - the status of the answer to a request; 0 breaks the connection after the request was read
 */
export async function receiver(
  secret: string,
  answer: (id: string) => number = () => 204,
): Promise<Receiver> {
  const port = await ownPort();
  const deliveries: Delivery[] = [];
  let server: Server | undefined;
  const take = async (request: IncomingMessage): Promise<number> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const header = (name: string): string => String(request.headers[`webhook-${name}`]);
    const id = header('id');
    const status = answer(id);
    const message = JSON.parse(body) as NoticeMessage;
    deliveries.push({ id, message, isGenuine: isGenuine(secret, header, body), status });
    return status;
  };
  return {
    url: `http://127.0.0.1:${port}/hook?token=canary-in-the-address`,
    deliveries,
    taken: () => deliveries.filter(({ status }) => status >= 200 && status < 300),
    async start() {
      server = createServer((request, response) => {
        void take(request).then((status) => {
          if (status === 0) request.socket.destroy();
          else response.writeHead(status).end();
        });
      });
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async kill() {
      if (!server?.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Checks a signature as a receiver does, by the text of Standard Webhooks 1.0.0. */
function isGenuine(secret: string, header: (name: string) => string, body: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${header('id')}.${header('timestamp')}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  const age = Math.abs(Date.now() / 1_000 - Number(header('timestamp')));
  return header('signature').split(' ').includes(signature) && age < 300;
}
