import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { OwnKey } from '../../src/server/keys.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { KEY, type World } from '../support/world.ts';

/**
 * Keeps connections open, because a new connection costs as much as a request. There are fewer than the server accepts
 * without a key: on a busy machine many are opened before the first one has shown its key.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request with exactly these headers. `fetch` would set Host and other headers by itself. */
export async function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const sent = request(url, { method, headers, agent });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, headers: answer.headers, body: await text(answer) };
}

/** The headers of a browser whose person is logged in with the key of the world. */
export const LOGGED_IN = { authorization: `Bearer ${KEY}`, accept: 'text/html' };

export function pageOf({ url }: Server, path: string): Promise<Answer> {
  return ask(url + path, { headers: LOGGED_IN });
}

/** Sends a form, as a browser without scripts does. */
export function sendForm({ url }: Server, path: string, fields: Record<string, string>): Promise<Answer> {
  return ask(url + path, {
    method: 'POST',
    headers: { ...LOGGED_IN, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Starts a server for a world. With the key of the world, a client may read and control campaigns. */
export function serverOf({ foray, settings }: World): Promise<Server> {
  return startServer({ foray, settings, keys: new OwnKey(KEY, 'somebody') });
}

/**
 * Turns a part of a page into the form of the report. The report has no links from the marks of a picture to points, and
 * no tables with the numbers of pictures. Their contents are not
 * compared.
 */
export function asInReport(section: string): string {
  return section
    .replaceAll(/<nav class="contents".*?<\/nav>/gs, '')
    .replaceAll(/<details class="numbers">.*?<\/details>/gs, '')
    .replaceAll(/<a [^>]*>/g, '')
    .replaceAll('</a>', '')
    .replaceAll(/ data-(points|view)="[^"]*"/g, '');
}
