import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_VERSION, type RunRequest } from '../../../src/api/index.ts';
import { endWithParent } from '../../../src/dev/lifeline.ts';
import { answerTo, type Answer } from './answers.ts';
import type { Stats } from './control.ts';
import { type Behaviour, StubRuns } from './runs.ts';

/**
 * A program: a cheap model service for measuring its clients. It prints its address in its first line. The bench
 * controls it through `/control`.
 */

const ROOT = `/api/open/${API_VERSION}`;
/** Keeps connections open while the bench prepares the next part. */
const KEEP_ALIVE_MS = 120_000;

let behaviour: Behaviour = { executors: 1, seconds: 0, cv: 0, there: false, latencyMs: 0 };
let runs = new StubRuns(behaviour);
let stats: Stats = emptyStats();

function emptyStats(): Stats {
  return { requests: 0, byEndpoint: {}, runs: 0, firstAskedAt: 0, lastEndsAt: 0 };
}

function control(path: string, body: string): unknown {
  if (path === '/control/stats') return { ...stats, runs: runs.started, lastEndsAt: runs.lastEndsAt };
  behaviour = { ...behaviour, ...(JSON.parse(body) as Partial<Behaviour>) };
  runs = new StubRuns(behaviour);
  stats = emptyStats();
  return behaviour;
}

function service(path: string, body: string): Answer {
  const now = Date.now();
  const parsed = (body === '' ? undefined : JSON.parse(body)) as RunRequest;
  const { endpoint, ...answer } = answerTo(path.slice(ROOT.length), parsed, runs, now);
  stats.requests += 1;
  stats.byEndpoint[endpoint] = (stats.byEndpoint[endpoint] ?? 0) + 1;
  if (stats.firstAskedAt === 0 && (endpoint === 'requestRun' || endpoint === 'getResults'))
    stats.firstAskedAt = now;
  return answer;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.sendDate = false;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const path = request.url!;
  if (path.startsWith('/control/')) {
    send(response, 200, control(path, body));
    return;
  }
  const { status, body: answered } = service(path, body);
  if (behaviour.latencyMs === 0) send(response, status, answered);
  else setTimeout(() => send(response, status, answered), behaviour.latencyMs);
}

endWithParent();
const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  if (request.method === 'GET') {
    answer(request, response, '');
    return;
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => answer(request, response, body));
});
server.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
