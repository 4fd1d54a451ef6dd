import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../api/resources.ts';
import { ServiceError, type ServiceErrorCode, serviceErrors } from '../errors.ts';

/** Answers a request with an error, in the one shape that errors have. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof ServiceError ? error : fromFramework(error as FastifyError);
  if (known.code === 'INTERNAL') request.log.error(error);
  // what is left of a body that is too large is not read, so the connection cannot be used again
  if (known.code === 'TOO_LARGE') void reply.header('connection', 'close');
  void reply
    .code(serviceErrors[known.code].status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(known.code, known.message, request.url)));
}

/** `url` may have a query; that holds signatures, and is left out. */
export function errorBody(code: ServiceErrorCode, message: string, url: string): ErrorBody {
  const { status } = serviceErrors[code];
  return {
    timestamp: new Date().toISOString(),
    status,
    error: STATUS_CODES[status]!,
    code,
    message,
    path: url.split('?', 1)[0]!,
  };
}

/** Fastify's own errors say what a client did wrong; of anything else nothing leaves the service. */
function fromFramework(error: FastifyError): ServiceError {
  const status = error.statusCode ?? 500;
  if (status === 413) return new ServiceError('TOO_LARGE', error.message);
  if (status >= 400 && status < 500) return new ServiceError('BAD_REQUEST', error.message);
  return new ServiceError('INTERNAL', 'The service has a fault; its log says more.');
}
