import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenSpan } from '../opentelemetry.ts';
import { tracing } from '../tracing.ts';

/**
 * Gives each request of a traced client a span, if traces are on. A request without a valid key has none, and neither has
 * a request without the header `traceparent`: pages and watchers ask again and again.
 */
export function traceRequests(app: FastifyInstance): void {
  if (!tracing) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  // a hook before the handler, because the context is lost while a body is read
  app.addHook('preHandler', (request, reply, done) => {
    const { method, routeOptions, headers } = request;
    const parent = headers.traceparent;
    if (!tracing || typeof parent !== 'string') return done();
    const route = routeOptions.url ?? '';
    const span = tracing.begin(`${method} ${route}`, parent, {
      attributes: { 'http.request.method': method, 'http.route': route },
      side: 'server',
      startedAt: Date.now() - reply.elapsedTime,
    });
    spans.set(request, span);
    span.within(done);
  });
  app.addHook('onResponse', (request, { statusCode }, done) => {
    spans.get(request)?.end(statusCode < 500 ? undefined : `status ${statusCode}`);
    done();
  });
}
