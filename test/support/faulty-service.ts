import { createHash } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What the proxy does with a request. */
export type Fault =
  /** The service answers normally. */
  | { kind: 'pass' }
  /** The client gets this answer, and the service never gets the request. */
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string }
  /** The service commits the request, and its answer is lost. */
  | { kind: 'lose' }
  /** The service commits the request, and its answer waits until the promise decides. */
  | { kind: 'hold'; until: Promise<'deliver' | 'lose'> };

/** A request as it arrived at the proxy. Times are ms since the epoch. */
export interface Asked {
  number: number;
  at: number;
  method: string;
  /** The path without the root of the interface. */
  path: string;
  bodyHash: string;
  headers: IncomingMessage['headers'];
}

export interface Recorded extends Asked {
  fault: Fault;
  /** The status of the answer. It is 0 if the connection was cut. */
  status: number;
  /** The beginning of the service's answer. It is empty if the service did not get the request. */
  answer: string;
  /** The time when the answer was sent or the connection was cut. It is 0 until then. */
  answeredAt: number;
}

/** A proxy for a service over HTTP. It follows a plan for each request. */
export interface FaultyService {
  url: string;
  /** The proxy asks this function what to do with each request. */
  plan: (asked: Asked) => Fault;
  /** The requests, in the order of their arrival. */
  recorded: Recorded[];
  close(): Promise<void>;
}

/** How much of an answer is recorded, bytes. */
const ANSWER_BYTES = 200;

export const pass = (): Fault => ({ kind: 'pass' });

/** True for a request that starts a run, or finds it at the service. */
export function isRunRequest({ method, path }: Asked): boolean {
  return method === 'POST' && /^\/versions\/[^/]+\/runs$/.test(path);
}

export async function startFaultyService(service: { url: string }): Promise<FaultyService> {
  const { origin, pathname: root, port: target } = new URL(service.url);
  const agent = new Agent({ keepAlive: true });

  /** Sends the request to the service, and returns its answer. */
  function ask(incoming: IncomingMessage, body: Buffer): Promise<{ answer: IncomingMessage; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const { method, url, headers } = incoming;
      const outgoing = request({ agent, host: '127.0.0.1', port: target, method, path: url, headers });
      outgoing.once('error', reject);
      outgoing.once('response', (answer) => {
        buffer(answer).then((text) => resolve({ answer, body: text }), reject);
      });
      outgoing.end(body);
    });
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const body = await buffer(incoming);
    const { method = '', url = '', headers } = incoming;
    const bodyHash = createHash('sha256').update(body).digest('hex');
    const number = front.recorded.length;
    const asked: Asked = { number, at, method, path: url.replace(root, ''), bodyHash, headers };
    const fault = front.plan(asked);
    const record: Recorded = { ...asked, fault, status: 0, answer: '', answeredAt: 0 };
    front.recorded.push(record);
    const over = (): void => {
      record.answeredAt ||= Date.now();
    };
    response.once('finish', over).once('close', over);

    if (fault.kind === 'answer') {
      record.status = fault.status;
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const { answer, body: text } = await ask(incoming, body);
    record.answer = text.toString('utf8', 0, ANSWER_BYTES);
    const isLost = fault.kind === 'lose' || (fault.kind === 'hold' && (await fault.until) === 'lose');
    if (isLost) return void incoming.socket.resetAndDestroy();
    record.status = answer.statusCode!;
    response.writeHead(answer.statusCode!, answer.headers).end(text);
  }

  const server = createServer((incoming, response) => {
    // if the connection to the client or to the service breaks, the connection to the client ends
    handle(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const front: FaultyService = {
    url: service.url.replace(origin, `http://127.0.0.1:${port}`),
    plan: pass,
    recorded: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
  return front;
}
