import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../api/resources.ts';
import { ServiceError, type ServiceErrorCode, serviceErrors } from '../errors.ts';
import { isStorageFull } from '../storage.ts';
import { forPages } from './origins.ts';

/** What is left of a body that could not be taken is not read, so the connection cannot be used again. */
const ENDS_CONNECTION: readonly ServiceErrorCode[] = ['TOO_LARGE', 'STORAGE_FULL'];

/** What whoever runs the service has to know of. */
const IS_OURS: readonly ServiceErrorCode[] = ['INTERNAL', 'STORAGE_FULL', 'FILE_DAMAGED'];

/** Characters of a message: it may repeat what came, which may be megabytes. */
const LONGEST = 1_000;

/** Answers a request with an error, in the one shape that errors have. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof ServiceError ? error : serviceErrorFrom(error as FastifyError);
  if (IS_OURS.includes(known.code)) request.log.error(error);
  if (ENDS_CONNECTION.includes(known.code)) void reply.header('connection', 'close');
  void reply
    // also where it fails before any hook
    .headers(forPages)
    .code(serviceErrors[known.code].status)
    .headers(known.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(known.code, known.message, request.url)));
}

/** Answers what never became a request, or will never be whole, and closes its connection. */
export function refuseConnection({ code, message }: ServiceError, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const { status } = serviceErrors[code];
  const body = JSON.stringify(errorBody(code, message, ''));
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Access-Control-Allow-Origin: *\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // without waiting for the other side, which may never close its own
  socket.destroySoon();
}

/** An address without its query, which may hold a signature. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function errorBody(code: ServiceErrorCode, message: string, url: string): ErrorBody {
  const { status } = serviceErrors[code];
  return {
    timestamp: new Date().toISOString(),
    status,
    error: STATUS_CODES[status]!,
    code,
    message: message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message,
    path: pathOf(url),
  };
}

/** Fastify's own errors say what a client did wrong; of anything else nothing leaves the service. */
function serviceErrorFrom(error: FastifyError): ServiceError {
  if (isStorageFull(error)) {
    return new ServiceError(
      'STORAGE_FULL',
      "The service's disk is full: nothing was stored; ask again later.",
    );
  }
  // nobody is left to read it
  if (error.code === 'ECONNRESET')
    return new ServiceError('BAD_REQUEST', 'The connection ended within the body.');
  const status = error.statusCode ?? 500;
  if (error.code === 'FST_ERR_BAD_URL')
    return new ServiceError('BAD_REQUEST', 'The address is not valid, or a part of it is too long.');
  if (status === 413) return new ServiceError('TOO_LARGE', error.message);
  if (status >= 400 && status < 500) return new ServiceError('BAD_REQUEST', error.message);
  return new ServiceError('INTERNAL', 'The service has a fault; its log says more.');
}
