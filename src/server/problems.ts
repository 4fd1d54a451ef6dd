import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../error-codes.ts';
import { isForayError, type ForayError, type Place } from '../errors.ts';
import { saidOfStore } from '../store/index.ts';
import { isReadOnly, isStorageFull } from '../system/disk-full.ts';
import { html } from '../report/html/markup.ts';
import { sendPage } from './pages/layout.ts';
import { ServerError, serverErrors } from './server-error.ts';

/** HTTP statuses of foray's errors. An error that is not listed is 422: the request was understood, but is wrong. */
const statuses: Partial<Record<ErrorCode, number>> = {
  CHANGE_PENDING: 202,
  USAGE: 400,
  UNKNOWN_CAMPAIGN: 404,
  UNKNOWN_CAUSE: 404,
  UNKNOWN_POINT: 404,
  UNKNOWN_MODEL: 404,
  FILE_UNAVAILABLE: 404,
  CAMPAIGN_EXISTS: 409,
  CAMPAIGN_OPEN: 409,
  CAMPAIGN_CLOSED: 409,
  CAMPAIGN_CHANGED: 409,
  VERSION_RETIRED: 409,
  TOO_MANY_ANIMATIONS: 429,
  KEY_REFUSED: 502,
  REQUEST_REFUSED: 502,
  SERVICE_FAILED: 502,
  SERVICE_UNREACHABLE: 503,
  TEMPORAL_UNREACHABLE: 503,
  TEMPORAL_REFUSED: 503,
  STORE_LOST: 503,
  STORE_UNREACHABLE: 503,
  STORE_UNUSABLE: 503,
  STORE_NEWER: 503,
  STORE_MISSING: 503,
  WORKER_ELSEWHERE: 503,
  WORKER_SILENT: 503,
};

/** The body of an error (RFC 9457). */
export interface Problem {
  /** `/errors/CODE`, in docs/reference/errors.md. */
  type: string;
  /** The standard text of the HTTP status. */
  title: string;
  status: number;
  code: string;
  /** What is wrong, as a sentence. */
  detail: string;
  /** What the user can do about it. */
  hint?: string | undefined;
  /** The place in a definition: its file, and the line and column (from 1) or the path of names to the setting. */
  file?: string;
  line?: number;
  column?: number;
  path?: string;
  /** Further mistakes of the same definition. */
  others?: Omit<Problem, 'type' | 'title' | 'status'>[];
}

/** The body of the answer for an error. The text of an error with status 500 never leaves the server. */
export function problemOf(error: unknown): Problem & Record<string, unknown> {
  if (isForayError(error)) {
    const known = statuses[error.code] ?? 422;
    // 404 is for a wrong name in the address; a wrong name in a definition is a mistake of the definition
    const status = known === 404 && error.place ? 422 : known;
    const others = error.others.map(mistake);
    return { ...withStatus(status, mistake(error)), ...(others.length > 0 && { others }) };
  }
  const { code, message, options } = error instanceof ServerError ? error : serverErrorFrom(error);
  const problem = withStatus(serverErrors[code].status, { code, detail: message });
  return { ...problem, ...(options.hint !== undefined && { hint: options.hint }), ...options.more };
}

/** Adds the fields of a problem that its status and its code determine. */
function withStatus<T extends { code: string }>(status: number, fields: T) {
  return { type: `/errors/${fields.code}`, title: STATUS_CODES[status]!, status, ...fields };
}

function mistake({ code, message, hint, place }: ForayError) {
  const said = saidOfStore[code];
  if (said) return { code, detail: said.what, hint: said.hint };
  return { code, detail: message, ...(hint !== undefined && { hint }), ...(place && placeIn(place)) };
}

function placeIn(place: Place): Pick<Problem, 'file' | 'line' | 'column' | 'path'> {
  const { file } = place;
  return 'line' in place ? { file, line: place.line, column: place.column } : { file, path: place.path };
}

/** Converts an error of a disk or of Fastify. If the server has a fault, the client does not get the message. */
function serverErrorFrom(error: unknown): ServerError {
  const why = isStorageFull(error) ? 'full' : isReadOnly(error) ? 'read-only' : undefined;
  if (why)
    return new ServerError('STORAGE_FULL', `The server's disk is ${why}, so nothing was written.`, {
      hint: 'Tell its operator, and try again when it can be written.',
    });
  const { statusCode = 500, message } = error as FastifyError;
  if (statusCode === 413)
    return new ServerError('TOO_LARGE', 'The body is larger than the server takes here.', {
      hint: 'The command line (foray submit, foray models push) has no such limit.',
    });
  if (statusCode >= 400 && statusCode < 500) return new ServerError('BAD_REQUEST', message);
  return new ServerError('INTERNAL', 'The server has a fault; its log says more.');
}

/** The titles of pages about errors, by the HTTP status. */
const pageTitles: Readonly<Record<number, string>> = {
  202: 'This is accepted, and not done yet',
  400: 'Something is missing or wrong',
  401: 'You are logged out',
  403: 'You may not do this',
  404: 'There is nothing here',
  405: 'This address takes no such request',
  408: 'The request came too slowly',
  409: 'This does not fit the present state',
  413: 'This is too large',
  421: 'This server has another name',
  422: 'This cannot be done as it was asked',
  429: 'Too much at once',
  502: 'The model service refuses this',
  503: 'Something does not answer',
  507: 'The disk cannot be written',
};

/** Answers with an error: as a page for a browser, otherwise as JSON. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error);
  if (problem.status === 500) request.log.error(error);
  if (error instanceof ServerError) void reply.headers(error.options.headers ?? {});
  // the rest of the body is not read, so the connection cannot be used again
  if (problem.status === 413) void reply.header('connection', 'close');
  void reply.code(problem.status).header('cache-control', 'no-store');
  if (!wantsPage(request)) {
    void reply.type('application/problem+json; charset=utf-8').send(JSON.stringify(problem));
    return;
  }
  // the page links to the campaign of its address, except after a 404: that campaign may not exist
  const campaign = problem.status === 404 ? undefined : /^\/campaigns\/[^/?]+/.exec(request.url)?.[0];
  const title = pageTitles[problem.status] ?? 'The server has a fault';
  const isFormRefused = request.method === 'POST' && problem.status === 401;
  const body = html`<h1 data-problem>${title}</h1>
    <p class="lead">${problem.detail}</p>
    ${problem.hint === undefined ? undefined : html`<p>${problem.hint}</p>`}
    ${isFormRefused ? html`<p>What you typed is not lost. <a href="/login" target="_blank">Log in in another tab</a>, then load this page again: the browser sends it again.</p>` : undefined}
    ${
      request.access
        ? html`<p class="buttons">
            ${campaign && html`<a class="button" href="${campaign}">The campaign</a>`}
            <a class="button" href="/">All campaigns</a>
          </p>`
        : ''
    }`;
  sendPage(request, reply, { title, body });
}

/** Answers on a connection whose request came too slowly, and closes it. */
export function refuseSlow(socket: Socket): void {
  const error = new ServerError('TOO_SLOW', 'The body of the request came too slowly.');
  const body = JSON.stringify(problemOf(error));
  if (socket.writable)
    socket.write(
      'HTTP/1.1 408 Request Timeout\r\nContent-Type: application/problem+json; charset=utf-8\r\n' +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  // this does not wait for the client, which may never close its side
  socket.destroySoon();
}

/** Whether a browser requests a page. */
export function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}
