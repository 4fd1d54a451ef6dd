import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../api/resources.ts';
import { pathOf } from '../../http/path.ts';
import { isReadOnly, isStorageFull } from '../../system/disk-full.ts';
import { bounded } from '../../text/printable.ts';
import { ServiceError, type ServiceErrorCode, serviceErrors } from '../errors.ts';
import { isUnreachable } from '../system-errors.ts';
import { corsHeaders } from './hooks/cors.ts';

/** After these errors, the rest of the body is not read, so the connection cannot be used again. */
const ENDS_CONNECTION: readonly ServiceErrorCode[] = ['TOO_LARGE', 'STORAGE_FULL'];

/** Errors that are logged, because the operator of the service must know about them. */
const FOR_OPERATOR: readonly ServiceErrorCode[] = ['INTERNAL', 'STORAGE_FULL', 'FILE_DAMAGED'];

/** The longest message and path, in characters. They may repeat a part of the request, which may have megabytes. */
const LONGEST = 1_000;

/** How long a client should wait before it tries again when the database cannot be reached, in seconds. */
const TRY_AGAIN = 5;

/** Answers a request with an error, in the shape of all errors. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = serviceErrorOf(error, request);
  if (FOR_OPERATOR.includes(known.code)) request.log.error(error);
  if (ENDS_CONNECTION.includes(known.code)) void reply.header('connection', 'close');
  void reply
    // a failure before any hook also needs these headers
    .headers(corsHeaders)
    .code(serviceErrors[known.code].status)
    .headers(known.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(known, request.url)));
}

/**
 * The error of an answer, for any error of a request. Errors with a status from 400 to 499 come from Fastify and
 * describe a mistake of the client. The text of any other error never leaves the service.
 */
export function serviceErrorOf(error: unknown, { routeOptions }: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode: status = 500, message } = error as FastifyError;
  const why = isStorageFull(error) ? 'full' : isReadOnly(error) ? 'read-only' : undefined;
  if (why)
    return new ServiceError(
      'STORAGE_FULL',
      `The service's disk is ${why}: nothing was stored; ask again later.`,
    );
  if (isUnreachable(error)) {
    return new ServiceError(
      'UNAVAILABLE',
      "The service's database cannot be reached just now: ask again later.",
      { 'retry-after': String(TRY_AGAIN) },
    );
  }
  // the client, or something between it and the service, has closed the connection
  if (code === 'ECONNRESET')
    return new ServiceError('TOO_SLOW', 'The connection ended before the end of the body.');
  if (code === 'FST_ERR_BAD_URL')
    return new ServiceError('BAD_REQUEST', 'The address is not valid, or a part of it is too long.');
  if (status === 413)
    return new ServiceError('TOO_LARGE', `The body may have at most ${routeOptions.bodyLimit} bytes.`);
  if (status >= 400 && status < 500) return new ServiceError('BAD_REQUEST', message);
  return new ServiceError('INTERNAL', 'The service has a fault; its log says more.');
}

/** Answers data that is no complete request, and closes the connection. */
export function refuseConnection(error: ServiceError, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const { status } = serviceErrors[error.code];
  const body = JSON.stringify(errorBody(error, ''));
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Access-Control-Allow-Origin: *\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // this does not wait for the client, which may never close its side
  socket.destroySoon();
}

function errorBody({ code, message, place }: ServiceError, url: string): ErrorBody {
  const { status } = serviceErrors[code];
  return {
    timestamp: new Date().toISOString(),
    status,
    error: STATUS_CODES[status]!,
    code,
    message: bounded(message, LONGEST),
    path: bounded(pathOf(url), LONGEST),
    ...(place && { place: { file: bounded(place.file, LONGEST), line: place.line, column: place.column } }),
  };
}
